"""Filestore: what its reference says in prose of tiers, sizes, addresses and clients, and what it refuses to change.

Sizes are those of https://cloud.google.com/filestore/docs/service-tiers and of the page on each tier; the rest is in the descriptions
of the discovery document.
"""

import ipaddress
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import combinations
from typing import Any, NamedTuple

from tests.clouds.gcp.discovery import Json, RefusedError, invalid
from tests.clouds.gcp.server import GoogleCloud, Request, fresh, location_operation, now, number

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]")
_MUTABLE = {
    "description",
    "directoryServices",
    "fileShares",
    "labels",
    "performanceConfig",
    "deletionProtectionEnabled",
    "deletionProtectionReason",
}
_MOST_RANGES, _MOST_OPTIONS = 64, 10


class _Tier(NamedTuple):
    zonal: bool
    ranges: tuple[range, ...]
    """Capacities in GiB. An instance stays within one of the ranges."""
    prefix: tuple[int, ...]
    """Length of the prefix of its addresses, for each range."""
    basic: bool = False


_GIB = 1024
_LARGE = range(10 * _GIB, 100 * _GIB + 1, 2560)
_TIERS = {
    "BASIC_HDD": _Tier(zonal=True, ranges=(range(_GIB, 65434),), prefix=(29,), basic=True),
    "BASIC_SSD": _Tier(zonal=True, ranges=(range(2560, 65434),), prefix=(29,), basic=True),
    "ZONAL": _Tier(zonal=True, ranges=(range(_GIB, 9985, 256), _LARGE), prefix=(26, 24)),
    "REGIONAL": _Tier(zonal=False, ranges=(range(_GIB, 9985, 256), _LARGE), prefix=(26, 24)),
    "ENTERPRISE": _Tier(zonal=False, ranges=(range(_GIB, 10 * _GIB + 1, 256),), prefix=(26,)),
}


def _name(request: Request) -> str:
    return f"projects/{request.project}/locations/{request.names[1]}/instances/{request.names[2]}"


def _create(cloud: GoogleCloud, request: Request) -> Json:
    identity = request.query.get("instanceId", "")
    name = f"projects/{request.project}/locations/{request.names[1]}/instances/{identity}"
    cloud.demand_new(name)
    if not _NAME.fullmatch(identity):
        raise invalid(f"instanceId {identity!r}")
    made = deepcopy(request.body)
    _demand_valid(made, request.names[1])
    cloud.objects[name] = _answered(made, name)
    return _operation(cloud, name, cloud.objects[name])


def _patch(cloud: GoogleCloud, request: Request) -> Json:
    name = _name(request)
    there = cloud.find(name)
    changed = deepcopy(there)
    for field in [_camel(word) for word in request.query.get("updateMask", "").split(",") if word]:
        if field not in _MUTABLE:
            raise invalid(f"updateMask: {field} cannot be changed")
        changed.pop(field, None)
        if field in request.body:
            changed[field] = deepcopy(request.body[field])
    if changed["fileShares"][0]["name"] != there["fileShares"][0]["name"]:
        raise invalid("file_shares.name cannot be changed")
    _demand_valid(changed, request.names[1])
    old, new = (_range(each) for each in (there, changed))
    if old != new or (_TIERS[there["tier"]].basic and _capacity(changed) < _capacity(there)):
        raise invalid(f"capacity cannot change from {_capacity(there)} to {_capacity(changed)} GiB")
    cloud.objects[name] = _answered(changed, name)
    return _operation(cloud, name, cloud.objects[name])


def _delete(cloud: GoogleCloud, request: Request) -> Json:
    if cloud.find(_name(request)).get("deletionProtectionEnabled"):
        raise RefusedError(400, "FAILED_PRECONDITION", "The instance is protected against deletion")
    del cloud.objects[_name(request)]
    return _operation(cloud, _name(request), {})


def _operation(cloud: GoogleCloud, name: str, response: Json) -> Json:
    operation = f"{name.partition('/instances/')[0]}/operations/operation-{fresh()}"
    kind = {"@type": "type.googleapis.com/google.cloud.filestore.v1.Instance"}
    return cloud.operation(operation, {"name": operation, "done": False}, {"name": operation, "done": True, "response": kind | response})


def _demand_valid(instance: Json, location: str) -> None:
    if problems := list(_problems(instance, location)):
        raise invalid("; ".join(problems))


