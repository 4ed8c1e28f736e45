"""The `CacheStorageClass` component."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

import pulumi

from scalr_agents.caches import OnDelete, storage_class
from scalr_agents.resources import literals
from scalr_agents.resources.component import Component
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.options import known_after
from scalr_agents.resources.validation import validate


class CacheStorageClassArgs(TypedDict):
    """Arguments of `CacheStorageClass`."""

    storage_class_name: str
    """Name of the StorageClass."""
    provisioner: literals.Provisioner
    """CSI driver: `efs.csi.aws.com`, `filestore.csi.storage.gke.io` or `file.csi.azure.com` (Azure Files, always over NFS)."""
    parameters: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Parameters of the driver, by the driver's names. EFS requires `fileSystemId`. Default: for EFS, an access point for user and group
    1000 below `/scalr-agent-cache` for every claim; for Filestore, an instance of tier `basic_hdd` in the network `default`; for Azure
    Files, a share of SKU `Premium_LRS`."""
    on_delete: NotRequired[literals.OnDelete]
    """`keep` (default) keeps the volume when its claim is deleted (reclaim policy Retain), `delete` lets the driver delete it."""


class CacheStorageClass(Component):
    """A StorageClass whose volumes agents' pods can share and write to. Create it once per cluster."""

    storage_class_name: pulumi.Output[str]
    """Name of the StorageClass."""

    def __init__(self, name: str, args: CacheStorageClassArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("CacheStorageClass", name, _Arguments, args, storage_class.check_class)
        super().__init__("scalr-agents:index:CacheStorageClass", name, {}, opts)

        manifest = storage_class.class_manifest(settings, keep=settings.on_delete == "keep")
        created = objects.register({"storage-class": manifest}, self, name, opts)["storage-class"]
        self.storage_class_name = known_after(created, settings.storage_class_name)
        self.publish()


class _Arguments(storage_class.StorageClassSettings):
    on_delete: OnDelete = "keep"
