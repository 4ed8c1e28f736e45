"""The `EfsCache` component."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from scalr_agents.caches import OnDelete, efs, in_programs
from scalr_agents.charts.shared.checks import Findings
from scalr_agents.model.fields import is_deferred, is_set
from scalr_agents.model.findings import error
from scalr_agents.resources import efs_file_system, literals
from scalr_agents.resources.component import Validated
from scalr_agents.resources.options import child
from scalr_agents.resources.validation import ArgsError, validate


class EfsClientsArgs(TypedDict):
    """Who may mount a file system: every one of these gets an ingress rule."""

    security_groups: NotRequired[Sequence[pulumi.Input[str]]]
    """Ids of the security groups of the nodes."""
    cidrs: NotRequired[Sequence[str]]
    """Networks of the nodes, IPv4 or IPv6."""


class EfsCacheArgs(TypedDict):
    """Arguments of `EfsCache`."""

    file_system_id: NotRequired[pulumi.Input[str]]
    """Id of an existing file system. Alone it is taken as it is; with the words for where it goes, its network side is made."""
    eks_cluster: NotRequired[str]
    """Name of an EKS cluster: its VPC, one of its subnets per zone, and its security group as client."""
    vpc_id: NotRequired[pulumi.Input[str]]
    """VPC of the security group, instead of `eks_cluster`."""
    subnets: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Subnet of the mount target of each zone, zone to id, instead of `eks_cluster`."""
    clients: NotRequired[EfsClientsArgs]
    """Who may mount it; with `eks_cluster` beside the cluster's own security group."""
    mount_target_security_groups: NotRequired[Sequence[pulumi.Input[str]]]
    """Existing security groups of the mount targets, instead of one made here."""
    throughput_mode: NotRequired[literals.ThroughputMode]
    """`elastic` (default), `bursting` or `provisioned`: paid by use, by stored size, or as provisioned."""
    provisioned_throughput_mibps: NotRequired[float]
    """MiB/s of throughput mode `provisioned`."""
    kms_key: NotRequired[pulumi.Input[str]]
    """ARN of the KMS key. Default: the key that AWS manages. The file system is encrypted in any case."""
    infrequent_access_after_days: NotRequired[int]
    """Days without a read after which a file moves to cheaper storage, which its next read leaves again. Default: never."""
    driver_role: NotRequired[pulumi.Input[str]]
    """ARN of the role of the EFS CSI driver's node pods, which alone may mount then; claims need `iam`. Default: everybody who reaches
    a mount target. Without effect on the policy of an existing file system."""
    tags: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tags of everything that AWS lets one tag."""
    on_delete: NotRequired[literals.OnDelete]
    """`keep` (default) leaves the file system when it leaves the program, `delete` removes it."""


class EfsCache(Validated["WantedEfs"]):
    """An encrypted EFS file system with a mount target in every zone, for the shared cache of agents.

    Makes cloud objects only; an `EfsClaim` makes the part of it that an agent mounts. Pods need the EFS CSI driver on the cluster
    (see `EfsCsiDriver`). `on_delete: keep` keeps the file system with its policies. The mount targets and the security group go in
    any case, so that the VPC can go; giving the kept file system's id and where it goes makes them again.
    """

    file_system_id: pulumi.Output[str]
    """Id of the file system. Whoever uses it waits for the mount targets and the rules that let clients in."""

    def __init__(self, name: str, args: EfsCacheArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = validate("EfsCache", name, _Arguments, args, _check)
        self.make(name, WantedEfs(given, keep=given.on_delete == "keep"), opts)

    def make(self, name: str, wanted: "WantedEfs", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:EfsCache", name, {}, opts)

        settings = wanted.settings
        place = _place(self, name, settings, wanted.found) if efs.has_network(settings) else None  # looked up before anything is made
        tags = {"Name": f"{pulumi.get_project()}-{pulumi.get_stack()}-{name}", **settings.tags}
        file_system: Any = settings.file_system_id
        awaited: list[pulumi.CustomResource] = []
        if not is_set(file_system):
            file_system, policy = efs_file_system.register(name, settings, self, tags, opts, keep=wanted.keep)
            awaited.append(policy)
        if place:
            awaited += self._network(name, place, file_system, tags, opts)
        # By their URNs, which a preview knows: an id that is not known yet would seem to replace every access point.
        self.file_system_id = pulumi.Output.all(file_system, *(resource.urn for resource in awaited)).apply(lambda known: str(known[0]))
        self.publish()

    def _network(
        self, name: str, place: "_Place", file_system: Any, tags: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> list[pulumi.CustomResource]:
        """A mount target in every zone, and the rules that let the clients in."""
        groups = place.security_groups
        rules: list[pulumi.CustomResource] = []
        if not groups:
            group = aws.ec2.SecurityGroup(
                f"{name}-security-group",
                description="NFS from the nodes of Scalr agents to their cache",
                vpc_id=place.vpc_id,
                tags=tags,
                opts=child(self, opts),
            )
            groups = [group.id]
            rules = [
                aws.vpc.SecurityGroupIngressRule(
                    f"{name}-from-{client.key}",
                    security_group_id=group.id,
                    ip_protocol="tcp",
                    from_port=efs.NFS_PORT,
                    to_port=efs.NFS_PORT,
                    referenced_security_group_id=client.security_group,
                    cidr_ipv4=client.cidr_ipv4,
                    cidr_ipv6=client.cidr_ipv6,
                    tags=tags,
                    opts=child(self, opts),
                )
                for client in place.clients
            ]
        targets = [
            aws.efs.MountTarget(
                f"{name}-mount-target-{zone}",
                file_system_id=file_system,
                subnet_id=subnet,
                security_groups=groups,
                # The provider asks for the old one to go first, and the engine would delete all that stands on it: claims under their pods.
                opts=child(self, opts, ignore_changes=place.ignored_changes, delete_before_replace=False),
            )
            for zone, subnet in sorted(place.subnets.items())
        ]
        return [*targets, *rules]


class Network(NamedTuple):
    """The network of an EKS cluster, and a subnet of each of its zones."""

    cluster: aws.eks.outputs.GetClusterVpcConfigResult
    subnets: dict[str, str]


class WantedEfs(NamedTuple):
    """A validated cache, with the network of its cluster where that was looked up already."""

    settings: efs.EfsSettings
    keep: bool
    found: Network | None = None


class _Arguments(efs.EfsSettings):
    on_delete: OnDelete = "keep"


def _check(given: _Arguments) -> Findings:
    yield from efs.check(given, in_programs)


class _Client(NamedTuple):
    """An ingress rule: what it is called, and whom it lets in."""

    key: str
    security_group: Any = None
    cidr_ipv4: str | None = None
    cidr_ipv6: str | None = None


class _Place(NamedTuple):
    """Where the mount targets go, and who may reach them."""

    vpc_id: Any
    subnets: Mapping[str, Any]
    security_groups: Sequence[Any]
    """Those of the mount targets; without any, one is made for the clients."""
    clients: Sequence[_Client]
    ignored_changes: list[str]


def _place(owner: pulumi.Resource, name: str, settings: efs.EfsSettings, found: "Network | None") -> _Place:
    """Where the settings say, or where an EKS cluster is.

    Any subnet of a zone serves the whole zone, so one that the cluster gets later does not move the mount target.
    """
    groups, clients = settings.mount_target_security_groups, list(_clients(settings))
    if not settings.eks_cluster:
        return _Place(settings.vpc_id, settings.subnets, groups, clients, [])
    network, zones = found or look_up(settings.eks_cluster, name, pulumi.InvokeOptions(parent=owner))
    cluster = _Client("cluster", security_group=network.cluster_security_group_id)
    others = [client for client in clients if client.key != cluster.security_group]
    return _Place(network.vpc_id, zones, groups, [cluster, *others], ["subnetId"])


def look_up(cluster: str, name: str, opts: pulumi.InvokeOptions | None = None) -> "Network":
    """The network of an EKS cluster, and a subnet of each of its zones, for the cache `name`."""
    get_cluster, get_subnet = aws.eks.get_cluster, aws.ec2.get_subnet
    try:
        network = get_cluster(name=cluster, opts=opts).vpc_config
        subnets = sorted(network.subnet_ids, reverse=True)
        return Network(network, {get_subnet(id=subnet, opts=opts).availability_zone: subnet for subnet in subnets})
    except Exception as problem:  # the SDK raises nothing narrower when a lookup fails
        finding = error("eks_cluster", f"cannot look up EKS cluster {cluster!r}: {problem}")
        raise ArgsError(f"EfsCache {name!r}", [finding]) from problem


def _clients(settings: efs.EfsSettings) -> Iterator[_Client]:
    """Rules are called after whom they let in, so that a list in another order changes nothing; outputs have only their position."""
    for index, group in enumerate(settings.clients.security_groups):
        yield _Client(f"group-{index}" if is_deferred(group) else str(group), security_group=group)
    for cidr in settings.clients.cidrs:
        key = re.sub("[:/]+", "-", cidr)  # two colons separate the parts of a URN
        yield _Client(key, cidr_ipv6=cidr) if ":" in cidr else _Client(key, cidr_ipv4=cidr)
