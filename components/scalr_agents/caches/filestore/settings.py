"""The settings of a Filestore instance and of its network, and of the volume that agents mount."""

import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field

from scalr_agents.caches import OnDelete
from scalr_agents.caches.filestore.tiers import SMALL, TIERS, Protocol, Sizes, Tier
from scalr_agents.model import google, quantities
from scalr_agents.model.fields import InputSize, InputText, Namespace, ReleaseName, Size, Text
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import REQUIRED, Form, OneOf, Rule, as_given, integral
from scalr_agents.model.relations import Clash, Is, Relations, check, excludes, needs, no_effect, risky
from scalr_agents.model.section import Section

_MOST_EXPORT_OPTIONS, _MOST_IP_RANGES = 10, 64
_INSTANCE = r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/instances/(?P<name>[^/]+)"
_NETWORK = r"[a-z]([-a-z0-9]*[a-z0-9])?|(.*/)?projects/(?P<project>[^/]+)/global/networks/[^/]+"
_RANGE_NAME = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_BASIC = Is("tier", *(tier for tier, rules in TIERS.items() if rules.basic))
_REGIONAL = Is("tier", *(tier for tier, rules in TIERS.items() if rules.regional))
_ADVANCED = f"one of {', '.join(tier for tier, rules in TIERS.items() if not rules.basic)}"
_OPEN = "every client in the network can mount the share and write to it, even as root, and so can change what runs execute;"
_SQUASHED = "the kubelet, as root, cannot give the volume to the pods' group (permission denied); use NO_ROOT_SQUASH, or set the group"


def _is_network(text: str) -> bool:
    try:
        ipaddress.IPv4Network(text)
    except ValueError:
        return False
    return True


ConnectMode = Literal["DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS"]
ShareAccess = Literal["READ_WRITE", "READ_ONLY"]
SquashMode = Literal["NO_ROOT_SQUASH", "ROOT_SQUASH"]
AnonymousId = Annotated[
    int | None,
    Field(ge=0, lt=2**32),
    BeforeValidator(integral),
    Rule(check=lambda given: "" if given else "given 0, which the provider omits, so that it would be 65534; use NO_ROOT_SQUASH"),
]
InstanceId = Annotated[
    InputText, Form(expected="the ID of an instance: projects/<project>/locations/<location>/instances/<name>", test=_INSTANCE)
]
ShareName = Annotated[
    Text,
    Form(
        expected="at most 16 lower case letters, digits and '_', starting with a letter",
        test=r"[a-z][a-z0-9_]*",
        longest=16,
        meant=lambda given: (given.lower().replace("-", "_"),),
    ),
]
Network = Annotated[InputText, Form(expected="the name of a network, or projects/<project>/global/networks/<name>", test=_NETWORK)]
_CLIENTS = Form(
    expected="an IPv4 address or network, for instance 10.20.0.0/16",
    test=lambda text: bool(re.fullmatch(r"[0-9]+(\.[0-9]+){3}(/[0-9]{1,2})?", text)) and _is_network(text),
)
INSTANCE_NAME = Form(
    expected="at most 33 lower case letters, digits and '-', starting with a letter, as part of the name of an instance",
    test=_RANGE_NAME,
    longest=33,
)
"""The name of a cache. Google allows 63 characters. Pulumi needs some of them for a suffix that makes the name unique."""


def _only_new(*settings: str) -> Clash:
    return no_effect(*settings, when="instance_id", because="{instance_id} refers to an existing instance")


def _everyone(ranges: Sequence[str]) -> Findings:
    for number, address in enumerate(ranges):
        if address.endswith("/0"):
            yield warning(("ip_ranges", number), f"{_OPEN} give the addresses of the nodes")


class ExportOption(Section):
    """Clients that may mount the share, and how they access it."""

    ip_ranges: list[Annotated[str, _CLIENTS]] = []
    """IPv4 addresses of the clients, and networks in CIDR notation. Default: the whole VPC."""
    access_mode: ShareAccess = "READ_WRITE"
    """Access of these clients: `READ_WRITE` or `READ_ONLY`."""
    squash_mode: SquashMode = "NO_ROOT_SQUASH"
    """Whether a client's root is root on the share. With `ROOT_SQUASH` it is not, and the kubelet, which runs as root, cannot give the
    volume to the pods' group."""
    anon_uid: AnonymousId = None
    """User ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""
    anon_gid: AnonymousId = None
    """Group ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""

    relations: ClassVar[Relations] = (
        no_effect("anon_uid", "anon_gid", unless=Is("squash_mode", "ROOT_SQUASH")),
        risky(Is("squash_mode", "ROOT_SQUASH"), because=_SQUASHED),
        needs("ip_ranges", unless=Is("access_mode", "READ_ONLY"), because=f"{_OPEN} give the addresses of the nodes", severity="warning"),
        check("ip_ranges", unless=Is("access_mode", "READ_ONLY"), by=_everyone),
    )


