"""The `EfsCache` component."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pulumi
from pulumi_aws import ec2, efs, eks, vpc

from scalr_agents.caches.efs import EfsArguments, EfsSettings
from scalr_agents.model.findings import error
from scalr_agents.model.maps import is_deferred, is_set
from scalr_agents.resources.arguments.caches import EfsCacheArgs
from scalr_agents.resources.aws import efs_file_system
from scalr_agents.resources.component import Validated, child
from scalr_agents.resources.outputs import demanded
from scalr_agents.resources.validation import ArgsError, validate, with_text

_NFS_PORT = 2049


class EfsCache(Validated["EfsRequest"]):
    """An encrypted EFS file system with a mount target in every zone, for the shared cache of agents.

    Creates cloud resources only; use an `EfsClaim` for the part of the file system that an agent mounts, with the same `zone` if there is
    one, and with `iam` if there is a `driver_role`. Pods need the EFS CSI driver on the cluster (see `EfsCsiDriver`). `on_delete: keep`
    keeps the file system and its policies. Mount targets and security group are always deleted, so that the VPC can be deleted. Set
    `file_system_id` and `eks_cluster` or `subnets` to create them again.
    """

    file_system_id: pulumi.Output[str]
    """ID of the file system. Resources that use it wait for the mount targets and the ingress rules."""

    def __init__(self, name: str, args: EfsCacheArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = validate("EfsCache", name, EfsArguments, args)
        self.make(name, EfsRequest(given, keep=given.on_delete == "keep"), opts)

    def make(self, name: str, request: "EfsRequest", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:EfsCache", name, {}, opts)

        settings = with_text(self, name, request.settings)
        # Looked up before anything is registered.
        place = _place(self, name, settings, request.found) if settings.has_network else None
        tags = {"Name": f"{pulumi.get_project()}-{pulumi.get_stack()}-{name}", **settings.tags}
        file_system: Any = settings.file_system_id
        awaited: list[pulumi.CustomResource] = []
        if not is_set(file_system):
            file_system, policy = efs_file_system.register(name, settings, self, tags, opts, keep=request.keep)
            awaited.append(policy)
        if place:
            awaited += self._network(name, place, file_system, tags, opts)
        # URNs are known in a preview. With an unknown id, the preview would show every access point as replaced.
        self.file_system_id = pulumi.Output.all(file_system, *(resource.urn for resource in awaited)).apply(lambda known: str(known[0]))
        self.publish()

    def _network(
        self, name: str, place: "_Place", file_system: Any, tags: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> list[pulumi.CustomResource]:
        """A mount target in every zone, and the ingress rules for the clients."""
        groups = place.security_groups
        rules: list[pulumi.CustomResource] = []
        if not groups:
            group = ec2.SecurityGroup(
                f"{name}-security-group",
                description="NFS from the nodes of Scalr agents to their cache",
                vpc_id=place.vpc_id,
                tags=tags,
                opts=child(self, opts),
            )
            groups = [group.id]
            rules = [
                vpc.SecurityGroupIngressRule(
                    f"{name}-from-{client.key}",
                    security_group_id=group.id,
                    ip_protocol="tcp",
                    from_port=_NFS_PORT,
                    to_port=_NFS_PORT,
                    referenced_security_group_id=client.security_group,
                    cidr_ipv4=client.cidr_ipv4,
                    cidr_ipv6=client.cidr_ipv6,
                    tags=tags,
                    opts=child(self, opts),
                )
                for client in place.clients
            ]
        targets = [
            efs.MountTarget(
                f"{name}-mount-target-{zone}",
                file_system_id=file_system,
                subnet_id=subnet,
                security_groups=groups,
                # The provider asks to delete the old one first; the engine would then delete everything that depends on it: claims in use.
                opts=child(self, opts, ignore_changes=place.ignored_changes, delete_before_replace=False),
            )
            for zone, subnet in sorted(place.subnets.items())
        ]
        return [*targets, *rules]


class Network(NamedTuple):
    """The network of an EKS cluster, and one subnet for each of its zones."""

    cluster: eks.outputs.GetClusterVpcConfigResult
    subnets: dict[str, str]


class EfsRequest(NamedTuple):
    """A validated cache, with the network of its cluster if that was looked up already."""

    settings: EfsSettings
    keep: bool
    found: Network | None = None


class _Client(NamedTuple):
    """An ingress rule: its key in names, and the client that it allows."""

    key: str
    security_group: Any = None
    cidr_ipv4: str | None = None
    cidr_ipv6: str | None = None


class _Place(NamedTuple):
    """The network of the mount targets, and the clients that may reach them."""

    vpc_id: Any
    subnets: Mapping[str, Any]
    security_groups: Sequence[Any]
    """Security groups of the mount targets. If empty, one is made that allows the clients."""
    clients: Sequence[_Client]
    ignored_changes: list[str]


def _place(owner: pulumi.Resource, name: str, settings: EfsSettings, found: "Network | None") -> _Place:
    """The place that the settings name, or that of an EKS cluster.

    Any subnet of a zone serves the whole zone, so a subnet that the cluster gets later does not replace the mount target.
    """
    groups, clients = settings.mount_target_security_groups, list(_clients(settings))
    if not settings.eks_cluster:
        return _Place(settings.vpc_id, settings.subnets, groups, clients, [])
    network, zones = found or look_up(settings.eks_cluster, name, pulumi.InvokeOptions(parent=owner))
    if settings.zone and settings.zone not in zones:
        message = f"{settings.zone} is not a zone of EKS cluster {settings.eks_cluster!r}, which has subnets in {', '.join(sorted(zones))}"
        raise ArgsError(f"EfsCache {name!r}", [error("zone", message)])
    zones = {zone: subnet for zone, subnet in zones.items() if settings.zone in ("", zone)}
    cluster = _Client("cluster", security_group=network.cluster_security_group_id)
    others = [client for client in clients if client.key != cluster.security_group]
    return _Place(network.vpc_id, zones, groups, [cluster, *others], ["subnetId"])


def look_up(cluster: str, name: str, opts: pulumi.InvokeOptions | None = None) -> "Network":
    """Look up the network of an EKS cluster, and one subnet for each of its zones, for the cache `name`."""
    get_cluster, get_subnet = eks.get_cluster, ec2.get_subnet
    try:
        found = get_cluster(name=cluster, opts=opts)
        subnets = demanded("aws:eks/getCluster:getCluster", found, "vpcConfig.subnetIds", lambda known: known.vpc_config.subnet_ids)
        return Network(found.vpc_config, {_zone(get_subnet(id=subnet, opts=opts)): subnet for subnet in sorted(subnets, reverse=True)})
    except Exception as problem:  # the SDK raises nothing narrower when a lookup fails
        finding = error("eks_cluster", f"cannot look up EKS cluster {cluster!r}: {problem}")
        raise ArgsError(f"EfsCache {name!r}", [finding]) from problem


def _zone(subnet: ec2.GetSubnetResult) -> str:
    return str(demanded("aws:ec2/getSubnet:getSubnet", subnet, "availabilityZone", lambda known: known.availability_zone))


def _clients(settings: EfsSettings) -> Iterator[_Client]:
    """Rules are named after the client that they allow, so that the order of a list does not matter. Outputs are named by position."""
    for index, group in enumerate(settings.clients.security_groups):
        yield _Client(f"group-{index}" if is_deferred(group) else str(group), security_group=group)
    for cidr in settings.clients.cidrs:
        key = re.sub("[:/]+", "-", cidr)  # two colons separate the parts of a URN
        yield _Client(key, cidr_ipv6=cidr) if ":" in cidr else _Client(key, cidr_ipv4=cidr)
