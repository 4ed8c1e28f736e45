"""Google Filestore: what an instance is like and where it goes; the volume that agents mount."""

import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, ConfigDict, Field

from scalr_agents.caches import Spelling
from scalr_agents.charts.shared import checks
from scalr_agents.charts.shared.checks import Findings
from scalr_agents.model import quantities
from scalr_agents.model.fields import Deferred, InputMap, InputText, Quantity, Text, integral, is_set, unset
from scalr_agents.model.findings import entry, error, warning
from scalr_agents.model.section import Section

GIBIBYTE = 1024**3

_INSTANCE = re.compile(r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/instances/(?P<name>[^/]+)")
_REGION = re.compile(r"[a-z]+-[a-z]+[0-9]+")
_ZONE = re.compile(r"[a-z]+-[a-z]+[0-9]+-[a-z]")
_SHARE = re.compile(r"[a-z][a-z0-9_]*")
_RANGE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_KEY = re.compile(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+")
_LONGEST_SHARE = 16
_MOST_EXPORT_OPTIONS = 10
_OPEN = "everybody in the network may mount the share and write to it, as root too, and so decide what runs execute;"

Tier = Literal["BASIC_HDD", "BASIC_SSD", "ZONAL", "REGIONAL", "ENTERPRISE"]
Protocol = Literal["NFS_V3", "NFS_V4_1"]
ConnectMode = Literal["DIRECT_PEERING", "PRIVATE_SERVICE_ACCESS"]
ShareAccess = Literal["READ_WRITE", "READ_ONLY"]
SquashMode = Literal["NO_ROOT_SQUASH", "ROOT_SQUASH"]
AnonymousId = Annotated[int | None, Field(ge=0, lt=2**32), BeforeValidator(integral)]


class Sizes(NamedTuple):
    """Capacities in GiB, from the smallest to the largest in steps."""

    smallest: int
    largest: int
    step: int

    def has(self, capacity: int) -> bool:
        return self.smallest <= capacity <= self.largest and (capacity - self.smallest) % self.step == 0

    def __str__(self) -> str:
        return f"{self.smallest} to {self.largest} GiB" + (f" in steps of {self.step}" if self.step > 1 else "")


class TierRules(NamedTuple):
    """What a service tier allows."""

    regional: bool
    """Whether it lives in a region; otherwise in a zone."""
    sizes: tuple[Sizes, ...]
    basic: bool = False
    """Basic tiers have NFS 3 alone, no keys of one's own and no deletion protection."""

    @property
    def protocols(self) -> tuple[str, ...]:
        return ("NFS_V3",) if self.basic else get_args(Protocol)


_SMALL_AND_LARGE = (Sizes(100, 10239, 1), Sizes(10240, 102400, 2560))
TIERS: dict[Tier, TierRules] = {
    "BASIC_HDD": TierRules(regional=False, sizes=(Sizes(1024, 65433, 1),), basic=True),
    "BASIC_SSD": TierRules(regional=False, sizes=(Sizes(2560, 65433, 1),), basic=True),
    "ZONAL": TierRules(regional=False, sizes=_SMALL_AND_LARGE),
    "REGIONAL": TierRules(regional=True, sizes=_SMALL_AND_LARGE),
    "ENTERPRISE": TierRules(regional=True, sizes=(Sizes(1024, 10240, 256),)),
}


class ExportOption(Section):
    """Who may mount the share, and as whom."""

    model_config = ConfigDict(alias_generator=None)

    ip_ranges: Annotated[list[str], unset([])] = []
    """Addresses and networks of the clients. Default: all of the VPC."""
    access_mode: ShareAccess = "READ_WRITE"
    """Whether these clients may write."""
    squash_mode: SquashMode = "NO_ROOT_SQUASH"
    """Whether root of a client is root of the share. The kubelet gives the volume to the pods' group as root."""
    anon_uid: AnonymousId = None
    """User that a squashed root becomes."""
    anon_gid: AnonymousId = None
    """Group that a squashed root becomes."""


class FilestoreSettings(Section):
    """A Filestore instance: a new one, or an existing one by its id."""

    model_config = ConfigDict(alias_generator=None)

    instance_id: InputText = ""
    """`projects/<project>/locations/<location>/instances/<name>` of an existing instance. Address and share are looked up."""
    tier: Tier = "BASIC_HDD"
    """Service tier."""
    location: Text = ""
    """Zone of the tiers BASIC_HDD, BASIC_SSD and ZONAL, region of REGIONAL and ENTERPRISE."""
    project: Text = ""
    """Project. Default: that of the provider."""
    capacity: Quantity = "1Ti"
    """Size of the share. The tier sets the range and the steps."""
    share_name: Text = "cache"
    """Name of the share."""
    network: InputText = "default"
    """VPC network, its name or, where it is shared, its full path."""
    connect_mode: ConnectMode = "DIRECT_PEERING"
    """How the network reaches the instance; a shared VPC needs PRIVATE_SERVICE_ACCESS."""
    reserved_ip_range: InputText = ""
    """Addresses to take: a network for DIRECT_PEERING, the name of an allocated range for PRIVATE_SERVICE_ACCESS. Default: any."""
    protocol: Protocol = "NFS_V3"
    """NFS version; basic tiers have NFS_V3 alone."""
    export_options: Annotated[Sequence[ExportOption], unset([])] = []
    """Who may mount the share. Default: everybody in the network."""
    kms_key: InputText = ""
    """Full name of the Cloud KMS key. Default: the key that Google manages."""
    labels: InputMap = {}
    """Labels of the instance."""


class FilestoreClaimSettings(Section):
    """The volume of an instance, for the agents of one namespace."""

    model_config = ConfigDict(alias_generator=None)

    namespace: str
    release: str
    instance_id: InputText
    share_name: InputText = "cache"
    ip_address: InputText
    capacity: InputText = "1Ti"
    protocol: InputText = "NFS_V3"


def check(filestore: FilestoreSettings, say: Spelling) -> Findings:
    """What is valid word by word and still makes no instance, or not the one that was meant."""
    if is_set(filestore.instance_id):
        yield from _instance_id(say("instance_id"), filestore.instance_id)
        if "capacity" in filestore.model_fields_set:
            yield from checks.quantity("capacity", filestore.capacity)
        for word in sorted(filestore.model_fields_set - {"instance_id", "capacity"}):
            yield error(say(word), f"has no effect: {say('instance_id')} names an instance that exists")
        return
    rules = TIERS[filestore.tier]
    yield from _location(filestore, rules)
    yield from _capacity(filestore, rules)
    if filestore.protocol not in rules.protocols:
        yield error("protocol", f"{filestore.tier} has {' and '.join(rules.protocols)} alone; {filestore.protocol} needs {_advanced()}")
    if is_set(filestore.kms_key) and rules.basic:
        yield error(say("kms_key"), f"{filestore.tier} takes no key of one's own; it needs {_advanced()}")
    elif isinstance(filestore.kms_key, str) and filestore.kms_key and not _KEY.fullmatch(filestore.kms_key):
        yield error(
            say("kms_key"),
            f"given {filestore.kms_key!r}; it has the form projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>, "
            "without a version. Look it up: gcloud kms keys list --location=<location> --keyring=<ring> --format='value(name)'",
        )
    if len(filestore.share_name) > _LONGEST_SHARE or not _SHARE.fullmatch(filestore.share_name):
        message = f"given {filestore.share_name!r}; at most {_LONGEST_SHARE} lower case letters, digits and '_', a letter first"
        yield error(say("share_name"), message)
    yield from _reserved_range(filestore, say)
    yield from _export_options(filestore, say)
    yield from _open_to_all(filestore, say)
    yield from _labels(filestore)


def _advanced() -> str:
    return "one of " + ", ".join(tier for tier, rules in TIERS.items() if not rules.basic)


def _instance_id(path: str, value: str | Deferred) -> Findings:
    if isinstance(value, str) and not _INSTANCE.fullmatch(value):
        yield error(path, f"given {value!r}; it has the form projects/<project>/locations/<location>/instances/<name>")


def instance_parts(instance_id: str) -> dict[str, str]:
    """Project, location and name of an instance."""
    match = _INSTANCE.fullmatch(instance_id)
    if match is None:
        raise ValueError(f"{instance_id!r} is no id of a Filestore instance")
    return match.groupdict()


def volume_handle(instance_id: str, share_name: str) -> str:
    """What the CSI driver calls the share of an instance."""
    parts = instance_parts(instance_id)
    return f"modeInstance/{parts['location']}/{parts['name']}/{share_name}"


def _location(filestore: FilestoreSettings, rules: TierRules) -> Findings:
    form, kind, example = (_REGION, "region", "europe-west1") if rules.regional else (_ZONE, "zone", "europe-west1-b")
    if not filestore.location:
        yield error("location", f"missing: {filestore.tier} lives in a {kind}, for instance {example}")
    elif not form.fullmatch(filestore.location):
        yield error("location", f"given {filestore.location!r}, but {filestore.tier} lives in a {kind}, for instance {example}")


def _capacity(filestore: FilestoreSettings, rules: TierRules) -> Findings:
    gibibytes = quantities.parse(filestore.capacity) / GIBIBYTE
    allowed = ", or ".join(map(str, rules.sizes))
    if gibibytes != int(gibibytes):
        yield error("capacity", f"given {filestore.capacity}, which is no whole number of GiB; {filestore.tier} has {allowed}")
    elif not any(sizes.has(int(gibibytes)) for sizes in rules.sizes):
        yield error("capacity", f"given {filestore.capacity}, which is {int(gibibytes)} GiB; {filestore.tier} has {allowed}")


def capacity_gib(filestore: FilestoreSettings) -> int:
    """Size of the share in GiB, the only unit of Filestore."""
    return int(quantities.parse(filestore.capacity) / GIBIBYTE)


def _reserved_range(filestore: FilestoreSettings, say: Spelling) -> Findings:
    given = filestore.reserved_ip_range
    if not isinstance(given, str) or not given:
        return
    peering = filestore.connect_mode == "DIRECT_PEERING"
    if not (("/" in given and _is_network(given)) if peering else _RANGE_NAME.fullmatch(given)):
        wanted = "a network, for instance 10.0.0.0/29" if peering else "the name of an allocated range"
        yield error(say("reserved_ip_range"), f"given {given!r}, but {filestore.connect_mode} takes {wanted}")


def _is_network(text: str) -> bool:
    try:
        ipaddress.IPv4Network(text)
    except ValueError:
        return False
    return True


def _export_options(filestore: FilestoreSettings, say: Spelling) -> Findings:
    options, path = filestore.export_options, say("export_options")
    if len(options) > _MOST_EXPORT_OPTIONS:
        yield error(path, f"{len(options)} options, and Filestore takes at most {_MOST_EXPORT_OPTIONS}")
    if options and all(option.access_mode == "READ_ONLY" for option in options):
        yield error(path, "no client may write, so nothing would ever be cached")
    for index, option in enumerate(options):
        here = f"{path}[{index}]"
        squashed = option.squash_mode == "ROOT_SQUASH"
        if squashed:
            message = "the kubelet, which is root, cannot give the volume to the pods' group: permission denied, until somebody else does"
            yield warning(f"{here}.{say('squash_mode')}", message)
        for word in ("anon_uid", "anon_gid"):
            if word in option.model_fields_set and not squashed:
                yield error(f"{here}.{say(word)}", f"has no effect: {say('squash_mode')} is not ROOT_SQUASH")
        for number, address in enumerate(option.ip_ranges):
            if not _is_network(address):
                yield error(f"{here}.{say('ip_ranges')}[{number}]", f"given {address!r}, which is no IPv4 address or network")


def _open_to_all(filestore: FilestoreSettings, say: Spelling) -> Findings:
    path = say("export_options")
    if not filestore.export_options:
        yield warning(path, f"missing: {_OPEN} give {say('ip_ranges')} of the nodes")
    for index, option in enumerate(filestore.export_options):
        if option.access_mode == "READ_ONLY":
            continue
        ranges = f"{path}[{index}].{say('ip_ranges')}"
        if not option.ip_ranges:
            yield warning(ranges, f"missing: {_OPEN} give those of the nodes")
        for number, address in enumerate(option.ip_ranges):
            if address.endswith("/0"):
                yield warning(f"{ranges}[{number}]", f"{_OPEN} give the addresses of the nodes")


def _labels(filestore: FilestoreSettings) -> Findings:
    for key, value in filestore.labels.items():
        if not re.fullmatch(r"[a-z][-_a-z0-9]{0,62}", key):
            yield error(entry("labels", key), "not a key for a label: at most 63 lower case letters, digits, '-' and '_', a letter first")
        if isinstance(value, str) and not re.fullmatch(r"[-_a-z0-9]{0,63}", value):
            yield error(entry("labels", key), "not a value for a label: at most 63 lower case letters, digits, '-' and '_'")


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
