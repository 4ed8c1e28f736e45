"""Cross-checks of agent-job about what keeps nodes ready for its tasks: placeholders, and the owner of the cache's directory."""

from scalr_agents.release import Release
from scalr_agents.values import checks
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.checks import Findings, error, warning
from scalr_agents.values.fields import is_deferred
from scalr_agents.values.merge import merge

_SYSTEM = "system-"
"""Only Kubernetes itself may give a PriorityClass a name that begins so."""


def check(values: AgentJobValues, release: Release) -> Findings:
    yield from _buffer(values, release)
    yield from _preparation(values)


def _buffer(values: AgentJobValues, release: Release) -> Findings:
    task, own = values.task, release.names.buffer_priority
    if task.buffer.replicas and not (task.worker.resources or task.runner.resources):
        yield warning("task.buffer.replicas", "the placeholders keep no room: task.runner.resources and task.worker.resources are empty")
    if task.buffer.priority_class_name and not task.buffer.replicas:
        yield warning("task.buffer.priorityClassName", "has no effect: task.buffer.replicas is 0")
    if task.buffer.replicas and not task.buffer.priority_class_name and own.startswith(_SYSTEM):
        yield error(
            "task.buffer.priorityClassName", f"needed here: the one made for it would be {own!r}, and Kubernetes reserves {_SYSTEM}*"
        )


def _preparation(values: AgentJobValues) -> Findings:
    cache, path = values.persistence.cache, "persistence.cache.hostPath.preparation"
    settings = cache.host_path.preparation
    yield from checks.resources(f"{path}.resources", settings.resources)
    if not settings.enabled:
        return
    if not (cache.enabled and cache.host_path.path):
        yield error(f"{path}.enabled", "prepares nothing without cache.enabled and hostPath.path")
    if not settings.image.tag:
        yield error(f"{path}.image.tag", "empty: the image has no versions of the agent; name one, or leave it out")
    yield from checks.image_tag(f"{path}.image.tag", settings.image.tag)
    task = values.task
    context = merge(merge(values.global_.pod_security_context, task.pod_security_context), task.worker.security_context)
    for key in ("runAsUser", "runAsGroup", "fsGroup"):
        if is_deferred(context.get(key)):
            yield error(f"{path}.enabled", f"{key} of the worker must be known before deployment: the directory is given to it")
