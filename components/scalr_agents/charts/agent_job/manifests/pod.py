"""What the pods of an agent have in common."""

from scalr_agents.charts.agent_job import versions
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import images, volumes
from scalr_agents.charts.shared.manifests.objects import HARDENED
from scalr_agents.charts.shared.values import Image
from scalr_agents.model.forms import Deferred
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

POD_INFO_VOLUME = "podinfo"
AGENT_VOLUME = "worker"
"""Volume with files from the agent's image, for the runner."""
TMP_VOLUME = "tmp-dir"
ACCOUNT_VOLUME = "sa-token"
"""Volume with the token of the service account, for the worker."""
_NOBODY = 65534
UNPRIVILEGED: Manifest = HARDENED | {"runAsUser": _NOBODY, "runAsGroup": _NOBODY, "runAsNonRoot": True, "readOnlyRootFilesystem": True}
"""The securityContext of containers that neither read nor write anything of the tasks."""
DEFAULT_PROFILE: Manifest = {"seccompProfile": {"type": "RuntimeDefault"}}
"""The securityContext of their pods."""


def agent_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return image(values, values.agent.image, release, inputs.agent_image)


def image(values: AgentJobValues, given: Image, release: Release, complete: str | Deferred | None) -> str | Deferred:
    global_ = values.global_
    return images.reference(global_.image_registry, given, release.version, complete, namespace=global_.image_namespace)


def image_of_worker(values: AgentJobValues) -> Image:
    """The worker's image, with empty fields taken from the controller's."""
    own, parent = values.task.worker.image, values.agent.image
    return Image.model_construct(
        repository=own.repository or parent.repository,
        tag=own.tag or parent.tag,
        pull_policy=own.pull_policy or parent.pull_policy,
    )


def worker_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return image(values, image_of_worker(values), release, inputs.agent_image)


def runner_image(values: AgentJobValues, release: Release, inputs: Inputs) -> str | Deferred:
    return image(values, values.task.runner.image, release, inputs.runner_image)


def beside_tasks(values: AgentJobValues, release: Release, component: str, spec: Manifest) -> Manifest:
    """The template of idle pods on the nodes of tasks: they have no token, and stop within a second.

    With a grace period of zero, the API server deletes a pod before its node does, and the node may reject the next pod for lack of room.
    """
    task, global_ = values.task, values.global_
    labels = {**global_.labels, **global_.pod_labels, **release.selector(component)}
    return {
        "metadata": present({"annotations": global_.pod_annotations, "labels": labels}),
        "spec": present(
            {
                "imagePullSecrets": global_.image_pull_secrets,
                "serviceAccountName": release.names.service_account,
                "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 1,
                **spec,
                "nodeSelector": task.node_selector,
                "tolerations": task.tolerations,
                "affinity": task.affinity,
            }
        ),
    }


def daemon_set_beside_tasks(values: AgentJobValues, release: Release, name: str, component: str, spec: Manifest) -> Manifest:
    """A DaemonSet of idle pods on all nodes of tasks. An update interrupts nothing in them, so that all are replaced at once."""
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": release.metadata(name, component),
        "spec": {
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
            "selector": {"matchLabels": release.selector(component)},
            "template": beside_tasks(values, release, component, spec),
        },
    }


def pod_info_volume(release: Release) -> list[Manifest]:
    """Labels and annotations of the pod itself, as files."""
    items = [{"path": what, "fieldRef": {"fieldPath": f"metadata.{what}"}} for what in ("labels", "annotations")]
    return [{"name": POD_INFO_VOLUME, "downwardAPI": {"items": items}}] if versions.of(release).pod_info else []


def pod_info_mount(release: Release) -> list[Manifest]:
    directory = versions.of(release).pod_info
    return [volumes.mount(POD_INFO_VOLUME, directory)] if directory else []


def budget(name: str, release: Release, component: str, **limits: int | str | None) -> Manifest:
    """A PodDisruptionBudget for a component's pods; `limits` are `minAvailable` and `maxUnavailable`, `None` if not set."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": release.metadata(name, component),
        "spec": {
            **{limit: value for limit, value in limits.items() if value is not None},
            "selector": {"matchLabels": release.selector(component)},
        },
    }
