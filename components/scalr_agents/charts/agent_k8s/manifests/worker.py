"""The workers: a DaemonSet whose pods supervise the runs on their node."""

from scalr_agents.charts.agent_k8s import names
from scalr_agents.charts.agent_k8s.manifests import pod
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk
from scalr_agents.model.forms import is_set
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

COMPONENT = "worker"


def daemon_set(values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    part = pod.Part(
        component=COMPONENT,
        annotations=values.worker_pod_annotations,
        volume=_data_home(values, release),
        node_selector=values.worker_node_selector,
        tolerations=values.worker_tolerations,
        unlimited=disk.RUN,
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": release.metadata(names.of(release).worker, COMPONENT),
        "spec": pod.spec(part, values, release, inputs),
    }


def _data_home(values: AgentK8sValues, release: Release) -> Manifest:
    """The volume that workers share with the pods of their runs: a directory of the node, or EFS."""
    if is_set(values.efs_volume_handle):
        return {"name": pod.DATA_VOLUME, "persistentVolumeClaim": {"claimName": release.names.data_claim}}
    return {"name": pod.DATA_VOLUME, "hostPath": {"path": values.agent.data_home, "type": "DirectoryOrCreate"}}
