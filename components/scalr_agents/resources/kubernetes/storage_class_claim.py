"""The `StorageClassClaim` component."""

import pulumi

from scalr_agents.caches.storage_class.claim import claim_manifests
from scalr_agents.caches.storage_class.settings import StorageClassClaimSettings
from scalr_agents.resources.arguments.caches import StorageClassClaimArgs
from scalr_agents.resources.component import Component
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.options import deferred, detached, known_after
from scalr_agents.resources.validation import validate, with_text

_PROVISIONING = pulumi.CustomTimeouts(create="1200s")
"""Time that a driver may take to create a file system: some need minutes."""


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
