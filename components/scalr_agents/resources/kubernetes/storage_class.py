"""Caches that a CSI driver provisions: the components `CacheStorageClass` and `StorageClassClaim`, and what a stack makes of them."""

from typing import Any

import pulumi

from scalr_agents.caches.storage_class import (
    StorageClassClaimSettings,
    StorageClassKind,
    StorageClassSettings,
    claim_manifests,
    class_manifest,
)
from scalr_agents.resources.arguments.caches import CacheStorageClassArgs, StorageClassClaimArgs
from scalr_agents.resources.component import Component
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.outputs import deferred, detached, known_after
from scalr_agents.resources.validation import validate, with_text
from scalr_agents.stack.caches import Claim

_PROVISIONING = pulumi.CustomTimeouts(create="1200s")
"""Time that a driver may take to create a file system: some need minutes."""


class CacheStorageClass(Component):
    """A StorageClass whose volumes agents' pods can share and write to. Create it once per cluster."""

    storage_class_name: pulumi.Output[str]
    """Name of the StorageClass."""

    def __init__(self, name: str, args: CacheStorageClassArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("CacheStorageClass", name, StorageClassSettings, args)
        super().__init__("scalr-agents:index:CacheStorageClass", name, {}, opts)

        manifest = class_manifest(settings, keep=settings.on_delete == "keep")
        created = objects.register({"storage-class": manifest}, self, name, opts)["storage-class"]
        self.storage_class_name = known_after(created, settings.storage_class_name)
        self.publish()


class StorageClassClaim(Component):
    """A PersistentVolumeClaim for an agent's cache, with a volume that a CSI driver provisions."""

    claim_name: pulumi.Output[str]
    """Name of the claim. Pass it to an agent as `claim_name`."""

    def __init__(self, name: str, args: StorageClassClaimArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("StorageClassClaim", name, StorageClassClaimSettings, args)
        super().__init__("scalr-agents:index:StorageClassClaim", name, {}, opts)
        settings = with_text(self, name, settings)

        class_name, made = detached(settings.storage_class_name)
        group = claim_manifests(
            settings.release,
            settings.namespace,
            storage_class_name=deferred(class_name),
            storage=settings.storage,
            access_mode=settings.access_mode,
        )
        keep = settings.on_delete == "keep"
        after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=made))
        claim = objects.register(group, self, name, after, retain=keep, claim_timeouts=_PROVISIONING)["claim"]
        # A claim that is kept is never deleted, so its users need not be either: they depend on the component, which is not replaced.
        self.mounts: list[pulumi.Resource] = [self if keep else claim]
        self.claim_name = known_after(claim, group["claim"]["metadata"]["name"])
        self.publish()


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
