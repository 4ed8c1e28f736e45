"""Caches of a stack that a CSI driver provisions."""

from typing import Any

import pulumi

from scalr_agents.caches.storage_class.kind import StorageClassKind
from scalr_agents.resources.kubernetes.storage_class_claim import StorageClassClaim
from scalr_agents.stack.caches import Claim


def subject(_settings: StorageClassKind) -> str:
    """Nothing is looked up."""
    return ""


def file_system(_name: str, _settings: StorageClassKind, _found: Any, *, keep: bool) -> None:
    """The driver makes the file system."""
    del keep


def claim(
    name: str, request: Claim, settings: StorageClassKind, _system: None, opts: pulumi.ResourceOptions, *, keep: bool
) -> StorageClassClaim:
    """The claim of an agent."""
    return StorageClassClaim(
        name,
        {
            "namespace": request.namespace,
            "release": request.release,
            "storage_class_name": settings.name,
            "storage": settings.storage,
            "access_mode": settings.access_mode,
            "on_delete": "keep" if keep else "delete",
        },
        opts,
    )
