"""Cross-checks of agent-job about what keeps nodes ready for its tasks: placeholders, and the owner of the cache's directory."""

from pathlib import PurePosixPath

from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared import checks
from scalr_agents.charts.shared.checks import Findings
from scalr_agents.model.fields import integral
from scalr_agents.model.findings import error, warning
from scalr_agents.model.merge import merge
from scalr_agents.model.release import Release

_RESERVED = "system-"
"""Only Kubernetes itself may give a PriorityClass a name that begins so."""
_SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var/run"),
    *("/var/lib/containerd", "/var/lib/docker", "/var/lib/etcd", "/var/lib/kubelet"),
)
"""Directories of the node itself, with everything below."""
_SHARED = (
    *("/", "/home", "/home/kubernetes", "/home/kubernetes/bin", "/media", "/mnt", "/mnt/disks", "/opt", "/srv", "/tmp"),
    *("/var", "/var/cache", "/var/lib", "/var/log", "/var/tmp"),
)
"""Directories that others have something in."""


def check(values: AgentJobValues, release: Release) -> Findings:
    yield from _buffer(values, release)
    yield from _preparation(values)


def _buffer(values: AgentJobValues, release: Release) -> Findings:
    task, own = values.task, release.names.buffer_priority
    if task.buffer.replicas and not (task.worker.resources or task.runner.resources):
        yield warning("task.buffer.replicas", "the placeholders keep no room: task.runner.resources and task.worker.resources are empty")
    if task.buffer.priority_class_name and not task.buffer.replicas:
        yield warning("task.buffer.priorityClassName", "has no effect: task.buffer.replicas is 0")
    if task.buffer.replicas and not task.buffer.priority_class_name and own.startswith(_RESERVED):
        yield error(
            "task.buffer.priorityClassName", f"needed here: the one made for it would be {own!r}, and Kubernetes reserves {_RESERVED}*"
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
        number = integral(context.get(key, 0))
        if not isinstance(number, int) or isinstance(number, bool):
            yield error(f"{path}.enabled", f"{key} of the worker must be a whole number and known before deployment: it owns the directory")
    yield from _directory("persistence.cache.hostPath.path", cache.host_path.path)


def _directory(path: str, directory: str) -> Findings:
    """What is prepared changes its owner with all that is in it."""
    normal = PurePosixPath("/", directory.lstrip("/"))
    if directory and (str(normal) in _SHARED or any(normal.is_relative_to(tree) for tree in _SYSTEM)):
        yield error(path, f"{directory} is the node's, and would be given away with all that is in it; name a directory of the cache's own")
