"""Cross-checks of containers: images, users, mounts, environment, and the limits of their caches."""

import math
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.contract import DISK
from scalr_agents.charts.shared.values import Image, PodFields, Volume
from scalr_agents.model import quantities
from scalr_agents.model.checks import NO_REFERENCE, image_tag
from scalr_agents.model.findings import Findings, entry, error, nearest, warning
from scalr_agents.model.forms import is_dns_label, is_image
from scalr_agents.model.maps import is_deferred, is_set, lookup
from scalr_agents.model.quantities import MEBIBYTE
from scalr_agents.model.release import Line

SYSTEM_DIRECTORIES = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr", "/var/run")
"""Directories of the system, on nodes and in images."""
NO_REPOSITORY = "empty: set a repository, or remove the key"
_SWITCH = ("true", "false", "1", "0")
_ALLOWED = {
    "SCALR_AGENT_DEBUG": _SWITCH,
    "SCALR_AGENT_LOG_FORMAT": ("plain", "dev", "json"),
    "SCALR_AGENT_PROVIDER_CACHE_ENABLED": _SWITCH,
    "SCALR_AGENT_MODULE_CACHE_ENABLED": _SWITCH,
}
_VERSION_TAG = re.compile(r"\d+\.\d+\.\d+")


def image(path: str, settings: Image, line: Line) -> Findings:
    """An image that has a repository of its own."""
    if not settings.repository:
        yield error(f"{path}.repository", NO_REPOSITORY)
    yield from tag(f"{path}.tag", settings.repository, settings.tag, line)


def tag(path: str, repository: str, given: str, line: Line) -> Findings:
    """The tag of an agent's image, which may be in a mirror."""
    yield from image_tag(path, given)
    own = repository.rpartition("/")[2] in ("", "agent", "agent-runner")
    if own and _VERSION_TAG.match(given) and not line.covers(given):
        yield warning(
            path,
            f"{given} does not belong to this contract line ({line.chart} for agents {line.versions}); set the agent version "
            "to select another line, because the tag selects only the image",
        )


def added_images(path: str, items: Sequence[Mapping[str, Any]]) -> Findings:
    """The images of containers that a user adds."""
    for index, container in enumerate(items):
        image = container.get("image")
        if not is_set(image):
            yield error(f"{path}[{index}].image", "missing; set the image of the container")
        elif isinstance(image, str) and not is_image(image):
            yield error(f"{path}[{index}].image", NO_REFERENCE)


def host_users(path: str, values: PodFields, volumes: Mapping[str, Volume]) -> Findings:
    """A user namespace together with claims that many nodes can mount, which are on NFS nearly everywhere."""
    shared = [at for at, volume in volumes.items() if volume.enabled and volume.persistent_volume_claim.access_mode == "ReadWriteMany"]
    if not values.host_users and shared:
        yield warning(
            path,
            f"false, but {shared[0]} is on a ReadWriteMany claim: NFS cannot map the ids of a user namespace, so on EFS, Filestore and "
            "other NFS the pods do not start; remove it, or use another kind of volume",
        )


def disk(resources: Mapping[str, Mapping[str, Any]], volumes: Iterable[Volume]) -> Findings:
    """A limit for the disk with which a pod is evicted before its emptyDirs are full. `resources` are those of its containers, by path."""
    limits: dict[str, Any] = {path: lookup(given, "limits", DISK) for path, given in resources.items()}
    own = {path: quantities.parse(limit) for path, limit in limits.items() if quantities.is_quantity(limit)}
    on_disk = [volume.empty_dir for volume in volumes if not volume.enabled and volume.empty_dir.get("medium") != "Memory"]
    written: list[Any] = [empty_dir.get("sizeLimit") for empty_dir in on_disk]
    sizes = [quantities.parse(size) for size in written if quantities.is_quantity(size)]
    if own and sum(own.values()) < sum(sizes):
        path = next(iter(own))
        yield warning(
            f"{path}.limits.{DISK}",
            f"the containers' limits for the disk add up to less than those of the pod's volumes ({math.ceil(sum(sizes) / MEBIBYTE)}Mi), "
            "so the pod is evicted before these are full; raise the limit, or lower emptyDir.sizeLimit",
        )


