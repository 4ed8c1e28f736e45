"""Cross-checks of tasks: their budget and deadline, volumes and caches, what a user adds to their pods, images, and their nodes."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from pydantic.alias_generators import to_camel

from scalr_agents.charts.agent_job import task
from scalr_agents.charts.agent_job.pod_values import UNEVICTABLE
from scalr_agents.charts.agent_job.values import CacheLimit
from scalr_agents.charts.agent_job.versions import Job
from scalr_agents.charts.shared import containers, contract
from scalr_agents.charts.shared.values import Volume
from scalr_agents.model import checks, quantities
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import integral
from scalr_agents.model.maps import is_set, merge

_ALL = 100
_NO_TAG = "empty: this image is not versioned with the agent; set a tag, or remove the key"
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


def budget(agent: Job) -> Findings:
    """What a budget of Jobs cannot say."""
    limits = agent.values.task.pod_disruption_budget
    if limits.max_unavailable not in (None, 0):
        yield error(
            "task.podDisruptionBudget.maxUnavailable",
            "only 0 is allowed: Jobs have no scale, so the disruption controller cannot evaluate any other number "
            "(jobs.batch does not implement the scale subresource)",
        )
    if isinstance(limits.min_available, str):
        yield error(
            "task.podDisruptionBudget.minAvailable",
            f"percentages are not supported, because Jobs have no scale; give a whole number (default {UNEVICTABLE})",
        )


def deadline(agent: Job) -> Findings:
    """The end of a run that hangs."""
    path, seconds = "task.job.activeDeadlineSeconds", agent.values.task.job.active_deadline_seconds
    if seconds is None and agent.values.task.pod_disruption_budget.enabled:
        yield warning(
            path,
            "not set: a run that hangs blocks the drain of its node forever; set the longest time that a run may take, for instance 14400",
        )
    elif seconds == 0:
        yield error(path, "0 ends every task before it starts; remove the key for no deadline")


def volumes(agent: Job) -> Findings:
    """Data and cache: the limits of the caches, the volume that they must fit, and sizes."""
    settings, data, cache, path = agent.values.agent, agent.values.persistence.data, agent.values.persistence.cache, "persistence.cache"
    claim = cache.persistent_volume_claim
    try:
        quantities.megabytes(settings.binary_cache.size_limit)
    except ValueError as problem:
        yield error("agent.binaryCache.sizeLimit", str(problem))
    limits = {"agent.providerCache": settings.provider_cache, "agent.moduleCache": settings.module_cache}
    if cache.host_path.path and not cache.enabled:
        yield warning(f"{path}.hostPath.path", f"has no effect: {path}.enabled is false")
    elif cache.is_on_node and is_set(claim.claim_name):
        yield warning(f"{path}.persistentVolumeClaim.claimName", f"has no effect: {path}.hostPath.path is set and takes precedence")
    elif not cache.enabled:
        yield from _limits(limits, f"{path}.emptyDir.sizeLimit", cache.empty_dir.get("sizeLimit"))
    elif not cache.is_on_node:
        existing = is_set(claim.claim_name)
        yield from _limits(limits, f"{path}.persistentVolumeClaim.storage", None if existing else claim.storage)
        if not existing and claim.access_mode != "ReadWriteMany":
            yield warning(
                f"{path}.persistentVolumeClaim.accessMode",
                f"{claim.access_mode}, but the controllers and all task pods mount the cache: "
                "tasks can then run only on the controller's node, or not at all; use ReadWriteMany",
            )
    if data.enabled:
        yield warning(
            "persistence.data.enabled",
            "all runs share one claim and the same directories in it, so only one run at a time is safe; use the emptyDir",
        )
    every: dict[str, Volume] = {"persistence.data": data, path: cache}
    for here, volume in every.items():
        yield from checks.quantity(f"{here}.emptyDir.sizeLimit", volume.empty_dir.get("sizeLimit"))
        yield from checks.quantity(f"{here}.persistentVolumeClaim.storage", volume.persistent_volume_claim.storage)


def _limits(limits: Mapping[str, CacheLimit], volume_path: str, volume: object) -> Findings:
    """Sizes of the enabled caches: suffixes that the agent accepts, and enough room on the volume for all of them."""
    enabled = {f"{path}.sizeLimit": limit.size_limit for path, limit in limits.items() if limit.enabled}
    megabytes = 0
    for path, size in enabled.items():
        try:
            megabytes += quantities.megabytes(size)
        except ValueError as problem:
            yield error(path, str(problem))
    if enabled and quantities.is_quantity(volume) and megabytes * quantities.MEBIBYTE > quantities.parse(str(volume)):
        yield warning(
            next(iter(enabled)),
            f"caches may grow to {megabytes} MB ({' and '.join(enabled)}), but the size of their volume ({volume_path}) is {volume}: "
            "it fills up before the agent removes anything, and the pod is evicted; lower the limits or enlarge the volume",
        )


def processes(agent: Job) -> Findings:
    """Users of containers, also of the controller's, and the memory at which a run is stopped."""
    values, runner = agent.values, agent.values.task.runner
    controllers = merge(values.global_.pod_security_context, values.agent.pod_security_context)
    for path, container, pod in (
        ("agent.controller.securityContext", values.agent.controller.security_context, controllers),
        ("task.worker.securityContext", values.task.worker.security_context, values.task_security_context),
        ("task.runner.securityContext", runner.security_context, values.task_security_context),
    ):
        yield from containers.security_context(path, container, pod)
    for key in ("memory_soft_limit_percent", "memory_warn_percent"):
        percent = getattr(runner, key)
        if percent is not None and not 0 < percent <= _ALL:
            yield error(f"task.runner.{to_camel(key)}", f"given {percent}, which is not a percentage above 0")


