"""The arguments of the components for caches. `make schema` writes this file, from the models."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

import pulumi

if TYPE_CHECKING:
    AccessMode = Literal["READ_WRITE", "READ_ONLY"]
    ConnectMode = Literal["DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS"]
    OnDelete = Literal["keep", "delete"]
    Protocol = Literal["NFS_V3", "NFS_V4_1"]
    Provisioner = Literal["efs.csi.aws.com", "filestore.csi.storage.gke.io", "file.csi.azure.com"]
    SquashMode = Literal["NO_ROOT_SQUASH", "ROOT_SQUASH"]
    StorageClassClaimAccessMode = Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]
    ThroughputMode = Literal["elastic", "bursting", "provisioned"]
    Tier = Literal["BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE"]
else:  # the component host does not support `Literal`
    AccessMode = ConnectMode = OnDelete = Protocol = Provisioner = SquashMode = StorageClassClaimAccessMode = ThroughputMode = Tier = str


class EfsClientsArgs(TypedDict):
    """Clients that may mount the file system: each entry gets an ingress rule."""

    security_groups: NotRequired[Sequence[pulumi.Input[str]]]
    """IDs of security groups of the nodes."""
    cidrs: NotRequired[Sequence[str]]
    """Networks of the nodes in CIDR notation, IPv4 or IPv6."""


class EfsCacheArgs(TypedDict):
    """Arguments of `EfsCache`."""

    file_system_id: NotRequired[pulumi.Input[str]]
    """ID of an existing file system. Without `eks_cluster` or `subnets` it is used as it is; with them, its mount targets and their
    security group are created, and nothing else."""
    eks_cluster: NotRequired[str]
    """Name of an EKS cluster. Its VPC and one of its subnets per zone are used, and its security group becomes a client."""
    vpc_id: NotRequired[pulumi.Input[str]]
    """VPC of the security group of the mount targets. Use it instead of `eks_cluster`."""
    subnets: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Subnet of each mount target, as a map from zone to subnet ID. Use it instead of `eks_cluster`."""
    zone: NotRequired[str]
    """Zone of a One Zone file system, which stores its data only there and costs less. Pods that mount it then run only on nodes of this
    zone, and `subnets`, if set, has no other. Default: all zones of the region."""
    clients: NotRequired[EfsClientsArgs]
    """Clients that may mount the file system, in addition to the security group of `eks_cluster`."""
    mount_target_security_groups: NotRequired[Sequence[pulumi.Input[str]]]
    """IDs of existing security groups for the mount targets, instead of `vpc_id` and `clients`. Default: a security group is created."""
    throughput_mode: NotRequired[ThroughputMode]
    """EFS throughput mode: `elastic` is billed by use, `bursting` scales with the stored size, `provisioned` is a fixed rate. Default:
    `elastic`."""
    provisioned_throughput_mibps: NotRequired[float]
    """Throughput in MiB/s. Required by throughput mode `provisioned`, not allowed in the others."""
    kms_key: NotRequired[pulumi.Input[str]]
    """ARN of the KMS key, `arn:aws:kms:<region>:<account>:key/<id>`, not an alias or an ID. Default: the AWS managed key. The file system
    is always encrypted."""
    infrequent_access_after_days: NotRequired[int]
    """Days without access after which a file moves to Infrequent Access storage: 1, 7, 14, 30, 60, 90, 180, 270 or 365. The next access
    moves it back. Default: never."""
    driver_role: NotRequired[pulumi.Input[str]]
    """ARN of the IAM role of the EFS CSI driver's node pods. The file system's policy then allows no other role, and no client without one,
    to mount; identities whose own policies allow `elasticfilesystem:ClientMount` still can. Default: every client that reaches a mount
    target may mount. Volumes of an existing file system are mounted with the role too, but its policy is not changed."""
    tags: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tags of all AWS resources that are created here and can have tags."""
    on_delete: NotRequired[OnDelete]
    """`keep` keeps the file system in AWS when this component is removed, `delete` deletes it. Default: `keep`."""


class EfsClaimArgs(TypedDict):
    """Arguments of `EfsClaim`."""

    namespace: str
    """Namespace of the agent. It must exist."""
    release: str
    """Release of the agent. Claim and volume are named after it."""
    file_system_id: pulumi.Input[str]
    """ID of the file system: an output of an `EfsCache`, or that of an existing one."""
    uid: NotRequired[int]
    """Numeric ID of the user that owns all files, whichever user writes them. It is that of the agent's pods. Default: `1000`."""
    gid: NotRequired[int]
    """Numeric ID of the group that owns all files. Default: `1000`."""
    path: NotRequired[str]
    """Directory in the file system, at most 100 characters and four directories deep. Default:
    `/scalr-agent-cache/<namespace>/<release>`."""
    zone: NotRequired[str]
    """Zone of a One Zone file system (`zone` of an `EfsCache`): pods that mount the claim run only on nodes of this zone. Default: any."""
    iam: NotRequired[bool]
    """Whether to mount with the IAM identity of the driver's node pods. Required if the policy of the file system names that role
    (`driver_role` of an `EfsCache`). Default: `false`."""
    tags: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tags of the access point."""


class EfsCsiDriverArgs(TypedDict):
    """Arguments of `EfsCsiDriver`."""

    cluster_name: pulumi.Input[str]
    """Name of the EKS cluster. It needs the add-on `eks-pod-identity-agent`, which gives the role to the driver."""
    addon_version: NotRequired[str]
    """Version of the add-on. Default: the one that EKS chooses for the cluster."""
    role_arn: NotRequired[pulumi.Input[str]]
    """ARN of the role of the driver's controller, which must trust `pods.eks.amazonaws.com`. Default: a new role with the policy that AWS
    manages for the driver."""
    tags: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tags of the add-on and the role."""


