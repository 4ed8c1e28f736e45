"""The `FilestoreCache` component."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import pulumi
from pulumi_gcp import config, filestore
from pulumi_gcp.provider import Provider

from scalr_agents.caches.filestore.settings import (
    INSTANCE_NAME,
    ExportOption,
    FilestoreArguments,
    FilestoreSettings,
    instance_parts,
    network,
)
from scalr_agents.caches.filestore.tiers import TIERS
from scalr_agents.model.findings import error
from scalr_agents.model.maps import is_set
from scalr_agents.resources.arguments.caches import FilestoreCacheArgs
from scalr_agents.resources.component import Validated, child
from scalr_agents.resources.outputs import answered, as_output, optional, parsed
from scalr_agents.resources.validation import ArgsError, validate, with_text

_INSTANCE, _LOOKUP = "gcp:filestore/instance:Instance", "gcp:filestore/getInstance:getInstance"
_ADDRESS = "networks[0].ipAddresses[0]"


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
        names = None if args.get("instance_id") else INSTANCE_NAME  # the name of a new instance begins with the component's
        given = validate("FilestoreCache", name, FilestoreArguments, args, names=names)
        self.make(name, FilestoreRequest(given, keep=given.on_delete == "keep"), opts)

    def make(self, name: str, request: "FilestoreRequest", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:FilestoreCache", name, {}, opts)

        request = request._replace(settings=with_text(self, name, request.settings))
        if is_set(request.settings.instance_id):
            self._take(name, request)
        else:
            self._create(name, request, opts)
        self.publish()

    def _create(self, name: str, request: "FilestoreRequest", opts: pulumi.ResourceOptions | None) -> None:
        settings, keep = request.settings, request.keep
        instance = filestore.Instance(
            f"{name}-instance",
            description="Cache of Scalr agents",
            tier=settings.tier,
            location=settings.location,
            project=settings.project or None,
            protocol=settings.protocol,
            networks=[
                filestore.InstanceNetworkArgs(
                    network=self._network(settings),
                    modes=["MODE_IPV4"],
                    connect_mode=settings.connect_mode,
                    reserved_ip_range=optional(settings.reserved_ip_range),
                )
            ],
            file_shares=filestore.InstanceFileSharesArgs(
                name=settings.share_name,
                capacity_gb=settings.capacity_gib,
                nfs_export_options=[_export_option(option) for option in settings.export_options] or None,
            ),
            kms_key_name=optional(settings.kms_key),
            labels=cast("Mapping[str, pulumi.Input[str]]", settings.labels),
            # Basic tiers have no deletion protection and reject the field.
            deletion_protection_enabled=None if TIERS[settings.tier].basic else keep,
            opts=child(self, opts, retain_on_delete=keep, replacement_trigger=settings.size_class),
        )
        self.instance_id = instance.id
        self.share_name = instance.file_shares.name
        self.ip_address = answered(_INSTANCE, instance.networks, _ADDRESS, lambda networks: networks[0].ip_addresses[0])
        self.capacity = pulumi.Output.from_input(settings.capacity)
        self.protocol = pulumi.Output.from_input(settings.protocol)

    def _network(self, settings: FilestoreSettings) -> pulumi.Output[str]:
        """The network, in one spelling."""
        provider = self.get_provider(_INSTANCE)
        of_provider = provider.project if isinstance(provider, Provider) else None if provider else config.project
        both = pulumi.Output.all(as_output(settings.network), settings.project or of_provider)
        return both.apply(lambda known: network(*known))

    def _take(self, name: str, request: "FilestoreRequest") -> None:
        """Use an existing instance. It is looked up before anything is registered, unless its id is not known yet."""
        settings = request.settings
        self.instance_id = as_output(settings.instance_id)
        if isinstance(settings.instance_id, str):
            known = request.found or look_up(settings.instance_id, name, pulumi.InvokeOptions(parent=self))
            instance: pulumi.Output[Any] = pulumi.Output.from_input(known)
        else:
            parts = parsed(self.instance_id, instance_parts)
            opts = pulumi.InvokeOutputOptions(parent=self)
            instance = filestore.get_instance_output(project=parts["project"], location=parts["location"], name=parts["name"], opts=opts)
        self.share_name = answered(_LOOKUP, instance, "fileShares[0].name", lambda found: found.file_shares[0].name)
        self.ip_address = answered(_LOOKUP, instance, _ADDRESS, lambda found: found.networks[0].ip_addresses[0])
        gibibytes = answered(_LOOKUP, instance, "fileShares[0].capacityGb", lambda found: found.file_shares[0].capacity_gb)
        self.capacity = gibibytes.apply(lambda known: f"{known}Gi")
        self.protocol = answered(_LOOKUP, instance, "protocol", lambda found: found.protocol)


class FilestoreRequest(NamedTuple):
    """A validated cache, with its existing instance if that was looked up already."""

    settings: FilestoreSettings
    keep: bool
    found: filestore.GetInstanceResult | None = None


def look_up(instance_id: str, name: str, opts: pulumi.InvokeOptions | None = None) -> filestore.GetInstanceResult:
    """Look up an existing instance, for the cache `name`."""
    get_instance, parts = filestore.get_instance, instance_parts(instance_id)
    try:
        return get_instance(**parts, opts=opts)
    except Exception as problem:  # the SDK raises nothing narrower when a lookup fails
        finding = error("instance_id", f"cannot look up Filestore instance {instance_id!r}: {problem}")
        raise ArgsError(f"FilestoreCache {name!r}", [finding]) from problem


def _export_option(option: ExportOption) -> filestore.InstanceFileSharesNfsExportOptionArgs:
    return filestore.InstanceFileSharesNfsExportOptionArgs(
        ip_ranges=option.ip_ranges or None,
        access_mode=option.access_mode,
        squash_mode=option.squash_mode,
        anon_uid=option.anon_uid,
        anon_gid=option.anon_gid,
    )
