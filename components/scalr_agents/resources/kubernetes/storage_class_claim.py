"""The `StorageClassClaim` component."""

from typing import NotRequired, TypedDict

import pulumi

from scalr_agents.caches import OnDelete, storage_class
from scalr_agents.resources import literals
from scalr_agents.resources.component import Component
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.options import deferred, detached, known_after
from scalr_agents.resources.validation import validate, with_text

_PROVISIONING = pulumi.CustomTimeouts(create="1200s")
"""Time that a driver may take to create a file system: some need minutes."""


class StorageClassClaimArgs(TypedDict):
    """Arguments of `StorageClassClaim`."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: str
    """Release of the agent. The claim is named after it."""
    storage_class_name: pulumi.Input[str]
    """Name of the StorageClass: an output of a `CacheStorageClass`, or that of an existing one."""
    storage: NotRequired[str]
    """Size of the volume, a Kubernetes quantity. Default: `90Gi`."""
    access_mode: NotRequired[literals.AccessMode]
    """Access mode of the claim. Default: `ReadWriteMany`, which a cache that several pods mount needs."""
    on_delete: NotRequired[literals.OnDelete]
    """`keep` (default) keeps the claim and its volume when this component is removed, `delete` deletes the claim."""


class StorageClassClaim(Component):
    """A PersistentVolumeClaim for an agent's cache, with a volume that a CSI driver provisions."""

    persistent_volume_claim_name: pulumi.Output[str]
    """Name of the claim. Pass it to an agent as `cache_claim_name`."""

    def __init__(self, name: str, args: StorageClassClaimArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("StorageClassClaim", name, _Arguments, args, storage_class.check_claim)
        super().__init__("scalr-agents:index:StorageClassClaim", name, {}, opts)
        settings = with_text(self, name, settings, "storage_class_name")

        class_name, made = detached(settings.storage_class_name)
        group = storage_class.claim_manifests(
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
        self.persistent_volume_claim_name = known_after(claim, group["claim"]["metadata"]["name"])
        self.publish()


class _Arguments(storage_class.StorageClassClaimSettings):
    on_delete: OnDelete = "keep"
