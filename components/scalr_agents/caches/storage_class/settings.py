"""The settings of a StorageClass for the driver of EFS, Filestore or Azure Files, and of a claim on any class."""

from typing import Literal, NamedTuple

from scalr_agents.caches.volumes import OWNER
from scalr_agents.model.clouds import AZURE_FILES_DRIVER, EFS_DRIVER, FILESTORE_DRIVER
from scalr_agents.model.fields import AccessMode, InputMap, InputName, Name, Quantity
from scalr_agents.model.section import Section

Provisioner = Literal["efs.csi.aws.com", "filestore.csi.storage.gke.io", "file.csi.azure.com"]


class Driver(NamedTuple):
    """The StorageClass parameters of a CSI driver."""

    parameters: tuple[str, ...]
    defaults: dict[str, str]
    needed: tuple[str, ...]


DRIVERS = {
    EFS_DRIVER: Driver(
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
    ),
    FILESTORE_DRIVER: Driver(
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
        needed=(),
    ),
    # Without `protocol`, because SMB only emulates the links, locks and permissions of files. Without parameters that only SMB reads.
    AZURE_FILES_DRIVER: Driver(
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
        needed=(),
    ),
}


class StorageClassSettings(Section):
    """A StorageClass for the driver of EFS, Filestore or Azure Files."""

    storage_class_name: Name
    provisioner: Provisioner
    parameters: InputMap = {}


class StorageClassClaimSettings(Section):
    """The claim of one agent, provisioned by a StorageClass."""

    namespace: str
    release: str
    storage_class_name: InputName
    storage: Quantity = "90Gi"
    access_mode: AccessMode = "ReadWriteMany"
