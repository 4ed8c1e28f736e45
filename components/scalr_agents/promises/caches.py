"""Caches on Amazon EFS: encrypted, and mounted only through access points, each of which sets the directory and the user of its clients."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.model.clouds import EFS_DRIVER
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.merge import lookup
from scalr_agents.promises.resources import Resource, Violation, violation

_ACCESS_POINT = "elasticfilesystem:AccessPointArn"


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
    if lookup(csi, "driver") == EFS_DRIVER and isinstance(handle, str) and "::fsap-" not in handle:
        advice = "Name an access point in the handle, as in fs-0123abcd::fsap-0123abcd"
        yield violation(resource, f"mounts the whole file system {handle}, as any user", advice)


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
    conditions = lookup(statement, "Condition")
    named = isinstance(conditions, Mapping) and any(isinstance(each, Mapping) and _ACCESS_POINT in each for each in conditions.values())
    return lookup(statement, "Effect") == "Deny" and named
