"""What controller and workers have in common."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.charts.agent_k8s.manifests import environment
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import disk, images, volumes
from scalr_agents.charts.shared.manifests.objects import layered
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

DATA_VOLUME = "data-home"


class Part(NamedTuple):
    """What is specific to the controller or to the workers."""

    component: str
    annotations: Mapping[str, Any]
    volume: Manifest
    node_selector: Mapping[str, str]
    tolerations: list[dict[str, Any]]
    unlimited: str
    """The limit of what it writes to its own file system."""


def spec(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    """The spec of a workload. Its selector includes the component, so that neither workload adopts the other's pods or run pods."""
    labels = release.selector(part.component)
    annotations = layered(values.pod_annotations, part.annotations)
    return {
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": present({"annotations": annotations, "labels": labels}),
            "spec": disk.accounted(_pod(part, values, release, inputs), part.unlimited, inputs),
        },
    }


def _pod(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    return present(
        {
            "imagePullSecrets": values.image_pull_secrets,
            "serviceAccountName": release.names.service_account,
            "automountServiceAccountToken": values.service_account.automount_token,
            "securityContext": present(values.pod_security_context),
            "terminationGracePeriodSeconds": values.termination_grace_period_seconds,
            "containers": [_container(part, values, release, inputs)],
            "volumes": [part.volume],
            "nodeSelector": part.node_selector,
            "tolerations": part.tolerations,
        }
    )


def _container(part: Part, values: AgentK8sValues, release: Release, inputs: Inputs) -> Manifest:
    return present(
        {
            "name": "agent-k8s",
            "image": images.reference("", values.image, release.version, inputs.agent_image),
            "imagePullPolicy": values.image.pull_policy,
            "securityContext": present(values.security_context),
            "env": environment.environment(part.component, values, release, inputs),
            "resources": values.resources,
            "volumeMounts": [volumes.mount(DATA_VOLUME, values.agent.data_home)],
        }
    )
