"""Amazon EFS: a file system in which each agent mounts a directory of its own, with its own access point, volume and claim."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.caches import OnDelete, volumes
from scalr_agents.caches.kind import CacheKind
from scalr_agents.caches.volumes import OWNER
from scalr_agents.model import aws
from scalr_agents.model.aws import EFS_DRIVER, EFS_MOUNT_OPTIONS
from scalr_agents.model.fields import Cloud, Flag, Namespace, ReleaseName, Text, unset
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.forms import REQUIRED, OneOf, Rule, Unique, as_given, integral
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_set, lookup
from scalr_agents.model.relations import Clash, Is, Relations, check, excludes, needs, no_effect
from scalr_agents.model.release import CACHE_VOLUME
from scalr_agents.model.section import Section, default

_LONGEST_PATH, _DEEPEST_PATH = 100, 4

ThroughputMode = Literal["elastic", "bursting", "provisioned"]
PosixId = Annotated[int, Field(ge=0, lt=2**32), BeforeValidator(integral)]
DaysUntilInfrequent = Annotated[int | None, BeforeValidator(integral), OneOf((1, 7, 14, 30, 60, 90, 180, 270, 365))]
SecurityGroups = Annotated[list[aws.SecurityGroupId], Unique(), unset([])]


def _only_new(*settings: str) -> Clash:
    return no_effect(*settings, when="file_system_id", because="{file_system_id} refers to an existing file system")


class EfsClients(Section):
    """Clients that may mount the file system: each entry gets an ingress rule."""

    security_groups: SecurityGroups = []
    """IDs of security groups of the nodes."""
    cidrs: Annotated[list[aws.ClientNetwork], Unique()] = []
    """Networks of the nodes in CIDR notation, IPv4 or IPv6."""


def _throughput(mibps: float) -> str:
    return "" if 1 <= mibps < math.inf else f"given {mibps:g}, but EFS provisions at least 1 MiB/s"


def _one_zone(zone: str, subnets: Mapping[str, Any]) -> Findings:
    if subnets and set(subnets) != {zone}:
        yield error("subnets", f"a file system of zone {zone} has a mount target in this zone only; give its subnet, and no other")


class EfsSettings(Section):
    """An EFS file system: a new one, or an existing one given by its ID."""

    file_system_id: aws.FileSystemId = ""
    """ID of an existing file system. Without `eksCluster` or `subnets` it is used as it is; with them, its mount targets and their
    security group are created, and nothing else."""
    eks_cluster: aws.ClusterName = ""
    """Name of an EKS cluster. Its VPC and one of its subnets per zone are used, and its security group becomes a client."""
    vpc_id: aws.VpcId = ""
    """VPC of the security group of the mount targets. Use it instead of `eksCluster`."""
    subnets: Annotated[dict[aws.Zone, aws.SubnetId], Unique("give each zone its own subnet"), unset({})] = {}
    """Subnet of each mount target, as a map from zone to subnet ID. Use it instead of `eksCluster`."""
    zone: aws.Zone = ""
    """Zone of a One Zone file system, which stores its data only there and costs less. Pods that mount it then run only on nodes of
    this zone, and `subnets`, if set, has no other. Default: all zones of the region."""
    clients: EfsClients = default(EfsClients)
    """Clients that may mount the file system, in addition to the security group of `eksCluster`."""
    mount_target_security_groups: SecurityGroups = []
    """IDs of existing security groups for the mount targets, instead of `vpcId` and `clients`. Default: a security group is created."""
    throughput_mode: ThroughputMode = "elastic"
    """EFS throughput mode: `elastic` is billed by use, `bursting` scales with the stored size, `provisioned` is a fixed rate."""
    provisioned_throughput_mibps: Annotated[float, Field(json_schema_extra={"minimum": 1}), Rule(_throughput)] | None = None
    """Throughput in MiB/s. Required by throughput mode `provisioned`, not allowed in the others."""
    kms_key: aws.KmsKey = ""
    """ARN of the KMS key, `arn:aws:kms:<region>:<account>:key/<id>`, not an alias or an ID. Default: the AWS managed key. The file system
    is always encrypted."""
    infrequent_access_after_days: DaysUntilInfrequent = None
    """Days without access after which a file moves to Infrequent Access storage: 1, 7, 14, 30, 60, 90, 180, 270 or 365. The next access
    moves it back. Default: never."""
    driver_role: aws.RoleArn = ""
    """ARN of the IAM role of the EFS CSI driver's node pods. The file system's policy then allows no other role, and no client without one,
    to mount; identities whose own policies allow `elasticfilesystem:ClientMount` still can. Default: every client that reaches a mount
    target may mount. Volumes of an existing file system are mounted with the role too, but its policy is not changed."""
    tags: aws.Tags = {}
    """Tags of all AWS resources that are created here and can have tags."""

    relations: ClassVar[Relations] = (
        _only_new("zone", "throughput_mode", "provisioned_throughput_mibps", "kms_key", "infrequent_access_after_days"),
        excludes("vpc_id", "subnets", when="eks_cluster", because="given together with {eks_cluster}, which sets it too; keep one of them"),
        no_effect(
            *("vpc_id", "clients", "mount_target_security_groups"),
            when="file_system_id",
            unless=("subnets", "eks_cluster"),
            because="without {subnets} or {eks_cluster}, an existing file system ({file_system_id}) is used as it is",
        ),
        no_effect(
            "vpc_id",
            when="mount_target_security_groups",
            because="{mount_target_security_groups} is set, so no security group is created",
        ),
        no_effect(
            "clients",
            when="mount_target_security_groups",
            because="{mount_target_security_groups} is set, and the rules of those groups decide who may mount",
        ),
        needs(
            *("eks_cluster", "subnets", "file_system_id"),
            because="a network; set {eks_cluster}, or {vpc_id} and {subnets}, or {file_system_id}",
        ),
        needs(
            "vpc_id",
            when="subnets",
            unless="mount_target_security_groups",
            because="the security group of the mount targets requires it; set it, or set {mount_target_security_groups}",
        ),
        needs(
            *("clients.security_groups", "clients.cidrs"),
            when="subnets",
            unless="mount_target_security_groups",
            because="no client could mount the file system; set {clients.security_groups} or {clients.cidrs}",
        ),
        no_effect("provisioned_throughput_mibps", unless=Is("throughput_mode", "provisioned")),
        needs("provisioned_throughput_mibps", when=Is("throughput_mode", "provisioned")),
        check("zone", "subnets", by=_one_zone),
    )

    @property
    def has_network(self) -> bool:
        """Whether mount targets are created: always for a new file system; for an existing one if `eks_cluster` or `subnets` is set."""
        return bool(not is_set(self.file_system_id) or self.eks_cluster or self.subnets)


class EfsArguments(EfsSettings):
    """Arguments of `EfsCache`."""

    on_delete: OnDelete = "keep"
    """`keep` keeps the file system in AWS when this component is removed, `delete` deletes it."""

    relations: ClassVar[Relations] = (_only_new("on_delete"),)


def access_path(namespace: str, release: str) -> str:
    """The directory of the file system that belongs to one agent."""
    return f"/scalr-agent-cache/{namespace}/{release}"


def path_problem(path: str) -> str:
    """Why EFS would reject a directory as the root of an access point; empty if it would not."""
    if len(path) > _LONGEST_PATH:
        return f"directory {as_given(path)} has {len(path)} characters, but EFS allows at most {_LONGEST_PATH}; use shorter names"
    if not re.fullmatch(r"(/[^/\0]+)+", path):
        return f"{as_given(path)} is not the absolute path of a directory"
    deep = path.count("/")
    return f"{as_given(path)} is {deep} directories deep, but EFS allows at most {_DEEPEST_PATH}" if deep > _DEEPEST_PATH else ""


def _default_path(namespace: str, release: str) -> Findings:
    if problem := path_problem(access_path(namespace, release)):
        yield error("path", problem)


class EfsClaimSettings(Section):
    """Arguments of `EfsClaim`."""

    namespace: Namespace
    """Namespace of the agent. It must exist."""
    release: ReleaseName
    """Release of the agent. Claim and volume are named after it."""
    file_system_id: Annotated[aws.FileSystemId, REQUIRED]
    """ID of the file system: an output of an `EfsCache`, or that of an existing one."""
    uid: PosixId = OWNER
    """Numeric ID of the user that owns all files, whichever user writes them. It is that of the agent's pods."""
    gid: PosixId = OWNER
    """Numeric ID of the group that owns all files."""
    path: Annotated[Text, Rule(path_problem)] = ""
    """Directory in the file system, at most 100 characters and four directories deep. Default:
    `/scalr-agent-cache/<namespace>/<release>`."""
    zone: aws.Zone = ""
    """Zone of a One Zone file system (`zone` of an `EfsCache`): pods that mount the claim run only on nodes of this zone. Default: any."""
    iam: Flag = False
    """Whether to mount with the IAM identity of the driver's node pods. Required if the policy of the file system names that role
    (`driver_role` of an `EfsCache`)."""
    tags: aws.Tags = {}
    """Tags of the access point."""

    relations: ClassVar[Relations] = (check("namespace", "release", unless="path", by=_default_path),)

    @property
    def directory(self) -> str:
        """The directory of the file system that is mounted."""
        return self.path or access_path(self.namespace, self.release)


