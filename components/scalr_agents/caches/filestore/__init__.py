"""Google Filestore: an instance with one share, which the agents of a namespace mount."""

from scalr_agents.caches.filestore.checks import check, check_claim, check_name
from scalr_agents.caches.filestore.settings import (
    ConnectMode,
    ExportOption,
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
    "TIERS",
    "ConnectMode",
    "ExportOption",
    "FilestoreClaimSettings",
    "FilestoreSettings",
    "Protocol",
    "ShareAccess",
    "SquashMode",
    "Tier",
    "check",
    "check_claim",
    "check_name",
    "instance_parts",
    "network",
    "volume_handle",
    "volume_manifests",
]
