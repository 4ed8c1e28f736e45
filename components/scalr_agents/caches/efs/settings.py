"""The settings of an EFS file system, of the part of it that an agent mounts, and of the CSI driver."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.caches.volumes import OWNER
from scalr_agents.model.fields import Flag, InputList, InputMap, InputText, Text
from scalr_agents.model.forms import integral, is_set
from scalr_agents.model.section import Section, default

ThroughputMode = Literal["elastic", "bursting", "provisioned"]
PosixId = Annotated[int, Field(ge=0, lt=2**32), BeforeValidator(integral)]


class EfsClients(Section):
    """Clients that may mount the file system: each entry gets an ingress rule."""

    security_groups: InputList = []
    """Security groups of the nodes."""
    cidrs: list[str] = []
    """Networks of the nodes in CIDR notation, IPv4 or IPv6."""


class EfsSettings(Section):
    """An EFS file system: a new one, or an existing one given by its ID."""

    file_system_id: InputText = ""
    """ID of an existing file system. Without `eksCluster` or `subnets` it is used as it is; with them, its mount targets are created."""
    eks_cluster: Text = ""
    """Name of an EKS cluster. Its VPC and one of its subnets per zone are used, and its security group becomes a client."""
    vpc_id: InputText = ""
    """VPC of the security group of the mount targets. Use it instead of `eksCluster`."""
    subnets: InputMap = {}
    """Subnet of each mount target, as a map from zone to subnet ID. Use it instead of `eksCluster`."""
    zone: Text = ""
    """Zone of a One Zone file system, which stores its data only there and costs less. Pods that mount it then run only on nodes of
    this zone. Default: all zones of the region."""
    clients: EfsClients = default(EfsClients)
    """Clients that may mount the file system, in addition to the security group of `eksCluster`."""
    mount_target_security_groups: InputList = []
    """Existing security groups for the mount targets. Default: a security group is created."""
    throughput_mode: ThroughputMode = "elastic"
    """EFS throughput mode: `elastic` is billed by use, `bursting` scales with the stored size, `provisioned` is a fixed rate."""
    provisioned_throughput_mibps: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None
    """Throughput in MiB/s. Required by throughput mode `provisioned`, not allowed in the others."""
    kms_key: InputText = ""
    """ARN of the KMS key. Default: the AWS managed key. The file system is always encrypted."""
    infrequent_access_after_days: Annotated[int | None, BeforeValidator(integral)] = None
    """Days without access after which a file moves to Infrequent Access storage. The next access moves it back. Default: never."""
    driver_role: InputText = ""
    """ARN of the IAM role of the EFS CSI driver's node pods. The file system's policy then allows no other role, and no client without one,
    to mount; identities whose own policies allow `elasticfilesystem:ClientMount` still can. Default: every client that reaches a mount
    target may mount. The policy of an existing file system is not changed."""
    tags: InputMap = {}
    """Tags of all AWS resources that are created here and can have tags."""

    @property
    def has_network(self) -> bool:
        """Whether mount targets are created: always for a new file system; for an existing one if `eks_cluster` or `subnets` is set."""
        return bool(not is_set(self.file_system_id) or self.eks_cluster or self.subnets)


def access_path(namespace: str, release: str) -> str:
    """The directory of the file system that belongs to one agent."""
    return f"/scalr-agent-cache/{namespace}/{release}"


class EfsClaimSettings(Section):
    """The access point through which one agent mounts a file system."""

    namespace: str
    release: str
    file_system_id: InputText
    uid: PosixId = OWNER
    gid: PosixId = OWNER
    path: Text = ""
    zone: Text = ""
    iam: Flag = False
    tags: InputMap = {}

    @property
    def directory(self) -> str:
        """The directory of the file system that is mounted."""
        return self.path or access_path(self.namespace, self.release)


class EfsCsiDriverSettings(Section):
    """The EFS CSI driver of an EKS cluster."""

    cluster_name: InputText
    addon_version: Text = ""
    role_arn: InputText = ""
    tags: InputMap = {}