class EfsCsiDriverSettings(Section):
    """Arguments of `EfsCsiDriver`."""

    cluster_name: Annotated[aws.InputClusterName, REQUIRED]
    """Name of the EKS cluster. It needs the add-on `eks-pod-identity-agent`, which gives the role to the driver."""
    addon_version: Text = ""
    """Version of the add-on. Default: the one that EKS chooses for the cluster."""
    role_arn: aws.RoleArn = ""
    """ARN of the role of the driver's controller, which must trust `pods.eks.amazonaws.com`. Default: a new role with the policy that AWS
    manages for the driver."""
    tags: aws.Tags = {}
    """Tags of the add-on and the role."""


_CAPACITY = "1Ti"
"""Kubernetes requires a size for every volume; EFS ignores it."""


def volume_manifests(release: str, namespace: str, handle: str | Deferred, *, iam: bool = False, zone: str = "") -> dict[str, Manifest]:
    """A volume for an access point of an EFS file system, and the claim on it.

    `handle` is `<file system>::<access point>`. The driver encrypts traffic by default. With `iam` it mounts with its IAM
    identity; without, it mounts anonymously. With `zone`, only nodes of that zone mount it, because others find no mount target.
    """
    csi = {"driver": EFS_DRIVER, "volumeHandle": handle}
    made = volumes.static_volume(release, namespace, csi, _CAPACITY, [*EFS_MOUNT_OPTIONS, "iam"] if iam else EFS_MOUNT_OPTIONS)
    return made | {"volume": volumes.in_zone(made["volume"], zone)} if zone else made


