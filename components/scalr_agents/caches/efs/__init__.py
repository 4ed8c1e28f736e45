"""Amazon EFS: a file system in which each agent mounts a directory of its own."""

from scalr_agents.caches.efs.checks import check, check_claim, check_driver
from scalr_agents.caches.efs.settings import EfsClaimSettings, EfsCsiDriverSettings, EfsSettings, ThroughputMode
from scalr_agents.caches.efs.volume import volume_manifests

__all__ = [
    "EfsClaimSettings",
    "EfsCsiDriverSettings",
    "EfsSettings",
    "ThroughputMode",
    "check",
    "check_claim",
    "check_driver",
    "volume_manifests",
]
