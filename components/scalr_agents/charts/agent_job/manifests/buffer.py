"""Room for future tasks: placeholder pods that keep nodes with the agent's images, and that the scheduler preempts for a task."""

from typing import Any

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.manifests import pod
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests.objects import hardened, layered
from scalr_agents.model.forms import Deferred
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

COMPONENT = "buffer"
_PRIORITY = -10
"""Lower than tasks, which have 0, and the lowest priority for which the cluster autoscaler adds nodes."""


def objects(values: AgentJobValues, release: Release, inputs: Inputs) -> dict[str, Manifest]:
    """The placeholders and, unless an existing one is set, their PriorityClass."""
    settings = values.task.buffer
    if not settings.replicas:
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
    task = values.task
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": release.metadata(names.of(release).buffer, COMPONENT),
        "spec": {
            "replicas": task.buffer.replicas,
            # With a surge, an update would add nodes to the cluster.
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": release.selector(COMPONENT)},
            "template": pod.beside_tasks(
                values,
                release,
                COMPONENT,
                {
                    "priorityClassName": task.buffer.priority_class_name or names.of(release).buffer_priority,
                    "securityContext": layered(values.global_.pod_security_context, task.pod_security_context),
                    "containers": _containers(values, release, inputs),
                },
            ),
        },
    }


def _containers(values: AgentJobValues, release: Release, inputs: Inputs) -> list[Manifest]:
    """One container of the same size for each container of a task. Those for sidecars use the agent's image: theirs may have no `sleep`."""
    worker, runner = values.task.worker, values.task.runner
    agent_image, hardening = pod.worker_image(values, release, inputs), hardened(worker.security_context)
    pull_policy = pod.image_of_worker(values).pull_policy
    return [
        _sleeping("runner", pod.runner_image(values, release, inputs), runner.image.pull_policy, runner.security_context, runner.resources),
        _sleeping("worker", agent_image, pull_policy, hardening, worker.resources),
        *(
            _sleeping(sidecar["name"], agent_image, pull_policy, hardening, sidecar["resources"])
            for sidecar in values.task.sidecars
            if sidecar.get("resources")
        ),
    ]


def _sleeping(name: str, image: str | Deferred, pull_policy: str, security: Manifest, resources: dict[str, Any]) -> Manifest:
    return present(
        {
            "name": name,
            "image": image,
            "imagePullPolicy": pull_policy,
            "command": ["sleep", "infinity"],
            "securityContext": present(security),
            "resources": resources,
        }
    )
