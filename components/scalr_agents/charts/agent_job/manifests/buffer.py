"""Room for future tasks: placeholder pods that keep nodes with the agent's images, and that the scheduler preempts for a task."""

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.manifests import pod, task
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests.objects import layered
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

COMPONENT = "buffer"
_PRIORITY = -10
"""Lower than tasks, which have 0, and the lowest priority for which the cluster autoscaler adds nodes."""


def objects(values: AgentJobValues, release: Release, inputs: Inputs) -> dict[str, Manifest]:
    """The placeholders and, unless an existing one is set, their PriorityClass."""
    settings = values.task.buffer
    if settings.replicas == 0:
        return {}
    own = {} if settings.priority_class_name else {"buffer-priority": _priority(release)}
    return {**own, "buffer": _deployment(values, release, inputs)}


def _priority(release: Release) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": release.cluster_metadata(names.of(release).buffer_priority),
        "value": _PRIORITY,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Placeholders for tasks of Scalr agents; they give way to any other pod.",
    }


def _deployment(values: AgentJobValues, release: Release, inputs: Inputs) -> Manifest:
    settings = values.task
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(names.of(release).buffer, COMPONENT),
        "spec": present(
            {
                # Without a number, no deployment sets back what an autoscaler has set.
                "replicas": settings.buffer.replicas,
                # With a surge, an update would add nodes to the cluster.
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": release.selector(COMPONENT)},
                "template": pod.beside_tasks(
                    values,
                    release,
                    COMPONENT,
                    {
                        "priorityClassName": settings.buffer.priority_class_name or names.of(release).buffer_priority,
                        "securityContext": layered(values.global_.pod_security_context, settings.pod_security_context),
                        "containers": _containers(values, release, inputs),
                    },
                ),
            }
        ),
    }


def _containers(values: AgentJobValues, release: Release, inputs: Inputs) -> list[Manifest]:
    """One container of the same size for each container of a task. Those for sidecars use the agent's image: theirs may have no `sleep`."""
    runner, worker, *sidecars = task.spec(values, release, inputs)["containers"]
    sized = [sidecar["name"] for sidecar in values.task.sidecars if sidecar.get("resources")]
    as_worker = [worker | {key: sidecar[key] for key in ("name", "resources")} for sidecar in sidecars if sidecar["name"] in sized]
    return [_sleeping(container) for container in (runner, worker, *as_worker)]


def _sleeping(container: Manifest) -> Manifest:
    """A container that does nothing, of the image, the rights and the size of another one."""
    kept = ("name", "image", "imagePullPolicy", "securityContext", "resources")
    return {**{key: container[key] for key in kept if key in container}, "command": ["sleep", "infinity"]}
