"""The HorizontalPodAutoscaler of agents, which follows the use of their processors."""

from scalr_agents.charts.shared.chart import Group
from scalr_agents.charts.shared.scaling import Scaling
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

_CALM_SECONDS = 600
"""Runs wait for the APIs of clouds, minutes at a time. Agents are removed only if all of this time fewer were enough."""
_REMOVAL = {"type": "Pods", "value": 1, "periodSeconds": 60}


def objects(workload: Group, scaling: Scaling, release: Release) -> Group:
    """The autoscaler of the Deployment or StatefulSet."""
    [target] = workload.values()
    return {"autoscaler": _autoscaler(target, scaling, release)}


def _autoscaler(target: Manifest, scaling: Scaling, release: Release) -> Manifest:
    name = target["metadata"]["name"]
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": release.metadata(name),
        "spec": {
            "scaleTargetRef": {"apiVersion": target["apiVersion"], "kind": target["kind"], "name": name},
            "minReplicas": scaling.min,
            "maxReplicas": scaling.max,
            "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": scaling.cpu}}}
            ],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": _CALM_SECONDS, "policies": [_REMOVAL]}},
        },
    }