def _location(location: str, tier: Tier) -> Findings:
    regional = TIERS[tier].regional
    form, kind, example = (google.REGION, "region", "europe-west1") if regional else (google.ZONE, "zone", "europe-west1-b")
    if not re.fullmatch(form, location):
        yield error("location", f"given {as_given(location)}, but {tier} requires a {kind}, for instance {example}")


def _capacity(capacity: str, tier: Tier) -> Findings:
    sizes, gibibytes = TIERS[tier].sizes, quantities.parse(capacity) / quantities.GIBIBYTE
    allowed = ", or ".join(map(str, sizes))
    if gibibytes != int(gibibytes):
        yield error("capacity", f"given {capacity}, which is not a whole number of GiB; {tier} allows {allowed}")
    elif not any(size.has(int(gibibytes)) for size in sizes):
        yield error("capacity", f"given {capacity}, which is {int(gibibytes)} GiB; {tier} allows {allowed}")


def _shared_network(network: str, project: str, mode: ConnectMode, mode_name: str) -> Findings:
    match = re.fullmatch(_NETWORK, network)
    if match and match["project"] not in (None, project) and mode == "DIRECT_PEERING":
        message = f"if this is a shared VPC of another project, Filestore refuses it; set {mode_name}: PRIVATE_SERVICE_ACCESS"
        yield warning("network", message)


def _kind_of_range(given: str, mode: ConnectMode) -> Findings:
    peering = mode == "DIRECT_PEERING"
    if not (("/" in given and _is_network(given)) if peering else re.fullmatch(_RANGE_NAME, given)):
        required = "a network, for instance 10.0.0.0/29" if peering else "the name of an allocated range"
        yield error("reserved_ip_range", f"given {as_given(given)}, but {mode} requires {required}")


def _size_of_range(given: str, tier: Tier, capacity: str) -> Findings:
    allowed = size_range(tier, capacity)
    if allowed and ipaddress.IPv4Network(given).prefixlen not in allowed.prefixes:
        required = " or ".join(f"/{length}" for length in allowed.prefixes)
        yield error("reserved_ip_range", f"given {given!r}, but {tier} of {capacity} requires a {required} network")


def _too_many(options: Sequence[object]) -> str:
    too_many = len(options) > _MOST_EXPORT_OPTIONS
    return f"{len(options)} options, but Filestore allows at most {_MOST_EXPORT_OPTIONS}" if too_many else ""


def _export_options(options: Sequence[ExportOption], name: str) -> Findings:
    """All options together: some client may write, and no client is in two of them."""
    if options and all(option.access_mode == "READ_ONLY" for option in options):
        yield error("export_options", "no client may write, so nothing would be cached; give the nodes READ_WRITE")
    count = sum(len(option.ip_ranges) for option in options)
    if count > _MOST_IP_RANGES:
        yield error("export_options", f"{count} addresses and networks, but Filestore allows at most {_MOST_IP_RANGES} in all options")
        return
    earlier: dict[ipaddress.IPv4Network, str] = {}
    for index, option in enumerate(options):
        for number, address in enumerate(option.ip_ranges):
            if not _CLIENTS.accepts(address):
                continue
            network = ipaddress.IPv4Network(address)
            if other := next((place for known, place in earlier.items() if known.overlaps(network)), ""):
                at = ("export_options", index, "ip_ranges", number)
                yield error(at, f"given {address!r}, which overlaps with {other}; Filestore refuses that")
            earlier.setdefault(network, f"{address} of {name}[{index}]")


