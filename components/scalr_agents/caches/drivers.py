"""The CSI drivers of caches as data."""

from typing import Literal, NamedTuple

from scalr_agents.caches.volumes import OWNER
from scalr_agents.model.aws import EFS_DRIVER, EFS_MOUNT_OPTIONS

FILESTORE_DRIVER = "filestore.csi.storage.gke.io"
AZURE_FILES_DRIVER = "file.csi.azure.com"
Provisioner = Literal["efs.csi.aws.com", "filestore.csi.storage.gke.io", "file.csi.azure.com"]


class Driver(NamedTuple):
    """A CSI driver, and StorageClasses for it."""

    install: str
    """How to install it, if it is missing."""
    parameters: tuple[str, ...]
    defaults: dict[str, str]
    needed: tuple[str, ...] = ()
    mount_options: tuple[str, ...] = ()
    expands: bool = True
    """Whether its volumes can be made larger."""


DRIVERS = {
    EFS_DRIVER: Driver(
        install="Install the add-on aws-efs-csi-driver",
        parameters=(
            "provisioningMode",
            "fileSystemId",
            "directoryPerms",
            "uid",
            "gid",
            "gidRangeStart",
            "gidRangeEnd",
            "basePath",
            "subPathPattern",
            "ensureUniqueDirectory",
            "reuseAccessPoint",
            "enforceZoneAffinity",
            "enableTagging",
            "az",
        ),
        defaults={
            "provisioningMode": "efs-ap",
            "directoryPerms": "775",
            "uid": str(OWNER),
            "gid": str(OWNER),
            "basePath": "/scalr-agent-cache",
        },
        needed=("fileSystemId",),
        mount_options=tuple(EFS_MOUNT_OPTIONS),
        expands=False,
    ),
    FILESTORE_DRIVER: Driver(
        install="Turn on the add-on GcpFilestoreCsiDriver of the cluster",
        parameters=(
            "tier",
            "network",
            "connect-mode",
            "reserved-ipv4-cidr",
            "reserved-ip-range",
            "instance-encryption-kms-key",
            "labels",
            "protocol",
            "nfs-export-options-on-create",
            "multishare",
            "max-volume-size",
        ),
        defaults={"tier": "basic_hdd", "network": "default"},
    ),
    # Without `protocol`, because SMB only emulates the links, locks and permissions of files. Without parameters that only SMB reads.
    AZURE_FILES_DRIVER: Driver(
        install="Install it",
        parameters=(
            "skuName",
            "storageAccount",
            "resourceGroup",
            "location",
            "server",
            "shareName",
            "shareNamePrefix",
            "folderName",
            "networkEndpointType",
            "vnetResourceGroup",
            "vnetName",
            "subnetName",
            "rootSquashType",
            "mountPermissions",
            "fsGroupChangePolicy",
            "requireInfraEncryption",
            "allowBlobPublicAccess",
            "disableDeleteRetentionPolicy",
            "accountQuota",
            "matchTags",
            "selectRandomMatchingAccount",
            "storageEndpointSuffix",
            "tags",
        ),
        defaults={"protocol": "nfs", "skuName": "Premium_LRS"},
    ),
}
