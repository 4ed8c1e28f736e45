"""The controller: a Deployment that takes tasks from Scalr and starts pods for them."""

from scalr_agents.charts.agent_k8s.manifests import pod
from scalr_agents.charts.agent_k8s.manifests.environment import CONTROLLER
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk, volumes
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release


def deployment(values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    part = pod.Part(
        component=CONTROLLER,
        annotations=values.controller_pod_annotations,
        volume=volumes.empty(pod.DATA_VOLUME),
        node_selector=values.controller_node_selector,
        tolerations=values.controller_tolerations,
        unlimited=disk.CONTROLLER,
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(release.names.deployment, CONTROLLER),
        "spec": pod.spec(part, values, release, inputs),
    }
