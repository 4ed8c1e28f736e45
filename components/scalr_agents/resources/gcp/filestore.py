"""Caches of a stack on Google Filestore."""

import pulumi
from pulumi_gcp import filestore

from scalr_agents.caches.filestore.kind import FilestoreKind
from scalr_agents.resources.gcp import filestore_cache
from scalr_agents.resources.gcp.filestore_cache import FilestoreCache, FilestoreRequest
from scalr_agents.resources.gcp.filestore_claim import FilestoreClaim
from scalr_agents.stack.caches import Claim


def subject(settings: FilestoreKind) -> str:
    """What is looked up before anything is created: an existing instance."""
    return str(settings.instance_id)


look_up = filestore_cache.look_up


def file_system(name: str, settings: FilestoreKind, found: filestore.GetInstanceResult | None, *, keep: bool) -> FilestoreCache:
    """The instance of a cache."""
    return FilestoreCache.of(f"{name}-filestore", FilestoreRequest(settings, keep, found))


def claim(
    name: str, request: Claim, _settings: FilestoreKind, system: FilestoreCache, opts: pulumi.ResourceOptions, *, keep: bool
) -> FilestoreClaim:
    """The volume and the claim that all agents of a cache mount. They hold no files of their own, so that `keep` does not matter."""
    del keep
    return FilestoreClaim(
        name,
        {
            "namespace": request.namespace,
            "release": request.release,
            "instance_id": system.instance_id,
            "ip_address": system.ip_address,
            "share_name": system.share_name,
            "capacity": system.capacity,
            "protocol": system.protocol,
        },
        opts,
    )
