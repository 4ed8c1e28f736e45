"""Caches of a stack on Amazon EFS."""

from collections.abc import Mapping
from typing import cast

import pulumi

from scalr_agents.caches.efs import EfsKind
from scalr_agents.model.maps import is_set
from scalr_agents.resources.aws import efs_cache
from scalr_agents.resources.aws.efs_cache import EfsCache, EfsRequest
from scalr_agents.resources.aws.efs_claim import EfsClaim
from scalr_agents.stack.caches import Claim


def subject(settings: EfsKind) -> str:
    """What is looked up before anything is created: the EKS cluster."""
    return settings.eks_cluster


look_up = efs_cache.look_up


def file_system(name: str, settings: EfsKind, found: efs_cache.Network | None, *, keep: bool) -> EfsCache:
    """The file system of a cache."""
    return EfsCache.of(f"{name}-efs", EfsRequest(settings, keep, found))


def claim(name: str, request: Claim, settings: EfsKind, system: EfsCache, opts: pulumi.ResourceOptions, *, keep: bool) -> EfsClaim:
    """The access point, volume and claim of an agent. They hold no files of their own, so that `keep` does not matter."""
    del keep
    return EfsClaim(
        name,
        {
            "namespace": request.namespace,
            "release": request.release,
            "file_system_id": system.file_system_id,
            "uid": settings.uid,
            "gid": settings.gid,
            "iam": is_set(settings.driver_role),
            "zone": settings.zone,
            "tags": cast("Mapping[str, str]", settings.tags),
        },
        opts,
    )