class FilestoreSettings(Section):
    """A Filestore instance: a new one, or an existing one given by its ID."""

    instance_id: InstanceId = ""
    """ID of an existing instance, `projects/<project>/locations/<location>/instances/<name>`. Its address and share are looked up;
    only `capacity` may be set with it, for the limits of the agents' caches."""
    tier: Tier = "BASIC_HDD"
    """Service tier."""
    location: Text = ""
    """Zone for the tiers BASIC_HDD, BASIC_SSD and ZONAL; region for REGIONAL and ENTERPRISE. Required for a new instance."""
    project: google.ProjectId = ""
    """Google Cloud project. Default: the provider's project."""
    capacity: Size = "1Ti"
    """Size of the share, a Kubernetes quantity of whole GiB. The tier determines the allowed range and steps."""
    share_name: ShareName = "cache"
    """Name of the share, at most 16 characters."""
    network: Network = "default"
    """Name of the VPC network, or its path or URL for a shared VPC. Another spelling of the same network changes nothing."""
    connect_mode: ConnectMode = "DIRECT_PEERING"
    """How the network connects to the instance. A shared VPC requires PRIVATE_SERVICE_ACCESS."""
    reserved_ip_range: InputText = ""
    """IP range of the instance: a network for DIRECT_PEERING, whose size the tier determines, the name of an allocated range for
    PRIVATE_SERVICE_ACCESS. Default: any."""
    protocol: Protocol = "NFS_V3"
    """NFS version. Basic tiers support only NFS_V3."""
    export_options: Annotated[Sequence[ExportOption], Rule(check=_too_many)] = []
    """Clients that may mount the share: at most 10 entries, with 64 addresses and networks in all, of which no two overlap. Default: all
    hosts of the network, with a warning."""
    kms_key: google.KmsKey = ""
    """Full name of a Cloud KMS key, `projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>`; not supported by basic
    tiers. Default: a Google-managed key."""
    labels: google.Labels = {}
    """Labels of the instance."""

    relations: ClassVar[Relations] = (
        _only_new(
            *("tier", "location", "project", "share_name", "network", "connect_mode", "reserved_ip_range", "protocol", "export_options"),
            *("kms_key", "labels"),
        ),
        needs("location", when=_REGIONAL, unless="instance_id", because="{tier:value} requires a region, for instance europe-west1"),
        needs("location", unless=(_REGIONAL, "instance_id"), because="{tier:value} requires a zone, for instance europe-west1-b"),
        excludes("kms_key", when=_BASIC, because=f"{{tier:value}} does not support customer-managed keys; use {_ADVANCED}"),
        excludes(Is("protocol", "NFS_V4_1"), when=_BASIC, because=f"{{tier:value}} supports only NFS_V3; NFS_V4_1 requires {_ADVANCED}"),
        needs("export_options", unless="instance_id", because=f"{_OPEN} allow only the addresses of the nodes", severity="warning"),
        check("location", "tier", by=_location),
        check("capacity", "tier", unless="instance_id", by=_capacity),
        check("network", "project", "connect_mode", by=_shared_network, named="connect_mode"),
        check("reserved_ip_range", "connect_mode", by=_kind_of_range),
        check("reserved_ip_range", "tier", "capacity", when=Is("connect_mode", "DIRECT_PEERING"), by=_size_of_range),
        check("export_options", by=_export_options, named="export_options"),
    )

    @property
    def capacity_gib(self) -> int:
        """Size of the share in GiB, the unit of the Filestore API."""
        return int(quantities.parse(self.capacity) / quantities.GIBIBYTE)

    @property
    def size_range(self) -> Sizes | None:
        """The range of its capacity; none if it is not allowed."""
        return size_range(self.tier, self.capacity)

    @property
    def size_class(self) -> str | None:
        """What of its size cannot change in place: `small` or `large`, for a tier that has both."""
        both = len(TIERS[self.tier].sizes) > 1
        return ("small" if self.size_range == SMALL else "large") if both else None


class FilestoreArguments(FilestoreSettings):
    """Arguments of `FilestoreCache`."""

    on_delete: OnDelete = "keep"
    """`keep` protects the instance and keeps it when this component is removed, `delete` deletes it."""

    relations: ClassVar[Relations] = (_only_new("on_delete"),)


class FilestoreClaimSettings(Section):
    """Arguments of `FilestoreClaim`. All but the first two are outputs of a `FilestoreCache`."""

    namespace: Namespace
    """Namespace of the agents. It must exist."""
    release: ReleaseName
    """Release of the agents. Claim and volume are named after it."""
    instance_id: Annotated[InstanceId, REQUIRED]
    """ID of the instance, `projects/<project>/locations/<location>/instances/<name>`."""
    ip_address: Annotated[InputText, REQUIRED]
    """IP address of the instance."""
    share_name: Annotated[InputText, REQUIRED] = "cache"
    """Name of the share."""
    capacity: Annotated[InputSize, REQUIRED] = "1Ti"
    """Size of the share, a Kubernetes quantity."""
    protocol: Annotated[InputText, REQUIRED, OneOf(get_args(Protocol))] = "NFS_V3"
    """NFS version: `NFS_V3` or `NFS_V4_1`."""


def size_range(tier: Tier, capacity: str) -> Sizes | None:
    """The range of a capacity; none if it is not allowed."""
    gibibytes = int(quantities.parse(capacity) / quantities.GIBIBYTE)
    return next((sizes for sizes in TIERS[tier].sizes if sizes.has(gibibytes)), None)


def instance_parts(instance_id: str) -> dict[str, str]:
    """Project, location and name of an instance."""
    match = re.fullmatch(_INSTANCE, instance_id)
    if match is None:
        raise ValueError(f"{instance_id!r} is not the ID of a Filestore instance")
    return match.groupdict()


def network(given: str, project: str | None) -> str:
    """A network as Filestore takes it: its name if it is in the project of the instance, its path otherwise.

    The provider takes another spelling for another network, and so for another instance. `project` is None if it is not known.
    """
    match = re.fullmatch(_NETWORK, given)
    if match is None or not match["project"]:
        return given
    name = given.rpartition("/")[2]
    return name if match["project"] == project else f"projects/{match['project']}/global/networks/{name}"
