"""The volume for the part of an EFS file system that an agent mounts, and the claim on it."""

from scalr_agents.caches import volumes
from scalr_agents.model.aws import EFS_DRIVER, EFS_MOUNT_OPTIONS
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred

_CAPACITY = "1Ti"
"""Kubernetes requires a size for every volume; EFS ignores it."""


def volume_manifests(release: str, namespace: str, handle: str | Deferred, *, iam: bool = False, zone: str = "") -> dict[str, Manifest]:
    """A volume for an access point of an EFS file system, and the claim on it.

    `handle` is `<file system>::<access point>`. The driver encrypts traffic by default. With `iam` it mounts with its IAM
    identity; without, it mounts anonymously. With `zone`, only nodes of that zone mount it, because others find no mount target.
    """
    csi = {"driver": EFS_DRIVER, "volumeHandle": handle}
    made = volumes.static_volume(release, namespace, csi, _CAPACITY, [*EFS_MOUNT_OPTIONS, "iam"] if iam else EFS_MOUNT_OPTIONS)
    return made | {"volume": volumes.in_zone(made["volume"], zone)} if zone else made
