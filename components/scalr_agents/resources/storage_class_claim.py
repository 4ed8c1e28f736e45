"""The `StorageClassClaim` component."""

from typing import NotRequired, TypedDict

import pulumi

from scalr_agents.caches import OnDelete, storage_class
from scalr_agents.caches import volumes as cache_volumes
from scalr_agents.resources import kubernetes, literals
from scalr_agents.resources.component import Component
from scalr_agents.resources.options import deferred, detached, known_after
from scalr_agents.resources.validation import validate

_PROVISIONING = pulumi.CustomTimeouts(create="1200s")
"""What a driver may take for a file system: Filestore needs minutes."""


class StorageClassClaimArgs(TypedDict):
    """Arguments of `StorageClassClaim`."""

    namespace: str
    """Namespace of the agent; it must exist."""
    release: str
    """Release of the agent, from which the claim gets its name."""
    storage_class_name: pulumi.Input[str]
    """The class: output of a `CacheStorageClass`, or one that exists."""
    storage: NotRequired[str]
    """Size, a Kubernetes quantity. Default: `90Gi`."""
    access_mode: NotRequired[literals.AccessMode]
    """Default: `ReadWriteMany`, which a cache of several pods needs."""
    on_delete: NotRequired[literals.OnDelete]
    """`keep` (default) leaves the claim, and so its volume, when it leaves the program; `delete` removes it."""


class StorageClassClaim(Component):
    """A claim for an agent's cache that a CSI driver provisions."""

    persistent_volume_claim_name: pulumi.Output[str]
    """Name of the claim, for `cache_claim_name` of an agent."""

    def __init__(self, name: str, args: StorageClassClaimArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("StorageClassClaim", name, _Arguments, args, storage_class.check_claim)
        super().__init__("scalr-agents:index:StorageClassClaim", name, {}, opts)

        class_name, made = detached(settings.storage_class_name)
        group = cache_volumes.dynamic(
            settings.release,
            settings.namespace,
            storage_class_name=deferred(class_name),
            storage=settings.storage,
            access_mode=settings.access_mode,
        )
        keep = settings.on_delete == "keep"
        after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=made))
        claim = kubernetes.register(group, self, name, after, retain=keep, claim_timeouts=_PROVISIONING)["claim"]
        # A claim that is kept is never gone, and so nobody who mounts it has to be: a component is not replaced.
        self.mounts: list[pulumi.Resource] = [self if keep else claim]
        self.persistent_volume_claim_name = known_after(claim, group["claim"]["metadata"]["name"])
        self.publish()


class _Arguments(storage_class.StorageClassClaimSettings):
    on_delete: OnDelete = "keep"
