"""The controller: a Deployment that takes tasks from Scalr and starts pods for them."""

import base64
from typing import Any

from scalr_agents.charts.agent_k8s.manifests import pod
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import volumes
from scalr_agents.charts.shared.manifests.objects import Manifest, as_json
from scalr_agents.model import variables
from scalr_agents.model.release import Release

COMPONENT = "controller"
_RUNS = "task"


def deployment(values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    part = pod.Part(
        component=COMPONENT,
        annotations=values.controller_pod_annotations,
        environment=_environment(values, release),
        volume=volumes.empty(pod.DATA_VOLUME),
        node_selector=values.controller_node_selector,
        tolerations=values.controller_tolerations,
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(release.names.deployment, COMPONENT),
        "spec": pod.spec(part, values, release, inputs),
    }


def _environment(values: AgentK8sValues, release: Release) -> env.Env:
    """Settings of the run pods that the controller starts. Each variable is JSON in base64."""
    agent = values.agent
    # The policy selects pods by our labels. The component label distinguishes run pods from workers: the DaemonSet would delete them.
    ours = release.selector(_RUNS) if values.restrict_metadata_service else {}
    return env.variables(
        {
            **variables.of(agent, "automount_service_account_token"),
            "SCALR_AGENT_KUBERNETES_TASK_LABELS": _encoded(agent.kubernetes_task_labels | ours),
            "SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS": _encoded(agent.kubernetes_task_annotations),
            "SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR": _encoded(values.worker_node_selector),
            "SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS": _encoded(values.worker_tolerations),
        }
    )


def _encoded(content: Any) -> str:
    return base64.b64encode(as_json(content).encode()).decode()
