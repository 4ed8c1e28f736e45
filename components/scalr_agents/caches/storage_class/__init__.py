"""Caches provisioned by a CSI driver: a StorageClass for a known driver, and a claim on any class."""

from scalr_agents.caches.storage_class.claim import claim_manifests, class_manifest, parameters
from scalr_agents.caches.storage_class.settings import StorageClassClaimSettings, StorageClassSettings

__all__ = [
    "StorageClassClaimSettings",
    "StorageClassSettings",
    "claim_manifests",
    "class_manifest",
    "parameters",
]