def security_context(path: str, settings: Mapping[str, Any], pod: Mapping[str, Any]) -> Findings:
    """A container's securityContext together with its pod's: combinations that never start."""
    effective = {**pod, **settings}
    if effective.get("runAsUser") == 0 and effective.get("runAsNonRoot") is True:
        yield error(
            f"{path}.runAsUser", "0 (here or for the pod) while runAsNonRoot is true: the container would never start; set another user"
        )


def names_in(items: Sequence[Mapping[str, Any]]) -> list[str]:
    return [item["name"] for item in items if isinstance(item["name"], str)]


def additions(path: str, items: Sequence[Mapping[str, Any]], taken: Mapping[str, str], what: str) -> Findings:
    """Additional containers or volumes: each needs a valid name that is not in use."""
    seen = dict(taken)
    for index, item in enumerate(items):
        name = item["name"]
        if is_deferred(name):
            continue
        if not is_dns_label(name):
            yield error(f"{path}[{index}].name", f"not a valid name for a {what}: use at most 63 lower case letters, digits and '-'")
        elif name in seen:
            yield error(f"{path}[{index}].name", f"{name!r} is already used by {seen[name]}")
        else:
            seen[name] = f"{path}[{index}]"


def mounts(path: str, items: Sequence[Mapping[str, Any]], volumes: Sequence[str], taken: Mapping[str, str], *, added: str) -> Findings:
    """Additional volume mounts: the volume must exist, and the path must be free. `added` is the value that adds volumes."""
    seen, known = {posixpath.normpath(directory): owner for directory, owner in taken.items()}, {*volumes}
    for index, mount in enumerate(items):
        volume, directory = mount["name"], mount["mountPath"]
        if isinstance(volume, str) and volume not in known:
            yield error(f"{path}[{index}].name", f"no volume {volume!r}; {nearest(volume, volumes)}", presumes=(added,))
        if is_deferred(directory):
            continue
        if not directory.startswith("/"):
            yield error(f"{path}[{index}].mountPath", "not an absolute path")
        elif (normal := posixpath.normpath(directory)) in seen:
            yield error(f"{path}[{index}].mountPath", f"{directory} is already used by {seen[normal]}")
        else:
            seen[normal] = f"{path}[{index}]"


def directories(given: Mapping[str, str], taken: Mapping[str, str]) -> Findings:
    """The agent's directories, by path of the value. Each is a volume, so that its path must be free."""
    seen = dict(taken)
    for path, directory in given.items():
        if directory in seen:
            message = f"{directory} is already used by {seen[directory]}, and two volumes cannot be mounted on one path; use another path"
            yield error(path, message)
        seen[directory] = path


def environment(path: str, given: Mapping[str, object], own: Mapping[str, str | None]) -> Findings:
    """Additional variables. They override ours, which is a warning, because there is a better place to set them."""
    for name, value in given.items():
        place = own.get(name)
        allowed = _ALLOWED.get(name)
        if allowed and isinstance(value, str) and value not in allowed:
            yield error(entry(path, name), f"allowed: {', '.join(allowed)}")
        elif name == "SCALR_AGENT_TOKEN" and isinstance(value, str):
            yield warning(entry(path, name), f"puts the token into the pod in plain text; use {place}, which becomes a Secret")
        elif place is not None:
            yield warning(entry(path, name), f"overrides the variable of {place}; set that value instead")
        elif name in own:
            yield warning(entry(path, name), "overrides a variable that is part of the contract between controller and agent; remove it")


def switch(path: str, value: str) -> Findings:
    if value not in _SWITCH:
        yield error(path, f"allowed: {', '.join(_SWITCH)}")
