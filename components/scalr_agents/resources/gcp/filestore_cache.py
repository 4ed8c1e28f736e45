"""The `FilestoreCache` component."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import pulumi
import pulumi_gcp as gcp

from scalr_agents.caches import OnDelete, filestore
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.forms import is_set
from scalr_agents.model.spelling import in_programs
from scalr_agents.resources import literals
from scalr_agents.resources.answers import answered
from scalr_agents.resources.component import Validated
from scalr_agents.resources.options import as_output, child, optional, parsed
from scalr_agents.resources.validation import ArgsError, validate, with_text

_INSTANCE, _LOOKUP = "gcp:filestore/instance:Instance", "gcp:filestore/getInstance:getInstance"
_ADDRESS = "networks[0].ipAddresses[0]"


class FilestoreExportOptionArgs(TypedDict):
    """Clients that may mount the share, and how they access it."""

    ip_ranges: NotRequired[Sequence[str]]
    """IP addresses and networks of the clients. Default: all of the VPC."""
    access_mode: NotRequired[literals.ShareAccess]
    """`READ_WRITE` (default) or `READ_ONLY`."""
    squash_mode: NotRequired[literals.SquashMode]
    """`NO_ROOT_SQUASH` (default) or `ROOT_SQUASH`. With `ROOT_SQUASH` the kubelet cannot give the volume to the pods' group."""
    anon_uid: NotRequired[int]
    """Numeric ID, at least 1, of the user that root becomes with `ROOT_SQUASH`."""
    anon_gid: NotRequired[int]
    """Numeric ID, at least 1, of the group that root becomes with `ROOT_SQUASH`."""


class FilestoreCacheArgs(TypedDict):
    """Arguments of `FilestoreCache`."""

    instance_id: NotRequired[pulumi.Input[str]]
    """`projects/<project>/locations/<location>/instances/<name>` of an existing instance. Its address and share
    are looked up."""
    tier: NotRequired[literals.Tier]
    """Service tier: `BASIC_HDD` (default), `BASIC_SSD`, `ZONAL`, `REGIONAL` or `ENTERPRISE`."""
    location: NotRequired[str]
    """Zone for the tiers BASIC_HDD, BASIC_SSD and ZONAL, region for REGIONAL and ENTERPRISE."""
    project: NotRequired[str]
    """Google Cloud project. Default: that of the provider."""
    capacity: NotRequired[str]
    """Size of the share, a Kubernetes quantity. Default: `1Ti`. The tier determines the allowed sizes."""
    share_name: NotRequired[str]
    """Name of the share, at most 16 characters. Default: `cache`."""
    network: NotRequired[pulumi.Input[str]]
    """Name of the VPC network, or its full path for a shared VPC. Default: `default`."""
    connect_mode: NotRequired[literals.ConnectMode]
    """`DIRECT_PEERING` (default) or `PRIVATE_SERVICE_ACCESS`, which a shared VPC needs."""
    reserved_ip_range: NotRequired[pulumi.Input[str]]
    """Addresses for the instance: a CIDR for DIRECT_PEERING, the name of an allocated range for PRIVATE_SERVICE_ACCESS. Default: any."""
    protocol: NotRequired[literals.Protocol]
    """`NFS_V3` (default) or `NFS_V4_1`, which basic tiers do not support."""
    export_options: NotRequired[Sequence[FilestoreExportOptionArgs]]
    """Clients that may mount the share. Default: all hosts of the network."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Full name of the Cloud KMS key; not supported by basic tiers. Default: the key that Google manages."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Labels of the instance."""
    on_delete: NotRequired[literals.OnDelete]
    """`keep` (default) protects the instance and keeps it when this component is removed, `delete` deletes it."""