def _problems(instance: Json, location: str) -> Iterator[str]:
    tier = _TIERS.get(instance.get("tier", ""))
    if tier is None or len(instance.get("fileShares", ())) != 1 or len(instance.get("networks", ())) != 1:
        yield "an instance has a known tier, one share and one network"
        return
    if bool(_ZONE.fullmatch(location)) != tier.zonal:
        yield f"tier {instance['tier']} is not available in {location}"
    if _range(instance) is None:
        yield f"capacity {_capacity(instance)} GiB is not valid for {instance['tier']}"
        return
    [share], [network] = instance["fileShares"], instance["networks"]
    if not re.fullmatch(rf"[a-z][a-z0-9_]{{0,{15 if tier.basic else 62}}}", share.get("name", "")):
        yield f"invalid name of a share: {share.get('name')!r}"
    if tier.basic and (instance.get("protocol") == "NFS_V4_1" or "kmsKeyName" in instance or "deletionProtectionEnabled" in instance):
        yield f"{instance['tier']} has no NFS_V4_1, no keys of customers and no deletion protection"
    yield from _clients(share.get("nfsExportOptions") or [])
    yield from _addresses(network, tier.prefix[_range(instance) or 0])


def _clients(options: list[Json]) -> Iterator[str]:
    if len(options) > _MOST_OPTIONS:
        yield f"at most {_MOST_OPTIONS} export options"
    networks = []
    for option in options:
        if option.get("squashMode") != "ROOT_SQUASH" and {"anonUid", "anonGid"} & option.keys():
            yield "anonUid and anonGid may only be set with ROOT_SQUASH"
        for text in option.get("ipRanges", []):
            if not re.fullmatch(r"\d+(\.\d+){3}(/\d{1,2})?", text):
                yield f"invalid IP range {text!r}"
                continue
            try:
                networks.append(ipaddress.IPv4Network(text))
            except ValueError:
                yield f"invalid IP range {text!r}"
    if len(networks) > _MOST_RANGES:
        yield f"at most {_MOST_RANGES} IP ranges"
    yield from (f"overlapping IP ranges {one} and {other}" for one, other in combinations(networks, 2) if one.overlaps(other))


def _addresses(network: Json, prefix: int) -> Iterator[str]:
    if network.get("modes") != ["MODE_IPV4"] or not network.get("network"):
        yield "a network has a name, and MODE_IPV4"
    reserved, mode = network.get("reservedIpRange"), network.get("connectMode", "DIRECT_PEERING")
    if reserved and mode == "DIRECT_PEERING" and not _is_network(reserved, prefix):
        yield f"reserved_ip_range {reserved!r} must be a /{prefix} block"
    if mode == "DIRECT_PEERING" and not re.search(r"^[^/]+$|projects/acme-prod/", network.get("network", "")):
        yield "a shared VPC requires PRIVATE_SERVICE_ACCESS"


def _is_network(text: str, prefix: int) -> bool:
    try:
        return ipaddress.IPv4Network(text).prefixlen == prefix
    except ValueError:
        return False


def _answered(instance: Json, name: str) -> Json:
    """An instance as Google returns it."""
    [share], [network] = instance["fileShares"], instance["networks"]
    share["capacityGb"] = str(share["capacityGb"])
    for option in share.get("nfsExportOptions") or []:
        option |= {key: str(option[key]) for key in ("anonUid", "anonGid") if key in option}
    third = int(number(name)) % 250
    network.setdefault("connectMode", "DIRECT_PEERING")
    network.setdefault("reservedIpRange", f"10.99.{third}.0/{_TIERS[instance['tier']].prefix[0]}")
    network["ipAddresses"] = [f"10.99.{third}.2"]
    return {"protocol": "NFS_V3", "createTime": now(), **instance, "name": name, "state": "READY", "etag": fresh()}


def _capacity(instance: Json) -> int:
    return int(instance["fileShares"][0].get("capacityGb", 0))


def _range(instance: Json) -> int | None:
    """The range of its tier that an instance is in."""
    ranges = _TIERS[instance["tier"]].ranges
    return next((index for index, sizes in enumerate(ranges) if _capacity(instance) in sizes), None)


def _camel(word: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), word)


METHODS: dict[str, Any] = {
    "file.projects.locations.instances.create": _create,
    "file.projects.locations.instances.get": lambda cloud, request: cloud.find(_name(request)),
    "file.projects.locations.instances.patch": _patch,
    "file.projects.locations.instances.delete": _delete,
    "file.projects.locations.operations.get": location_operation,
}
