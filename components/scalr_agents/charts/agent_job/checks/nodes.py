"""Cross-checks of agent-job on what keeps nodes ready for tasks: placeholders, and the preparation of the cache directory."""

from pathlib import PurePosixPath

from scalr_agents.charts.agent_job import names
from scalr_agents.charts.agent_job.checks import images
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.checks import containers
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import integral
from scalr_agents.model.merge import merge
from scalr_agents.model.release import Release

_RESERVED = "system-"
"""Prefix of PriorityClass names that is reserved for Kubernetes."""
_OF_NODES = ("/root", "/var/lib/containerd", "/var/lib/docker", "/var/lib/etcd", "/var/lib/kubelet")
_SYSTEM = (*containers.SYSTEM_DIRECTORIES, *_OF_NODES)
"""System directories, with everything below them."""
_SHARED = (
    *("/", "/home", "/home/kubernetes", "/home/kubernetes/bin", "/media", "/mnt", "/mnt/disks", "/opt", "/srv", "/tmp"),
    *("/var", "/var/cache", "/var/lib", "/var/log", "/var/tmp"),
)
"""Directories that others share."""


def check(values: AgentJobValues, release: Release) -> Findings:
    yield from _buffer(values, release)
    yield from _preparation(values)


def _buffer(values: AgentJobValues, release: Release) -> Findings:
    task, own = values.task, names.of(release).buffer_priority
    is_used = task.buffer.replicas != 0
    if is_used and not (task.worker.resources or task.runner.resources):
        yield warning(
            "task.buffer.replicas",
            "has no effect: task.runner.resources and task.worker.resources are empty, so the placeholders reserve no room; set requests",
        )
    if task.buffer.priority_class_name and not is_used:
        yield warning("task.buffer.priorityClassName", "has no effect: task.buffer.replicas is 0")
    if is_used and not task.buffer.priority_class_name and own.startswith(_RESERVED):
        yield error(
            "task.buffer.priorityClassName",
            f"required: the created PriorityClass would be named {own!r}, and Kubernetes reserves {_RESERVED}*; set an existing one",
        )


def _preparation(values: AgentJobValues) -> Findings:
    cache, path = values.persistence.cache, "persistence.cache.hostPath.preparation"
    settings = cache.host_path.preparation
    if not settings.enabled:
        return
    if not (cache.enabled and cache.host_path.path):
        yield error(f"{path}.enabled", "requires persistence.cache.enabled and persistence.cache.hostPath.path")
    yield from images.of_others(f"{path}.image", settings.image)
    task = values.task
    context = merge(merge(values.global_.pod_security_context, task.pod_security_context), task.worker.security_context)
    for key in ("runAsUser", "runAsGroup", "fsGroup"):
        number = integral(context.get(key, 0))
        if not isinstance(number, int) or isinstance(number, bool):
            yield error(
                f"{path}.enabled",
                f"{key} of the worker must be a whole number that is known before deployment, "
                "because it becomes the owner of the directory",
            )
    yield from _directory("persistence.cache.hostPath.path", cache.host_path.path)


def _directory(path: str, directory: str) -> Findings:
    """Preparing a directory changes the owner of everything in it."""
    normal = PurePosixPath("/", directory.lstrip("/"))
    if directory and (str(normal) in _SHARED or any(normal.is_relative_to(tree) for tree in _SYSTEM)):
        yield error(
            path, f"{directory} is a system directory: preparing it would change the owner of everything in it; use a dedicated directory"
        )
