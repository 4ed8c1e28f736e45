"""The `EfsClaim` component."""

from typing import Any

import pulumi
from pulumi_aws import efs

from scalr_agents.caches.efs import EfsClaimSettings, volume_manifests
from scalr_agents.resources.arguments.caches import EfsClaimArgs
from scalr_agents.resources.component import Component, child
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.outputs import as_output, deferred
from scalr_agents.resources.validation import validate, with_text

_PERMISSIONS = "0775"


class EfsClaim(Component):
    """A PersistentVolumeClaim for an agent's own directory of an EFS file system.

    Creates an access point, a PersistentVolume and the claim. Use one for each agent, so that runs of one agent never execute files
    that another agent has cached. Files remain when the claim is deleted: a later claim with the same
    path gives access to them.
    """

    claim_name: pulumi.Output[str]
    """Name of the claim. Pass it to an agent as `claim_name`."""
    persistent_volume_name: pulumi.Output[str]
    """Name of the volume."""
    volume_handle: pulumi.Output[str]
    """Volume handle for the CSI driver, `<file system>::<access point>`."""

    def __init__(self, name: str, args: EfsClaimArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("EfsClaim", name, EfsClaimSettings, args)
        super().__init__("scalr-agents:index:EfsClaim", name, {}, opts)
        settings = with_text(self, name, settings)

        tags: dict[str, Any] = {"Name": f"{settings.namespace}-{settings.release}", **settings.tags}
        file_system = as_output(settings.file_system_id)
        access_point = efs.AccessPoint(
            f"{name}-access-point",
            file_system_id=file_system,
            posix_user={"uid": settings.uid, "gid": settings.gid},
            root_directory={
                "path": settings.directory,
                "creation_info": {"owner_uid": settings.uid, "owner_gid": settings.gid, "permissions": _PERMISSIONS},
            },
            tags=tags,
            opts=child(self, opts),
        )
        self.volume_handle = pulumi.Output.concat(file_system, "::", access_point.id)
        handle = deferred(self.volume_handle)
        volume = volume_manifests(settings.release, settings.namespace, handle, iam=settings.iam, zone=settings.zone)
        self.mounts, self.persistent_volume_name, self.claim_name = objects.register_volume(volume, self, name, opts)
        self.publish()
