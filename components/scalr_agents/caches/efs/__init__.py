"""Amazon EFS: a file system in which each agent mounts a directory of its own."""

from scalr_agents.caches.efs.settings import EfsArguments, EfsClaimSettings, EfsClients, EfsCsiDriverSettings, EfsSettings
from scalr_agents.caches.efs.volume import volume_manifests

__all__ = ["EfsArguments", "EfsClaimSettings", "EfsClients", "EfsCsiDriverSettings", "EfsSettings", "volume_manifests"]
