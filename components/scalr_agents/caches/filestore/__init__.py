"""Google Filestore: the settings of an instance and of its network, and the volume that agents mount."""

import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field

from scalr_agents.model import checks, clouds, quantities
from scalr_agents.model.fields import InputMap, InputText, Quantity, Text
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import Deferred, integral, is_set
from scalr_agents.model.messages import too_long
from scalr_agents.model.section import Section
from scalr_agents.model.spelling import Spelling

GIBIBYTE = 1024**3

_INSTANCE = re.compile(r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/instances/(?P<name>[^/]+)")
_REGION = re.compile(r"[a-z]+-[a-z]+[0-9]+")
_ZONE = re.compile(r"[a-z]+-[a-z]+[0-9]+-[a-z]")
_SHARE = re.compile(r"[a-z][a-z0-9_]*")
_RANGE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_PROJECT = re.compile(r"([a-z0-9.-]+:)?[a-z][-a-z0-9]*[a-z0-9]|[0-9]+")
_NETWORK = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?|(.*/)?projects/(?P<project>[^/]+)/global/networks/[^/]+")
_KEY = re.compile(clouds.GOOGLE_KEY)
_LONGEST_SHARE = 16
_MOST_EXPORT_OPTIONS = 10
_MOST_IP_RANGES = 64
_CLIENT = re.compile(r"[0-9]+(\.[0-9]+){3}(/[0-9]{1,2})?")
LONGEST_NAME = 33
"""Longest name of a cache. Google allows 63 characters. Pulumi needs some of them for a suffix that makes the name unique."""
_OPEN = "every client in the network can mount the share and write to it, even as root, and can so change what runs execute;"

Tier = Literal["BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE"]
Protocol = Literal["NFS_V3", "NFS_V4_1"]
ConnectMode = Literal["DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS"]
ShareAccess = Literal["READ_WRITE", "READ_ONLY"]
SquashMode = Literal["NO_ROOT_SQUASH", "ROOT_SQUASH"]
AnonymousId = Annotated[int | None, Field(ge=0, lt=2**32), BeforeValidator(integral)]


class Sizes(NamedTuple):
    """Allowed capacities in GiB: from smallest to largest, in steps."""

    smallest: int
    largest: int
    step: int
    prefixes: tuple[int, ...]
    """Prefix lengths of the network that an instance takes for itself with DIRECT_PEERING."""

    def has(self, capacity: int) -> bool:
        return self.smallest <= capacity <= self.largest and (capacity - self.smallest) % self.step == 0

    def __str__(self) -> str:
        return f"{self.smallest} to {self.largest} GiB" + (f" in steps of {self.step}" if self.step > 1 else "")


class TierRules(NamedTuple):
    """What a service tier supports."""

    regional: bool
    """Whether the tier is regional; otherwise it is zonal."""
    sizes: tuple[Sizes, ...]
    basic: bool = False
    """Basic tiers support only NFS 3, no customer-managed keys and no deletion protection."""

    @property
    def protocols(self) -> tuple[str, ...]:
        return ("NFS_V3",) if self.basic else get_args(Protocol)


_SMALL = Sizes(100, 10239, 1, (26,))
TIERS: dict[Tier, TierRules] = {
    "BASIC_HDD": TierRules(regional=False, sizes=(Sizes(1024, 65433, 1, (29,)),), basic=True),
    "BASIC_SSD": TierRules(regional=False, sizes=(Sizes(2560, 65433, 1, (29,)),), basic=True),
    "ZONAL": TierRules(regional=False, sizes=(_SMALL, Sizes(10240, 102400, 2560, (24,)))),
    "REGIONAL": TierRules(regional=True, sizes=(_SMALL, Sizes(10240, 102400, 2560, (24, 26)))),
    "ENTERPRISE": TierRules(regional=True, sizes=(Sizes(1024, 10240, 256, (26,)),)),
}
"""Capacities from the documentation of Google's provider 8.0.0. Networks from the reference of Filestore's API, which does not mention
large regional instances."""
_EVERYWHERE = Sizes(1024, 9984, 256, ())
"""Smaller capacities of ZONAL and REGIONAL that all of Google's pages agree on."""


class ExportOption(Section):
    """Clients that may mount the share, and how they access it."""

    ip_ranges: list[str] = []
    """IPv4 addresses and networks of the clients. Default: the whole VPC."""
    access_mode: ShareAccess = "READ_WRITE"
    """Access of these clients: `READ_WRITE` or `READ_ONLY`."""
    squash_mode: SquashMode = "NO_ROOT_SQUASH"
    """Whether a client's root is root on the share. The kubelet, which runs as root, needs this to give the volume to the pods' group."""
    anon_uid: AnonymousId = None
    """User ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""
    anon_gid: AnonymousId = None
    """Group ID of a squashed root, at least 1. Only with `ROOT_SQUASH`."""


class FilestoreSettings(Section):
    """A cache on Google Filestore: a new instance, or an existing one given by its ID.

    Its agents must be in one namespace. They share a volume, in which each has its own directory.
    """

    instance_id: InputText = ""
    """ID of an existing instance, `projects/<project>/locations/<location>/instances/<name>`. Its address and share are looked up."""
    tier: Tier = "BASIC_HDD"
    """Service tier."""
    location: Text = ""
    """Zone for the tiers BASIC_HDD, BASIC_SSD and ZONAL; region for REGIONAL and ENTERPRISE. Required for a new instance."""
    project: Text = ""
    """Google Cloud project. Default: the provider's project."""
    capacity: Quantity = "1Ti"
    """Size of the share. The tier determines the allowed range and steps."""
    share_name: Text = "cache"
    """Name of the share."""
    network: InputText = "default"
    """Name of the VPC network, or its full path for a shared VPC."""
    connect_mode: ConnectMode = "DIRECT_PEERING"
    """How the network connects to the instance. A shared VPC requires PRIVATE_SERVICE_ACCESS."""
    reserved_ip_range: InputText = ""
    """IP range of the instance: a network for DIRECT_PEERING, the name of an allocated range for PRIVATE_SERVICE_ACCESS. Default: any."""
    protocol: Protocol = "NFS_V3"
    """NFS version. Basic tiers support only NFS_V3."""
    export_options: Sequence[ExportOption] = []
    """Clients that may mount the share. Default: all hosts of the network."""
    kms_key: InputText = ""
    """Full resource name of the Cloud KMS key. Default: a Google-managed key."""
    labels: InputMap = {}
    """Labels of the instance."""


class FilestoreClaimSettings(Section):
    """The volume of an instance, for the agents of one namespace."""

    namespace: str
    release: str
    instance_id: InputText
    share_name: InputText = "cache"
    ip_address: InputText
    capacity: InputText = "1Ti"
    protocol: InputText = "NFS_V3"


def check(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    """Cross-checks of settings that are valid one by one but do not work together."""
    if is_set(filestore.instance_id):
        yield from _instance_id(spell("instance_id"), filestore.instance_id)
        if "capacity" in filestore.model_fields_set:
            yield from checks.quantity("capacity", filestore.capacity)
        for word in sorted(filestore.model_fields_set - {"instance_id", "capacity"}):
            yield error(spell(word), f"has no effect: {spell('instance_id')} refers to an existing instance")
        return
    rules = TIERS[filestore.tier]
    yield from _location(filestore, rules)
    yield from _capacity(filestore, rules)
    if filestore.protocol not in rules.protocols:
        yield error(
            "protocol", f"{filestore.tier} supports only {' and '.join(rules.protocols)}; {filestore.protocol} requires {_advanced()}"
        )
    if is_set(filestore.kms_key) and rules.basic:
        yield error(spell("kms_key"), f"{filestore.tier} does not support customer-managed keys; use {_advanced()}")
    elif isinstance(filestore.kms_key, str) and filestore.kms_key and not _KEY.fullmatch(filestore.kms_key):
        yield error(
            spell("kms_key"),
            f"given {filestore.kms_key!r}; expected projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>, "
            "without a version. Look it up: gcloud kms keys list --location=<location> --keyring=<ring> --format='value(name)'",
        )
    if len(filestore.share_name) > _LONGEST_SHARE or not _SHARE.fullmatch(filestore.share_name):
        message = f"given {filestore.share_name!r}; use at most {_LONGEST_SHARE} lower case letters, digits and '_', starting with a letter"
        yield error(spell("share_name"), message)
    if filestore.project and not _PROJECT.fullmatch(filestore.project):
        yield error("project", "not the ID of a project")
    yield from _network(filestore, spell)
    yield from _reserved_range(filestore, spell)
    yield from _export_options(filestore, spell)
    yield from _open_to_all(filestore, spell)
    yield from clouds.labels("labels", filestore.labels)


def _advanced() -> str:
    return "one of " + ", ".join(tier for tier, rules in TIERS.items() if not rules.basic)


def _instance_id(path: str, value: str | Deferred) -> Findings:
    if isinstance(value, str) and not _INSTANCE.fullmatch(value):
        yield error(path, f"given {value!r}; expected projects/<project>/locations/<location>/instances/<name>")


def instance_parts(instance_id: str) -> dict[str, str]:
    """Project, location and name of an instance."""
    match = _INSTANCE.fullmatch(instance_id)
    if match is None:
        raise ValueError(f"{instance_id!r} is not the ID of a Filestore instance")
    return match.groupdict()


def volume_handle(instance_id: str, share_name: str) -> str:
    """The CSI driver's handle for the share of an instance."""
    parts = instance_parts(instance_id)
    return f"modeInstance/{parts['location']}/{parts['name']}/{share_name}"


def _location(filestore: FilestoreSettings, rules: TierRules) -> Findings:
    form, kind, example = (_REGION, "region", "europe-west1") if rules.regional else (_ZONE, "zone", "europe-west1-b")
    if not filestore.location:
        yield error("location", f"missing: {filestore.tier} requires a {kind}, for instance {example}")
    elif not form.fullmatch(filestore.location):
        yield error("location", f"given {filestore.location!r}, but {filestore.tier} requires a {kind}, for instance {example}")


def _capacity(filestore: FilestoreSettings, rules: TierRules) -> Findings:
    gibibytes = quantities.parse(filestore.capacity) / GIBIBYTE
    allowed = ", or ".join(map(str, rules.sizes))
    if gibibytes != int(gibibytes):
        yield error("capacity", f"given {filestore.capacity}, which is not a whole number of GiB; {filestore.tier} allows {allowed}")
    elif not any(sizes.has(int(gibibytes)) for sizes in rules.sizes):
        yield error("capacity", f"given {filestore.capacity}, which is {int(gibibytes)} GiB; {filestore.tier} allows {allowed}")
    elif _SMALL.has(int(gibibytes)) and _SMALL in rules.sizes and not _EVERYWHERE.has(int(gibibytes)):
        message = (
            f"given {filestore.capacity}; {filestore.tier} supports this size according to Google's provider, but Google's page on "
            f"service tiers (November 2026) lists only {_EVERYWHERE}; use one of these if Filestore rejects it"
        )
        yield warning("capacity", message)


def capacity_gib(filestore: FilestoreSettings) -> int:
    """Size of the share in GiB, the unit of the Filestore API."""
    return int(quantities.parse(filestore.capacity) / GIBIBYTE)


def sizes(filestore: FilestoreSettings) -> Sizes | None:
    """The range of its capacity; none if it is not allowed."""
    return next((sizes for sizes in TIERS[filestore.tier].sizes if sizes.has(capacity_gib(filestore))), None)


def size_class(filestore: FilestoreSettings) -> str | None:
    """What of its size cannot change in place: `small` or `large`, for a tier that has both."""
    both = len(TIERS[filestore.tier].sizes) > 1
    return ("small" if sizes(filestore) == _SMALL else "large") if both else None


def network(given: str, project: str | None) -> str:
    """A network as Filestore takes it: its name if it is in the project of the instance, its path otherwise.

    The provider takes another spelling for another network, and so for another instance. `project` is None if it is not known.
    """
    match = _NETWORK.fullmatch(given)
    if match is None or not match["project"]:
        return given
    name = given.rpartition("/")[2]
    return name if match["project"] == project else f"projects/{match['project']}/global/networks/{name}"


def _network(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    if not isinstance(filestore.network, str):
        return
    match = _NETWORK.fullmatch(filestore.network)
    if not match:
        yield error("network", "expected the name of a network, or projects/<project>/global/networks/<name>")
    elif match["project"] not in (None, filestore.project) and filestore.connect_mode == "DIRECT_PEERING":
        mode = spell("connect_mode")
        yield warning("network", f"if this is a shared VPC of another project, Filestore refuses it; set {mode}: PRIVATE_SERVICE_ACCESS")


def _reserved_range(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    given = filestore.reserved_ip_range
    if not isinstance(given, str) or not given:
        return
    peering = filestore.connect_mode == "DIRECT_PEERING"
    if not (("/" in given and _is_network(given)) if peering else _RANGE_NAME.fullmatch(given)):
        wanted = "a network, for instance 10.0.0.0/29" if peering else "the name of an allocated range"
        yield error(spell("reserved_ip_range"), f"given {given!r}, but {filestore.connect_mode} requires {wanted}")
    elif peering and (allowed := sizes(filestore)) and ipaddress.IPv4Network(given).prefixlen not in allowed.prefixes:
        wanted = " or ".join(f"/{length}" for length in allowed.prefixes)
        message = f"given {given!r}, but {filestore.tier} of {filestore.capacity} requires a {wanted} network"
        yield error(spell("reserved_ip_range"), message)


def _is_network(text: str) -> bool:
    try:
        ipaddress.IPv4Network(text)
    except ValueError:
        return False
    return True


def _export_options(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    options, path = filestore.export_options, spell("export_options")
    if len(options) > _MOST_EXPORT_OPTIONS:
        yield error(path, f"{len(options)} options, but Filestore allows at most {_MOST_EXPORT_OPTIONS}")
    if options and all(option.access_mode == "READ_ONLY" for option in options):
        yield error(path, "no client may write, so nothing would be cached; give the nodes READ_WRITE")
    for index, option in enumerate(options):
        here = f"{path}[{index}]"
        squashed = option.squash_mode == "ROOT_SQUASH"
        if squashed:
            message = (
                "the kubelet runs as root and cannot give the volume to the pods' "
                "group (permission denied); "
                "use NO_ROOT_SQUASH, or set the group yourself"
            )
            yield warning(f"{here}.{spell('squash_mode')}", message)
        for word in ("anon_uid", "anon_gid"):
            if word in option.model_fields_set and not squashed:
                yield error(f"{here}.{spell(word)}", f"has no effect: {spell('squash_mode')} is not ROOT_SQUASH")
            elif getattr(option, word) == 0:
                message = f"given 0, which the provider omits, so that it would be 65534; use {spell('squash_mode')}: NO_ROOT_SQUASH"
                yield error(f"{here}.{spell(word)}", message)
    yield from _clients(options, path, spell)


def _clients(options: Sequence[ExportOption], path: str, spell: Spelling) -> Findings:
    """The addresses of all options: no client may be in two."""
    listed = {
        f"{path}[{index}].{spell('ip_ranges')}[{number}]": address
        for index, option in enumerate(options)
        for number, address in enumerate(option.ip_ranges)
    }
    if len(listed) > _MOST_IP_RANGES:
        yield error(path, f"{len(listed)} addresses and networks, but Filestore allows at most {_MOST_IP_RANGES} in all options")
        return
    earlier: dict[str, ipaddress.IPv4Network] = {}
    for place, address in listed.items():
        if not (_CLIENT.fullmatch(address) and _is_network(address)):
            yield error(place, f"given {address!r}, which is not an IPv4 address or network")
            continue
        known = ipaddress.IPv4Network(address)
        if other := next((other for other, network in earlier.items() if network.overlaps(known)), None):
            yield error(place, f"given {address!r}, which overlaps with {listed[other]} of {other}; Filestore refuses that")
        earlier[place] = known


def _open_to_all(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    path = spell("export_options")
    if not filestore.export_options:
        yield warning(path, f"missing: {_OPEN} set {spell('ip_ranges')} to the addresses of the nodes")
    for index, option in enumerate(filestore.export_options):
        if option.access_mode == "READ_ONLY":
            continue
        ranges = f"{path}[{index}].{spell('ip_ranges')}"
        if not option.ip_ranges:
            yield warning(ranges, f"missing: {_OPEN} give the addresses of the nodes")
        for number, address in enumerate(option.ip_ranges):
            if address.endswith("/0"):
                yield warning(f"{ranges}[{number}]", f"{_OPEN} give the addresses of the nodes")


def check_name(path: str, name: str) -> Findings:
    """The name of a cache, from which that of its instance is made."""
    if len(name) > LONGEST_NAME or not _RANGE_NAME.fullmatch(name):
        message = f"not a valid Filestore name; use at most {LONGEST_NAME} lower case letters, digits and '-', starting with a letter"
        yield error(path, f"{message}{too_long(name, LONGEST_NAME)}")


def check_claim(claim: FilestoreClaimSettings) -> Findings:
    yield from checks.place(claim.release, claim.namespace)
    for word in ("instance_id", "share_name", "ip_address", "capacity", "protocol"):
        if not is_set(getattr(claim, word)):
            yield error(word, "missing")
    if is_set(claim.instance_id):
        yield from _instance_id("instance_id", claim.instance_id)
    if isinstance(claim.capacity, str):
        yield from checks.quantity("capacity", claim.capacity)
    if isinstance(claim.protocol, str) and claim.protocol not in get_args(Protocol):
        yield error("protocol", f"given {claim.protocol!r}; allowed: {', '.join(get_args(Protocol))}")
