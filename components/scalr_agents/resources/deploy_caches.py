"""Registers the caches of a stack: file systems in the cloud, and the claims that agents mount.

The SDK of a cloud is imported only if the stack has a cache on that cloud.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pulumi

from scalr_agents.caches.filestore import FilestoreSettings
from scalr_agents.model.findings import Finding
from scalr_agents.model.forms import is_set
from scalr_agents.model.spelling import in_stack_files
from scalr_agents.resources.kubernetes.storage_class_claim import StorageClassClaim
from scalr_agents.resources.validation import ArgsError
from scalr_agents.stack.cache_model import CacheEntry, EfsEntry, StorageClassEntry
from scalr_agents.stack.caches import Claim
from scalr_agents.stack.model import PREFIX

if TYPE_CHECKING:
    from scalr_agents.resources.aws.efs_cache import EfsCache
    from scalr_agents.resources.aws.efs_claim import EfsClaim
    from scalr_agents.resources.gcp.filestore_cache import FilestoreCache
    from scalr_agents.resources.gcp.filestore_claim import FilestoreClaim


Found = Mapping[str, Any]
"""Results of lookups for caches, by the cache's name."""


def look_up(entries: Mapping[str, CacheEntry]) -> Found:
    """Look up all existing resources that caches name, before anything is created. Raises `ArgsError` with every failed lookup."""
    known: dict[str, Any] = {}
    found: dict[str, Any] = {}
    missing: list[Finding] = []
    for name, entry in entries.items():
        subject = _named(entry)
        if not subject:
            continue
        try:
            found[name] = known[subject] = known[subject] if subject in known else _look_up(name, entry)
        except ArgsError as problem:
            place = (f"{PREFIX}:caches", name, "efs" if entry.efs else "filestore")
            missing += [replace(finding, at=(*place, in_stack_files(finding.path))) for finding in problem.findings]
    if missing:
        raise ArgsError(f"stack {pulumi.get_stack()!r}", missing)
    return found


def _named(entry: CacheEntry) -> str:
    """The EKS cluster or the Filestore instance that a cache names."""
    return str(entry.efs.eks_cluster if entry.efs else entry.filestore.instance_id if entry.filestore else "")


def _look_up(name: str, entry: CacheEntry) -> Any:
    if entry.efs:
        from scalr_agents.resources.aws import efs_cache

        return efs_cache.look_up(entry.efs.eks_cluster, name)
    from scalr_agents.resources.gcp import filestore_cache

    return filestore_cache.look_up(_named(entry), name)


def file_system(name: str, entry: CacheEntry, found: Found) -> "EfsCache | FilestoreCache | None":
    """The cloud file system of a cache, if it has one."""
    keep, known = entry.on_delete == "keep", found.get(name)
    if entry.efs:
        from scalr_agents.resources.aws.efs_cache import EfsCache, WantedEfs

        return EfsCache.of(f"{name}-efs", WantedEfs(entry.efs, keep, known))
    if entry.filestore:
        from scalr_agents.resources.gcp.filestore_cache import FilestoreCache, WantedFilestore

        return FilestoreCache.of(f"{name}-filestore", WantedFilestore(entry.filestore, keep, known))
    return None


def claim(wanted: Claim, entry: CacheEntry, system: Any, opts: pulumi.ResourceOptions) -> "EfsClaim | FilestoreClaim | StorageClassClaim":
    """A claim of the stack."""
    name = f"{wanted.name}-cache"
    match wanted.content:
        case EfsEntry() as efs:
            from scalr_agents.resources.aws.efs_claim import EfsClaim

            return EfsClaim(
                name,
                {
                    "namespace": wanted.namespace,
                    "release": wanted.release,
                    "file_system_id": system.file_system_id,
                    "uid": efs.uid,
                    "gid": efs.gid,
                    "iam": is_set(efs.driver_role),
                    "tags": cast("Mapping[str, str]", efs.tags),
                },
                opts,
            )
        case FilestoreSettings():
            from scalr_agents.resources.gcp.filestore_claim import FilestoreClaim

            return FilestoreClaim(
                name,
                {
                    "namespace": wanted.namespace,
                    "release": wanted.release,
                    "instance_id": system.instance_id,
                    "ip_address": system.ip_address,
                    "share_name": system.share_name,
                    "capacity": system.capacity,
                    "protocol": system.protocol,
                },
                opts,
            )
        case StorageClassEntry() as dynamic:
            return StorageClassClaim(
                name,
                {
                    "namespace": wanted.namespace,
                    "release": wanted.release,
                    "storage_class_name": dynamic.name,
                    "storage": dynamic.storage,
                    "access_mode": dynamic.access_mode,
                    "on_delete": entry.on_delete,
                },
                opts,
            )