def additions(agent: Job) -> Findings:
    """Volumes, mounts and containers that a user adds to the existing ones."""
    settings, given, persistence = agent.values.agent, agent.values.task, agent.values.persistence
    own = [volume["name"] for volume in (*task.own_volumes(agent), *task.pod_info(agent))]
    added, known = "task.extraVolumes", own + containers.names_in(given.extra_volumes)
    yield from containers.additions(added, given.extra_volumes, dict.fromkeys(own, "the agent"), "volume")
    yield from containers.additions("task.sidecars", given.sidecars, dict.fromkeys(("runner", "worker"), "the agent"), "container")
    for path, mounts, taken in (
        ("task.runner.extraVolumeMounts", given.runner.extra_volume_mounts, task.runner_mounts(agent)),
        ("task.worker.extraVolumeMounts", given.worker.extra_volume_mounts, task.worker_mounts(agent)),
    ):
        yield from containers.mounts(path, mounts, known, {mount["mountPath"]: "the agent" for mount in taken}, added=added)
    yield from containers.added_images("agent.initContainers", settings.init_containers)
    yield from containers.added_images("task.initContainers", given.init_containers)
    yield from containers.added_images("task.sidecars", given.sidecars)
    for index, sidecar in enumerate(given.sidecars):
        here = f"task.sidecars[{index}]"
        if isinstance(context := sidecar.get("securityContext", {}), dict):
            yield from containers.security_context(f"{here}.securityContext", context, agent.values.task_security_context)
        if isinstance(mounted := sidecar.get("volumeMounts"), list):
            mounts = [mount for mount in mounted if isinstance(mount, dict)]
            yield from containers.mounts(f"{here}.volumeMounts", mounts, known, {}, added=added)
    cache = {"persistence.cache": persistence.cache_of_controllers}
    yield from containers.host_users("task.hostUsers", given, {"persistence.data": persistence.data, **cache})
    yield from containers.host_users("agent.hostUsers", settings, cache)
    resources = {"task.runner.resources": given.runner.resources, "task.worker.resources": given.worker.resources}
    yield from containers.disk(resources, (persistence.data, persistence.cache))
    directories = {"agent.dataDir": settings.data_dir, "agent.cacheDir": settings.cache_dir}
    paths = [contract.SERVICE_ACCOUNT_DIR, *(mount["mountPath"] for mount in task.process_mounts(agent))]
    yield from containers.directories(directories, dict.fromkeys(paths, "the agent"))


def images(agent: Job) -> Findings:
    """The images of agent, worker and runner."""
    line, inputs, worker, runner = agent.release.line, agent.inputs, agent.values.task.worker.image, agent.values.task.runner.image
    if inputs.runner_image is None and not runner.tag and not agent.row.runner_with_agent:
        yield error("task.runner.image.tag", _NO_TAG)
    if inputs.agent_image is None:
        yield from containers.image("agent.image", agent.values.agent.image, line)
        yield from containers.tag("task.worker.image.tag", worker.repository, worker.tag, line)
    if inputs.runner_image is None:
        yield from containers.image("task.runner.image", runner, line)
    yield from checks.image_reference("agent_image", inputs.agent_image)
    yield from checks.image_reference("runner_image", inputs.runner_image)


def buffer(agent: Job) -> Findings:
    """The placeholders."""
    settings, own = agent.values.task, agent.names.buffer_priority
    is_used, given = settings.buffer.replicas != 0, settings.buffer.priority_class_name
    if is_used and not (settings.worker.resources or settings.runner.resources):
        yield warning(
            "task.buffer.replicas",
            "has no effect: task.runner.resources and task.worker.resources are empty, so the placeholders reserve no room; set requests",
        )
    if given and not is_used:
        yield warning("task.buffer.priorityClassName", "has no effect: task.buffer.replicas is 0")
    if is_used and not given and own.startswith(_RESERVED):
        yield error(
            "task.buffer.priorityClassName",
            f"required: the created PriorityClass would be named {own!r}, and Kubernetes reserves {_RESERVED}*; set an existing one",
        )


def preparation(agent: Job) -> Findings:
    """The preparation of the cache directory, which changes the owner of everything in it."""
    cache, path = agent.values.persistence.cache, "persistence.cache.hostPath.preparation"
    settings, directory = cache.host_path.preparation, cache.host_path.path
    if not settings.enabled:
        return
    if not cache.is_on_node:
        yield error(f"{path}.enabled", "requires persistence.cache.enabled and persistence.cache.hostPath.path")
    if not settings.image.repository:
        yield error(f"{path}.image.repository", containers.NO_REPOSITORY)
    if not settings.image.tag:
        yield error(f"{path}.image.tag", _NO_TAG)
    yield from checks.image_tag(f"{path}.image.tag", settings.image.tag)
    context = merge(agent.values.task_security_context, agent.values.task.worker.security_context)
    for key in ("runAsUser", "runAsGroup", "fsGroup"):
        number = integral(context.get(key, 0))
        if not isinstance(number, int) or isinstance(number, bool):
            yield error(
                f"{path}.enabled",
                f"{key} of the worker must be a whole number that is known before deployment, "
                "because it becomes the owner of the directory",
            )
    normal = PurePosixPath("/", directory.lstrip("/"))
    if directory and (str(normal) in _SHARED or any(normal.is_relative_to(tree) for tree in _SYSTEM)):
        yield error(
            "persistence.cache.hostPath.path",
            f"{directory} is a system directory: preparing it would change the owner of everything in it; use a dedicated directory",
        )
