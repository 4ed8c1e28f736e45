"""The `FilestoreClaim` component."""

import pulumi

from scalr_agents.caches.filestore.kind import volume_handle, volume_manifests
from scalr_agents.caches.filestore.settings import FilestoreClaimSettings
from scalr_agents.resources.arguments.caches import FilestoreClaimArgs
from scalr_agents.resources.component import Component
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.outputs import as_output, deferred, parsed
from scalr_agents.resources.validation import validate, with_text


class FilestoreClaim(Component):
    """A PersistentVolumeClaim for the share of a Filestore instance, which the pods of one namespace mount.

    Create one for each instance: a node cannot mount two volumes with the same handle. Give each agent that shares it its own
    directory with value `persistence.cache.persistentVolumeClaim.subPath`. This separates files, but is no access control: whoever may
    create pods in the namespace can read and write the whole share. Use a separate instance for each trust domain.
    """

    claim_name: pulumi.Output[str]
    """Name of the claim. Pass it to agents as `claim_name`."""
    persistent_volume_name: pulumi.Output[str]
    """Name of the volume."""
    volume_handle: pulumi.Output[str]
    """Volume handle for the CSI driver, `modeInstance/<location>/<instance>/<share>`."""

    def __init__(self, name: str, args: FilestoreClaimArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("FilestoreClaim", name, FilestoreClaimSettings, args)
        super().__init__("scalr-agents:index:FilestoreClaim", name, {}, opts)
        settings = with_text(self, name, settings)

        known = pulumi.Output.all(as_output(settings.instance_id), as_output(settings.share_name))
        self.volume_handle = parsed(known, lambda parts: volume_handle(*parts))
        volume = volume_manifests(
            settings.release,
            settings.namespace,
            deferred(self.volume_handle),
            ip_address=settings.ip_address,
            share_name=settings.share_name,
            protocol=settings.protocol,
            capacity=settings.capacity,
        )
        self.mounts, self.persistent_volume_name, self.claim_name = objects.register_volume(volume, self, name, opts)
        self.publish()