class FilestoreExportOptionArgs(TypedDict):
    """Clients that may mount the share, and how they access it."""

    ip_ranges: NotRequired[Sequence[str]]
    """IPv4 addresses of the clients, and networks in CIDR notation. Default: the whole VPC."""
    access_mode: NotRequired[AccessMode]
    """Access of these clients: `READ_WRITE` or `READ_ONLY`. Default: `READ_WRITE`."""
    squash_mode: NotRequired[SquashMode]
    """Whether a client's root is root on the share. With `ROOT_SQUASH` it is not, and the kubelet, which runs as root, cannot give the
    volume to the pods' group. Allowed: `NO_ROOT_SQUASH`, `ROOT_SQUASH`. Default: `NO_ROOT_SQUASH`."""
    anon_uid: NotRequired[int]
    """User ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""
    anon_gid: NotRequired[int]
    """Group ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""


class FilestoreCacheArgs(TypedDict):
    """Arguments of `FilestoreCache`."""

    instance_id: NotRequired[pulumi.Input[str]]
    """ID of an existing instance, `projects/<project>/locations/<location>/instances/<name>`. Its address and share are looked up; only
    `capacity` may be set with it, for the limits of the agents' caches."""
    tier: NotRequired[Tier]
    """Service tier. Allowed: `BASIC_HDD`, `BASIC_SSD`, `ZONAL`, `REGIONAL`, `ENTERPRISE`. Default: `BASIC_HDD`."""
    location: NotRequired[str]
    """Zone for the tiers BASIC_HDD, BASIC_SSD and ZONAL; region for REGIONAL and ENTERPRISE. Required for a new instance."""
    project: NotRequired[str]
    """Google Cloud project. Default: the provider's project."""
    capacity: NotRequired[str]
    """Size of the share, a Kubernetes quantity of whole GiB. The tier determines the allowed range and steps. Default: `1Ti`."""
    share_name: NotRequired[str]
    """Name of the share, at most 16 characters. Default: `cache`."""
    network: NotRequired[pulumi.Input[str]]
    """Name of the VPC network, or its path or URL for a shared VPC. Another spelling of the same network changes nothing. Default:
    `default`."""
    connect_mode: NotRequired[ConnectMode]
    """How the network connects to the instance. A shared VPC requires PRIVATE_SERVICE_ACCESS. Allowed: `DIRECT_PEERING`,
    `PRIVATE_SERVICE_ACCESS`. Default: `DIRECT_PEERING`."""
    reserved_ip_range: NotRequired[pulumi.Input[str]]
    """IP range of the instance: a network for DIRECT_PEERING, whose size the tier determines, the name of an allocated range for
    PRIVATE_SERVICE_ACCESS. Default: any."""
    protocol: NotRequired[Protocol]
    """NFS version. Basic tiers support only NFS_V3. Allowed: `NFS_V3`, `NFS_V4_1`. Default: `NFS_V3`."""
    export_options: NotRequired[Sequence[FilestoreExportOptionArgs]]
    """Clients that may mount the share: at most 10 entries, with 64 addresses and networks in all, of which no two overlap. Default: all
    hosts of the network, with a warning."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Full name of a Cloud KMS key, `projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>`; not supported by basic
    tiers. Default: a Google-managed key."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Labels of the instance."""
    on_delete: NotRequired[OnDelete]
    """`keep` protects the instance and keeps it when this component is removed, `delete` deletes it. Default: `keep`."""


class FilestoreClaimArgs(TypedDict):
    """Arguments of `FilestoreClaim`. All but the first two are outputs of a `FilestoreCache`."""

    namespace: str
    """Namespace of the agents. It must exist."""
    release: str
    """Release of the agents. Claim and volume are named after it."""
    instance_id: pulumi.Input[str]
    """ID of the instance, `projects/<project>/locations/<location>/instances/<name>`."""
    ip_address: pulumi.Input[str]
    """IP address of the instance."""
    share_name: NotRequired[pulumi.Input[str]]
    """Name of the share. Default: `cache`."""
    capacity: NotRequired[pulumi.Input[str]]
    """Size of the share, a Kubernetes quantity. Default: `1Ti`."""
    protocol: NotRequired[pulumi.Input[str]]
    """NFS version: `NFS_V3` or `NFS_V4_1`. Default: `NFS_V3`."""


class CacheStorageClassArgs(TypedDict):
    """Arguments of `CacheStorageClass`."""

    storage_class_name: str
    """Name of the StorageClass."""
    provisioner: Provisioner
    """CSI driver: `efs.csi.aws.com`, `filestore.csi.storage.gke.io` or `file.csi.azure.com` (Azure Files, always over NFS)."""
    parameters: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Parameters of the driver, by the driver's names. EFS requires `fileSystemId`. Default: for EFS, an access point for user and group
    1000 below `/scalr-agent-cache` for every claim; for Filestore, an instance of tier `basic_hdd` in the network `default`; for Azure
    Files, a share of SKU `Premium_LRS`."""
    on_delete: NotRequired[OnDelete]
    """`keep` keeps the volume when its claim is deleted (reclaim policy Retain), `delete` lets the driver delete it. Default: `keep`."""


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
    access_mode: NotRequired[StorageClassClaimAccessMode]
    """Access mode of the claim. A cache that several pods mount needs `ReadWriteMany`. Allowed: `ReadWriteOnce`, `ReadWriteMany`,
    `ReadWriteOncePod`, `ReadOnlyMany`. Default: `ReadWriteMany`."""
    on_delete: NotRequired[OnDelete]
    """`keep` keeps the claim and its volume when this component is removed, `delete` deletes the claim. Default: `keep`."""
