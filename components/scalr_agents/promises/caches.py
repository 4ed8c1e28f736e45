"""Caches on Amazon EFS: encrypted, and mounted only through access points, each of which sets the directory and the user of its clients."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from scalr_agents.model.clouds import EFS_DRIVER
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.merge import lookup
from scalr_agents.promises.resources import Resource, Violation, items, violation

_ACCESS_POINT = "elasticfilesystem:AccessPointArn"
_MOUNT = "elasticfilesystem:clientmount"
_ALL_CLIENTS = ("*", {"AWS": "*"}, {"AWS": ["*"]})
_UNLIKE = ("stringnotlike", "stringnotequals", "arnnotlike", "arnnotequals")
"""Operators that are true of a mount without an access point, whatever they compare it with."""


def violations(resources: Sequence[Resource], _excepted: Sequence[str]) -> Iterator[Violation]:
    for resource in resources:
        if not resource.component:
            continue
        match resource.type:
            case "kubernetes:core/v1:PersistentVolume":
                yield from _volume(resource)
            case "aws:efs/fileSystem:FileSystem":
                yield from _file_system(resource)
            case "aws:efs/fileSystemPolicy:FileSystemPolicy":
                yield from _policy(resource)


def _volume(resource: Resource) -> Iterator[Violation]:
    csi = lookup(resource.inputs, "spec", "csi")
    handle = lookup(csi, "volumeHandle")
    if lookup(csi, "driver") == EFS_DRIVER and isinstance(handle, str) and not _names_access_point(handle):
        advice = "Name an access point in the handle, as in fs-0123abcd::fsap-0123abcd"
        yield violation(resource, f"mounts the whole file system {handle}, as any user", advice)


def _names_access_point(handle: str) -> bool:
    """Whether a handle, `<file system>:<directory>:<access point>` for the driver, has its last part."""
    _, _, rest = handle.partition(":")
    return rest.partition(":")[2].startswith("fsap-")


def _file_system(resource: Resource) -> Iterator[Violation]:
    encrypted = resource.inputs.get("encrypted")
    if encrypted is not True and not is_deferred(encrypted):
        yield violation(resource, "is not encrypted at rest", "Set encrypted to true")


def _policy(resource: Resource) -> Iterator[Violation]:
    policy = resource.inputs.get("policy")
    if isinstance(policy, str) and not any(map(_denies_without_access_point, _statements(policy))):
        yield violation(resource, "lets clients mount without an access point", f"Deny elasticfilesystem:Client* without {_ACCESS_POINT}")


def _statements(policy: str) -> list[Any]:
    try:
        found = lookup(json.loads(policy), "Statement")
    except ValueError:
        return []
    return found if isinstance(found, list) else [found]


def _denies_without_access_point(statement: Any) -> bool:
    """Whether a statement denies all mounts without an access point, under no other condition."""
    actions = lookup(statement, "Action")
    named = [actions] if isinstance(actions, str) else items(actions)
    denied = any(isinstance(each, str) and fnmatchcase(_MOUNT, each.lower()) for each in named)
    return lookup(statement, "Effect") == "Deny" and lookup(statement, "Principal") in _ALL_CLIENTS and denied and _is_without(statement)


def _is_without(statement: Any) -> bool:
    """Whether the only condition of a statement is true of a mount without an access point."""
    conditions = lookup(statement, "Condition")
    [(operator, tested), *others] = conditions.items() if isinstance(conditions, Mapping) and conditions else [("", None)]
    if others or not isinstance(tested, Mapping) or [key.lower() for key in tested] != [_ACCESS_POINT.lower()]:
        return False
    [value] = tested.values()
    return operator.lower() in _UNLIKE or (operator.lower() == "null" and value in (True, "true", ["true"]))
