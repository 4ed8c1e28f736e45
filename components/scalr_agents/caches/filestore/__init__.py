"""Google Filestore: an instance with one share, which the agents of a namespace mount."""

from scalr_agents.caches.filestore.settings import (
    INSTANCE_NAME,
    ExportOption,
    FilestoreArguments,
    FilestoreClaimSettings,
    FilestoreSettings,
    instance_parts,
    network,
)
from scalr_agents.caches.filestore.tiers import TIERS
from scalr_agents.caches.filestore.volume import volume_handle, volume_manifests

__all__ = [
    "INSTANCE_NAME",
    "TIERS",
    "ExportOption",
    "FilestoreArguments",
    "FilestoreClaimSettings",
    "FilestoreSettings",
    "instance_parts",
    "network",
    "volume_handle",
    "volume_manifests",
]