class FilestoreCache(Validated["FilestoreRequest"]):
    """A Filestore instance with one share, for the shared cache of the agents of one namespace.

    Creates cloud resources only; use a `FilestoreClaim` for the volume that agents mount. Pods need the Filestore CSI driver, an add-on
    of GKE. `on_delete: keep` keeps the instance, and turns on its deletion protection if the tier supports that.
    """

    instance_id: pulumi.Output[str]
    """ID of the instance, `projects/<project>/locations/<location>/instances/<name>`."""
    share_name: pulumi.Output[str]
    """Name of the share."""
    ip_address: pulumi.Output[str]
    """IP address of the instance in its network."""
    capacity: pulumi.Output[str]
    """Size of the share, a Kubernetes quantity."""
    protocol: pulumi.Output[str]
    """NFS version, `NFS_V3` or `NFS_V4_1`."""

    def __init__(self, name: str, args: FilestoreCacheArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = validate("FilestoreCache", name, _Arguments, args, lambda given: _check(name, given))
        self.make(name, FilestoreRequest(given, keep=given.on_delete == "keep"), opts)

    def make(self, name: str, request: "FilestoreRequest", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:FilestoreCache", name, {}, opts)

        request = request._replace(
            settings=with_text(self, name, request.settings, "instance_id", "network", "reserved_ip_range", "kms_key")
        )
        if is_set(request.settings.instance_id):
            self._take(name, request)
        else:
            self._create(name, request, opts)
        self.publish()

    def _create(self, name: str, request: "FilestoreRequest", opts: pulumi.ResourceOptions | None) -> None:
        settings, keep = request.settings, request.keep
        instance = gcp.filestore.Instance(
            f"{name}-instance",
            description="Cache of Scalr agents",
            tier=settings.tier,
            location=settings.location,
            project=settings.project or None,
            protocol=settings.protocol,
            networks=[
                gcp.filestore.InstanceNetworkArgs(
                    network=self._network(settings),
                    modes=["MODE_IPV4"],
                    connect_mode=settings.connect_mode,
                    reserved_ip_range=optional(settings.reserved_ip_range),
                )
            ],
            file_shares=gcp.filestore.InstanceFileSharesArgs(
                name=settings.share_name,
                capacity_gb=settings.capacity_gib,
                nfs_export_options=[_export_option(option) for option in settings.export_options] or None,
            ),
            kms_key_name=optional(settings.kms_key),
            labels=cast("Mapping[str, pulumi.Input[str]]", settings.labels),
            # Basic tiers have no deletion protection and reject the field.
            deletion_protection_enabled=None if filestore.TIERS[settings.tier].basic else keep,
            opts=child(self, opts, retain_on_delete=keep, replacement_trigger=settings.size_class),
        )
        self.instance_id = instance.id
        self.share_name = instance.file_shares.name
        self.ip_address = answered(_INSTANCE, instance.networks, _ADDRESS, lambda networks: networks[0].ip_addresses[0])
        self.capacity = pulumi.Output.from_input(settings.capacity)
        self.protocol = pulumi.Output.from_input(settings.protocol)

    def _network(self, settings: filestore.FilestoreSettings) -> pulumi.Output[str]:
        """The network, in one spelling."""
        provider = self.get_provider(_INSTANCE)
        of_provider = provider.project if isinstance(provider, gcp.Provider) else None if provider else gcp.config.project
        both = pulumi.Output.all(as_output(settings.network), settings.project or of_provider)
        return both.apply(lambda known: filestore.network(*known))

    def _take(self, name: str, request: "FilestoreRequest") -> None:
        """Use an existing instance. It is looked up before anything is registered, unless its id is not known yet."""
        settings = request.settings
        self.instance_id = as_output(settings.instance_id)
        if isinstance(settings.instance_id, str):
            known = request.found or look_up(settings.instance_id, name, pulumi.InvokeOptions(parent=self))
            instance: pulumi.Output[Any] = pulumi.Output.from_input(known)
        else:
            parts = parsed(self.instance_id, filestore.instance_parts)
            opts = pulumi.InvokeOutputOptions(parent=self)
            instance = gcp.filestore.get_instance_output(
                project=parts["project"], location=parts["location"], name=parts["name"], opts=opts
            )
        self.share_name = answered(_LOOKUP, instance, "fileShares[0].name", lambda found: found.file_shares[0].name)
        self.ip_address = answered(_LOOKUP, instance, _ADDRESS, lambda found: found.networks[0].ip_addresses[0])
        gibibytes = answered(_LOOKUP, instance, "fileShares[0].capacityGb", lambda found: found.file_shares[0].capacity_gb)
        self.capacity = gibibytes.apply(lambda known: f"{known}Gi")
        self.protocol = answered(_LOOKUP, instance, "protocol", lambda found: found.protocol)


class FilestoreRequest(NamedTuple):
    """A validated cache, with its existing instance if that was looked up already."""

    settings: filestore.FilestoreSettings
    keep: bool
    found: gcp.filestore.GetInstanceResult | None = None


class _Arguments(filestore.FilestoreSettings):
    on_delete: OnDelete = "keep"


def look_up(instance_id: str, name: str, opts: pulumi.InvokeOptions | None = None) -> gcp.filestore.GetInstanceResult:
    """Look up an existing instance, for the cache `name`."""
    get_instance, parts = gcp.filestore.get_instance, filestore.instance_parts(instance_id)
    try:
        return get_instance(**parts, opts=opts)
    except Exception as problem:  # the SDK raises nothing narrower when a lookup fails
        finding = error("instance_id", f"cannot look up Filestore instance {instance_id!r}: {problem}")
        raise ArgsError(f"FilestoreCache {name!r}", [finding]) from problem


def _check(name: str, given: _Arguments) -> Findings:
    if not is_set(given.instance_id):
        yield from filestore.check_name("", name)
    yield from filestore.check(given, in_programs)


def _export_option(option: filestore.ExportOption) -> gcp.filestore.InstanceFileSharesNfsExportOptionArgs:
    return gcp.filestore.InstanceFileSharesNfsExportOptionArgs(
        ip_ranges=option.ip_ranges or None,
        access_mode=option.access_mode,
        squash_mode=option.squash_mode,
        anon_uid=option.anon_uid,
        anon_gid=option.anon_gid,
    )
