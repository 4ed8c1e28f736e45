"""Google Filestore: an instance with one share, which the agents of a namespace mount."""

from scalr_agents.caches.filestore.settings import (
    INSTANCE_NAME,
    ConnectMode,
    ExportOption,
    FilestoreArguments,
    FilestoreClaimSettings,
    FilestoreSettings,
    ShareAccess,
    SquashMode,
    instance_parts,
    network,
)
from scalr_agents.caches.filestore.tiers import TIERS, Protocol, Tier
from scalr_agents.caches.filestore.volume import volume_handle, volume_manifests

__all__ = [
    "INSTANCE_NAME",
    "TIERS",
    "ConnectMode",
    "ExportOption",
    "FilestoreArguments",
    "FilestoreClaimSettings",
    "FilestoreSettings",
    "Protocol",
    "ShareAccess",
    "SquashMode",
    "Tier",
    "instance_parts",
    "network",
    "volume_handle",
    "volume_manifests",
]