class EfsKind(EfsSettings, CacheKind):
    """A cache on Amazon EFS. Every agent gets its own directory, volume and claim."""

    title: ClassVar[str] = "Amazon EFS"
    key_text: ClassVar[str] = "A new or existing file system on Amazon EFS."
    resources: ClassVar[str] = "aws.efs"
    cloud: ClassVar[Cloud | None] = "aws"
    existing: ClassVar[str] = "file_system_id"
    region_needed: ClassVar[bool] = True

    uid: PosixId = OWNER
    """Numeric ID of the user that owns the files. The agents' pods must run as this user."""
    gid: PosixId = OWNER
    """Numeric ID of the group that owns the files."""

    def excludes_others(self) -> bool:
        """Access points exclude nobody, but mount targets do."""
        return self.has_network

    def problems_of_agent(self, namespace: str, release: str) -> Iterator[str]:
        yield from filter(None, [path_problem(access_path(namespace, release))])

    def problems_of_pod(self, pod: Mapping[str, Any], what: str, place: str) -> Findings:
        """An error for a pod that mounts the cache as another user than the owner of its files."""
        users = sorted(_users(pod) - {self.uid})
        if users:
            yield error(
                "",
                f"its {what} run as user {' and '.join(map(str, users))}, but all files of the cache belong to user {self.uid}; "
                f"set {place}.efs.uid, or change the agent's securityContext",
            )

    def objects(self, release: str, namespace: str, unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        return volume_manifests(release, namespace, unknown("volumeHandle"), iam=is_set(self.driver_role), zone=self.zone)


def _users(pod: Mapping[str, Any]) -> set[int]:
    """The user ids of the containers that mount the cache, as far as the pod sets them."""
    mounting = [
        container
        for container in pod["containers"]
        if any(mount.get("name") == CACHE_VOLUME for mount in container.get("volumeMounts", ()))
    ]
    of_pod = lookup(pod, "securityContext", "runAsUser")
    users = [container.get("securityContext", {}).get("runAsUser", of_pod) for container in mounting]
    return {user for user in users if isinstance(user, int)}


KIND = EfsKind
