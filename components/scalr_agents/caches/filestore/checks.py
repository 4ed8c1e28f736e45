"""The checks of Filestore instances, and of the volumes of them that agents mount."""

import ipaddress
import re
from collections.abc import Sequence
from typing import get_args

from scalr_agents.caches.filestore.settings import (
    INSTANCE,
    NETWORK,
    ExportOption,
    FilestoreClaimSettings,
    FilestoreSettings,
)
from scalr_agents.caches.filestore.tiers import EVERYWHERE, SMALL, TIERS, Protocol, TierRules
from scalr_agents.model import checks, clouds, quantities
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import Deferred, is_set
from scalr_agents.model.messages import too_long
from scalr_agents.model.spelling import Spelling

_REGION = re.compile(r"[a-z]+-[a-z]+[0-9]+")
_ZONE = re.compile(r"[a-z]+-[a-z]+[0-9]+-[a-z]")
_SHARE = re.compile(r"[a-z][a-z0-9_]*")
_RANGE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_PROJECT = re.compile(r"([a-z0-9.-]+:)?[a-z][-a-z0-9]*[a-z0-9]|[0-9]+")
_KEY = re.compile(clouds.GOOGLE_KEY)
_LONGEST_SHARE = 16
_MOST_EXPORT_OPTIONS = 10
_MOST_IP_RANGES = 64
_CLIENT = re.compile(r"[0-9]+(\.[0-9]+){3}(/[0-9]{1,2})?")
LONGEST_NAME = 33
"""Longest name of a cache. Google allows 63 characters. Pulumi needs some of them for a suffix that makes the name unique."""
_OPEN = "every client in the network can mount the share and write to it, even as root, and so can change what runs execute;"


def check(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    """Cross-checks of settings that are valid one by one but do not work together."""
    if is_set(filestore.instance_id):
        yield from _instance_id(spell("instance_id"), filestore.instance_id)
        if "capacity" in filestore.model_fields_set:
            yield from checks.quantity("capacity", filestore.capacity)
        for key in sorted(filestore.model_fields_set - {"instance_id", "capacity"}):
            yield error(spell(key), f"has no effect: {spell('instance_id')} refers to an existing instance")
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
    if isinstance(value, str) and not INSTANCE.fullmatch(value):
        yield error(path, f"given {value!r}; expected projects/<project>/locations/<location>/instances/<name>")


def _location(filestore: FilestoreSettings, rules: TierRules) -> Findings:
    form, kind, example = (_REGION, "region", "europe-west1") if rules.regional else (_ZONE, "zone", "europe-west1-b")
    if not filestore.location:
        yield error("location", f"missing: {filestore.tier} requires a {kind}, for instance {example}")
    elif not form.fullmatch(filestore.location):
        yield error("location", f"given {filestore.location!r}, but {filestore.tier} requires a {kind}, for instance {example}")


def _capacity(filestore: FilestoreSettings, rules: TierRules) -> Findings:
    gibibytes = quantities.parse(filestore.capacity) / quantities.GIBIBYTE
    allowed = ", or ".join(map(str, rules.sizes))
    if gibibytes != int(gibibytes):
        yield error("capacity", f"given {filestore.capacity}, which is not a whole number of GiB; {filestore.tier} allows {allowed}")
    elif not any(sizes.has(int(gibibytes)) for sizes in rules.sizes):
        yield error("capacity", f"given {filestore.capacity}, which is {int(gibibytes)} GiB; {filestore.tier} allows {allowed}")
    elif SMALL.has(int(gibibytes)) and SMALL in rules.sizes and not EVERYWHERE.has(int(gibibytes)):
        message = (
            f"given {filestore.capacity}; {filestore.tier} supports this size according to Google's provider, but Google's page on "
            f"service tiers (November 2026) lists only {EVERYWHERE}; use one of these if Filestore rejects it"
        )
        yield warning("capacity", message)


def _network(filestore: FilestoreSettings, spell: Spelling) -> Findings:
    if not isinstance(filestore.network, str):
        return
    match = NETWORK.fullmatch(filestore.network)
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
        required = "a network, for instance 10.0.0.0/29" if peering else "the name of an allocated range"
        yield error(spell("reserved_ip_range"), f"given {given!r}, but {filestore.connect_mode} requires {required}")
    elif peering and (allowed := filestore.size_range) and ipaddress.IPv4Network(given).prefixlen not in allowed.prefixes:
        required = " or ".join(f"/{length}" for length in allowed.prefixes)
        message = f"given {given!r}, but {filestore.tier} of {filestore.capacity} requires a {required} network"
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
        for key in ("anon_uid", "anon_gid"):
            if key in option.model_fields_set and not squashed:
                yield error(f"{here}.{spell(key)}", f"has no effect: {spell('squash_mode')} is not ROOT_SQUASH")
            elif getattr(option, key) == 0:
                message = f"given 0, which the provider omits, so that it would be 65534; use {spell('squash_mode')}: NO_ROOT_SQUASH"
                yield error(f"{here}.{spell(key)}", message)
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
    for key in ("instance_id", "share_name", "ip_address", "capacity", "protocol"):
        if not is_set(getattr(claim, key)):
            yield error(key, "missing")
    if is_set(claim.instance_id):
        yield from _instance_id("instance_id", claim.instance_id)
    if isinstance(claim.capacity, str):
        yield from checks.quantity("capacity", claim.capacity)
    if isinstance(claim.protocol, str) and claim.protocol not in get_args(Protocol):
        yield error("protocol", f"given {claim.protocol!r}; allowed: {', '.join(get_args(Protocol))}")
