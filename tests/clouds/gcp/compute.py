"""Compute Engine: templates, groups, autoscalers and firewall rules, with what its reference says of them in prose.

What the rules are known from: the descriptions of the discovery document; for groups
https://cloud.google.com/compute/docs/instance-groups/rolling-out-updates-to-managed-instance-groups, for disks
https://cloud.google.com/compute/docs/disks/hyperdisks, for the size of autoscaled groups what the API answered to HashiCorp's provider.
"""

import re
from collections.abc import Callable
from copy import deepcopy
from http import HTTPStatus
from typing import Any

from tests.clouds.gcp.discovery import Json, RefusedError, invalid
from tests.clouds.gcp.server import SELF, GoogleCloud, Request, fresh, now, number

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_KEY = re.compile(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+(/cryptoKeyVersions/\d+)?")
_ZONES = "bcd"
_HYPERDISK_ONLY = ("c4", "c4a", "c4d", "h4d", "m4", "n4", "n4a", "n4d", "x4")
_NO_HYPERDISK = ("e2", "f1", "g1", "n1", "t2a")
_ARM = ("c4a", "n4a", "t2a")
_LONGEST_METADATA = 262144
_USED = "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE"


def relative(url: str) -> str:
    """The name of the resource that a URL refers to."""
    return re.sub(r"^https://[^/]+/compute/[^/]+/", "", url.partition("?")[0])


def _scope(request: Request, collection: str) -> str:
    """The parent of a collection: the project, or one of its regions."""
    place = "global" if collection in {"firewalls", "instanceTemplates", "networks", "images"} else f"regions/{request.names[1]}"
    return f"projects/{request.project}/{place}"


def _done(cloud: GoogleCloud, scope: str, target: str, kind: str, identity: str) -> Json:
    name = f"operation-{fresh()}"
    running: Json = {
        "name": name,
        "operationType": kind,
        "status": "RUNNING",
        "targetLink": SELF + target,
        "selfLink": f"{SELF}{scope}/operations/{name}",
    }
    running |= {"id": number(name), "targetId": identity, "insertTime": now(), "progress": 0}
    running |= {"region": SELF + scope} if "/regions/" in scope else {}
    return cloud.operation(f"{scope}/operations/{name}", running, {**running, "status": "DONE", "progress": 100, "endTime": now()})


def _insert(collection: str, complete: Callable[[GoogleCloud, Json], None]) -> Any:
    def insert(cloud: GoogleCloud, request: Request) -> Json:
        scope, made = _scope(request, collection), deepcopy(request.body)
        name = f"{scope}/{collection}/{made.get('name', '')}"
        if not _NAME.fullmatch(made.get("name", "")):
            raise invalid(f"Invalid value for field 'resource.name': {made.get('name')!r}")
        cloud.demand_new(name)
        made |= {"id": number(name + fresh()), "creationTimestamp": now(), "selfLink": SELF + name}
        made |= {"region": SELF + scope} if "/regions/" in scope else {}
        complete(cloud, made)
        cloud.objects[name] = made
        return _done(cloud, scope, name, "insert", made["id"])

    return insert


def _delete(collection: str) -> Any:
    def delete(cloud: GoogleCloud, request: Request) -> Json:
        scope = _scope(request, collection)
        name = _identified(cloud, f"{scope}/{collection}/{request.names[-1]}")
        gone = cloud.find(name)
        for other, content in cloud.objects.items():
            users = [
                *(version["instanceTemplate"] for version in content.get("versions", ()) if isinstance(version, dict)),
                content.get("target", ""),
            ]
            if name in map(relative, users):
                raise RefusedError(HTTPStatus.BAD_REQUEST, _USED, f"The resource '{name}' is already being used by '{other}'")
        del cloud.objects[name]
        return _done(cloud, scope, name, "delete", gone["id"])

    return delete


def _get(collection: str) -> Any:
    return lambda cloud, request: cloud.find(_identified(cloud, f"{_scope(request, collection)}/{collection}/{request.names[-1]}"))


def _identified(cloud: GoogleCloud, name: str) -> str:
    """The last part of a name may be the id of the object."""
    scope, _, last = name.rpartition("/")
    by_id = (each for each, content in cloud.objects.items() if each.startswith(f"{scope}/") and content.get("id") == last)
    return next(by_id, name) if last.isdigit() else name


def _merged(old: Json, new: Json) -> Json:
    """A JSON merge patch."""
    merged = dict(old)
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(old[key], value) if isinstance(value, dict) and isinstance(old.get(key), dict) else value
    return merged


def _patch(collection: str, complete: Callable[[GoogleCloud, Json], None]) -> Any:
    def patch(cloud: GoogleCloud, request: Request) -> Json:
        scope = _scope(request, collection)
        last = (
            request.query.get("autoscaler") or request.body.get("name") or request.names[-1]
            if collection == "autoscalers"
            else request.names[-1]
        )
        name = f"{scope}/{collection}/{last}"
        there = cloud.find(name)
        if request.body.get("fingerprint", there.get("fingerprint")) != there.get("fingerprint"):
            raise RefusedError(HTTPStatus.PRECONDITION_FAILED, "CONDITION_NOT_MET", "Invalid fingerprint.")
        changed = _merged(there, request.raw)
        complete(cloud, changed)
        cloud.objects[name] = changed
        return _done(cloud, scope, name, "patch", changed["id"])

    return patch


def _firewall(cloud: GoogleCloud, rule: Json) -> None:
    if bool(rule.get("allowed")) == bool(rule.get("denied")):
        raise invalid("exactly one of allowed and denied")
    if rule.get("direction") == "EGRESS" and (rule.get("sourceRanges") or rule.get("sourceTags")):
        raise invalid("sources are not allowed with EGRESS")
    if relative(rule.get("network", "")) not in cloud.objects:
        raise invalid(f"The referenced network resource {rule.get('network')!r} cannot be found.")
    for tag in rule.get("targetTags", []):
        if not _NAME.fullmatch(tag):
            raise invalid(f"Invalid value for field 'targetTags': {tag!r}")
    rule["network"] = SELF + relative(rule["network"])
    rule |= {
        "priority": rule.get("priority", 1000),
        "disabled": rule.get("disabled", False),
        "logConfig": rule.get("logConfig", {"enable": False}),
    }


def _template(cloud: GoogleCloud, template: Json) -> None:
    content = template.get("properties") or {}
    family = content.get("machineType", "").partition("-")[0]
    if not family or "/" in content["machineType"]:
        raise invalid(f"machineType {content.get('machineType')!r}")
    for index, disk in enumerate(content.get("disks") or [{}]):
        _disk(cloud, disk, family)
        disk |= {
            "index": index,
            "mode": "READ_WRITE",
            "type": "PERSISTENT",
            "deviceName": disk.get("deviceName", f"persistent-disk-{index}"),
        }
    for index, interface in enumerate(content.get("networkInterfaces", [])):
        name = relative(interface.get("subnetwork", ""))
        if name not in cloud.objects:
            raise invalid(f"The referenced subnetwork resource {interface.get('subnetwork')!r} cannot be found.")
        interface |= {"name": f"nic{index}", "subnetwork": SELF + name, "network": cloud.objects[name]["network"]}
    defaults = {"onHostMaintenance": "MIGRATE", "automaticRestart": True, "preemptible": False}
    content["scheduling"] = defaults | content.get("scheduling", {})
    if any(len(item["value"].encode()) > _LONGEST_METADATA for item in content.get("metadata", {}).get("items", [])):
        raise invalid("a value of metadata is longer than 256 KiB")
    for part in ("metadata", "tags"):
        content.setdefault(part, {})["fingerprint"] = fresh()


def _disk(cloud: GoogleCloud, disk: Json, family: str) -> None:
    made = disk.get("initializeParams", {})
    kind, image = made.get("diskType", "pd-standard"), made.get("sourceImage", "")
    if (family in _HYPERDISK_ONLY) != kind.startswith("hyperdisk") and family in (*_HYPERDISK_ONLY, *_NO_HYPERDISK):
        raise invalid(f"[{kind}] features are not compatible for creating instance with {family}.")
    if disk.get("diskEncryptionKey") and not _KEY.fullmatch(disk["diskEncryptionKey"].get("kmsKeyName", "")):
        raise invalid(f"kmsKeyName {disk['diskEncryptionKey']}")
    architecture = "ARM64" if "arm64" in image else "X86_64"
    if (family in _ARM) != (architecture == "ARM64") and "ubuntu" in image:
        raise invalid(f"Requested boot disk architecture ({architecture}) is not compatible with machine type architecture.")
    made |= {"sourceImage": SELF + relative(image), "diskSizeGb": str(made.get("diskSizeGb", 10))}
    disk["initializeParams"] = made


def _group(cloud: GoogleCloud, group: Json) -> None:
    policy = group.setdefault("updatePolicy", {})
    for word in ("maxSurge", "maxUnavailable"):
        amount = policy.setdefault(word, {"fixed": len(_ZONES)})
        if 0 < int(amount.get("fixed", 0)) < len(_ZONES):
            raise invalid(
                f"Fixed updatePolicy.{word} for regional managed instance group has to be either 0 or at least the number of zones."
            )
        amount["calculated"] = int(amount.get("fixed", 0))
    if not policy["maxSurge"]["calculated"] and not policy["maxUnavailable"]["calculated"]:
        raise invalid("maxSurge and maxUnavailable cannot both be 0")
    if not re.fullmatch(r"[a-z][-a-z0-9]{0,57}", group.get("baseInstanceName", "")):
        raise invalid(f"baseInstanceName {group.get('baseInstanceName')!r}")
    for version in group.get("versions") or [{}]:
        version["instanceTemplate"] = SELF + _identified(cloud, relative(version.get("instanceTemplate", "")))
        cloud.find(relative(version["instanceTemplate"]))
        version["targetSize"] = {"calculated": group.get("targetSize", 0)}
    if not group.get("resourcePolicies"):
        group.pop("resourcePolicies", None)  # the provider sends an empty one, and does not expect it in a response
    region = relative(group["region"])
    zones = [{"zone": f"{SELF}{region.replace('/regions/', '/zones/')}-{zone}"} for zone in _ZONES]
    status = {"isStable": True, "versionTarget": {"isReached": True}, "allInstancesConfig": {"effective": True}}
    group |= {
        "distributionPolicy": group.get("distributionPolicy") or {"zones": zones, "targetShape": "EVEN"},
        "instanceGroup": f"{SELF}{region}/instanceGroups/{group['name']}",
        "instanceTemplate": group["versions"][0]["instanceTemplate"],
        "instanceLifecyclePolicy": {
            "defaultActionOnFailure": "REPAIR",
            "forceUpdateOnRepair": "NO",
            **(group.get("instanceLifecyclePolicy") or {}),
        },
        "listManagedInstancesResults": group.get("listManagedInstancesResults", "PAGELESS"),
        "standbyPolicy": group.get("standbyPolicy") or {"initialDelaySec": 0, "mode": "MANUAL"},
        "status": status | {"stateful": {"hasStatefulConfig": False, "perInstanceConfigs": {"allEffective": True}}},
        "targetSize": group.get("targetSize", 0),
        "fingerprint": fresh(),
    }
    policy |= {key: policy.get(key, value) for key, value in _UPDATES.items()}


_UPDATES = {
    "type": "OPPORTUNISTIC",
    "minimalAction": "REPLACE",
    "replacementMethod": "SUBSTITUTE",
    "instanceRedistributionType": "PROACTIVE",
}


def _resize(cloud: GoogleCloud, request: Request) -> Json:
    scope = _scope(request, "instanceGroupManagers")
    name = f"{scope}/instanceGroupManagers/{request.names[-1]}"
    group = cloud.find(name)
    if _scaler(cloud, name):
        message = "Resizing of autoscaled regional managed instance groups is not allowed."
        raise RefusedError(HTTPStatus.PRECONDITION_FAILED, "CONDITION_NOT_MET", message)
    group |= {"targetSize": int(request.query["size"]), "fingerprint": fresh()}
    return _done(cloud, scope, name, "resize", group["id"])


def _scaler(cloud: GoogleCloud, group: str) -> Json | None:
    """The autoscaler of a group."""
    return next((each for name, each in cloud.objects.items() if "/autoscalers/" in name and relative(each["target"]) == group), None)


def _autoscaler(cloud: GoogleCloud, scaler: Json) -> None:
    target, policy = relative(scaler.get("target", "")), scaler.get("autoscalingPolicy") or {}
    group, other = cloud.find(target), _scaler(cloud, target)
    least, most = int(policy.get("minNumReplicas", 0)), int(policy.get("maxNumReplicas", 0))
    if least > most or not most:
        raise invalid(f"maxNumReplicas must be set, and not below minNumReplicas: {least} to {most}")
    if other and other["name"] != scaler["name"]:
        raise invalid("The resource has an autoscaler already")
    group |= {"targetSize": min(max(group["targetSize"], least), most)}
    policy |= {"coolDownPeriodSec": policy.get("coolDownPeriodSec", 60), "mode": policy.get("mode", "ON")}
    policy["cpuUtilization"] = {"predictiveMethod": "NONE", **policy.get("cpuUtilization", {})}
    scaler |= {"target": SELF + target, "status": "ACTIVE", "autoscalingPolicy": policy}


def _image(cloud: GoogleCloud, request: Request) -> Json:
    """Images of Ubuntu, the newest of a family or one by name."""
    project, last = request.names
    if not re.fullmatch(r"ubuntu-2[0-9]04-(lts|jammy-v\d+)(-arm64)?", last):
        raise RefusedError(HTTPStatus.NOT_FOUND, "NOT_FOUND", f"The resource 'projects/{project}/global/images/{last}' was not found")
    name = last.replace("-lts", "-jammy-v20261101")
    return {
        "name": name,
        "family": last,
        "id": number(name),
        "diskSizeGb": "10",
        "status": "READY",
        "selfLink": f"{SELF}projects/{project}/global/images/{name}",
    }


def _operation(cloud: GoogleCloud, request: Request) -> Json:
    place = "global" if len(request.names) == len(("project", "operation")) else f"regions/{request.names[1]}"
    return cloud.poll(f"projects/{request.project}/{place}/operations/{request.names[-1]}")


def _known(cloud: GoogleCloud, request: Request) -> Json:
    """What a group manager creates by itself."""
    return {"name": request.names[-1], "selfLink": SELF}


METHODS: dict[str, Any] = {
    "compute.subnetworks.get": _get("subnetworks"),
    "compute.networks.get": _get("networks"),
    "compute.images.get": _image,
    "compute.images.getFromFamily": _image,
    "compute.firewalls.insert": _insert("firewalls", _firewall),
    "compute.firewalls.get": _get("firewalls"),
    "compute.firewalls.patch": _patch("firewalls", _firewall),
    "compute.firewalls.update": _patch("firewalls", _firewall),
    "compute.firewalls.delete": _delete("firewalls"),
    "compute.instanceTemplates.insert": _insert("instanceTemplates", _template),
    "compute.instanceTemplates.get": _get("instanceTemplates"),
    "compute.instanceTemplates.delete": _delete("instanceTemplates"),
    "compute.regionInstanceGroupManagers.insert": _insert("instanceGroupManagers", _group),
    "compute.regionInstanceGroupManagers.get": _get("instanceGroupManagers"),
    "compute.regionInstanceGroupManagers.patch": _patch("instanceGroupManagers", _group),
    "compute.regionInstanceGroupManagers.resize": _resize,
    "compute.regionInstanceGroupManagers.delete": _delete("instanceGroupManagers"),
    "compute.regionAutoscalers.insert": _insert("autoscalers", _autoscaler),
    "compute.regionAutoscalers.get": _get("autoscalers"),
    "compute.regionAutoscalers.update": _patch("autoscalers", _autoscaler),
    "compute.regionAutoscalers.patch": _patch("autoscalers", _autoscaler),
    "compute.regionAutoscalers.delete": _delete("autoscalers"),
    "compute.globalOperations.get": _operation,
    "compute.globalOperations.wait": _operation,
    "compute.regionOperations.get": _operation,
    "compute.regionOperations.wait": _operation,
}
