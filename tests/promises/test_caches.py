"""Caches on EFS that are encrypted and mounted through access points, and others."""

import json
from typing import Any

import pytest

from tests.promises.stacks import EFS, agent, broken, changed, resources


def denial(**fields: Any) -> str:
    """A policy of a file system that denies mounts, with other fields than its usual ones."""
    usual = {"Effect": "Deny", "Principal": {"AWS": "*"}, "Action": "elasticfilesystem:Client*"}
    return json.dumps({"Statement": [{**usual, "Condition": {"Null": {POINT: "true"}}, **fields}]})


POINT = "elasticfilesystem:AccessPointArn"
DENIALS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("", {}),
    ("", {"Principal": "*", "Action": ["elasticfilesystem:ClientRootAccess", "elasticfilesystem:clientmount"]}),
    ("", {"Condition": {"ArnNotLike": {POINT.lower(): ["arn:aws:elasticfilesystem:eu-west-1:111122223333:access-point/*"]}}}),
    ("open", {"Condition": {"Null": {POINT: "false"}}}),
    ("open", {"Condition": {"StringLike": {POINT: "*"}}}),
    ("open", {"Condition": {"Null": {POINT: "true", "aws:SourceVpc": "false"}}}),
    ("open", {"Condition": {"Null": {POINT: "true"}, "Bool": {"aws:SecureTransport": "false"}}}),
    ("open", {"Condition": {}}),
    ("open", {"Action": "elasticfilesystem:ClientRootAccess"}),
    ("open", {"Principal": {"AWS": "arn:aws:iam::111122223333:role/driver"}}),
    ("open", {"Effect": "Allow"}),
)


@pytest.mark.parametrize(
    ("what", "fields", "problem"),
    [
        (
            "PersistentVolume",
            {"spec": {"csi": {"volumeHandle": "fs-0123456789"}}},
            "mounts the whole file system fs-0123456789, as any user",
        ),
        ("FileSystem", {"encrypted": False}, "is not encrypted at rest"),
        ("FileSystemPolicy", {"policy": json.dumps({"Statement": [{"Effect": "Allow"}]})}, "lets clients mount without an access point"),
        ("FileSystemPolicy", {"policy": json.dumps({"Statement": {"Effect": "Deny"}})}, "lets clients mount without an access point"),
        *(
            ("FileSystemPolicy", {"policy": denial(**fields)}, problem and "lets clients mount without an access point")
            for problem, fields in DENIALS
        ),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": "fs-01:/web:fsap-01"}}}, ""),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": "fs-01:/web"}}}, "mounts the whole file system fs-01:/web, as any user"),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": "fs-01:fsap-01"}}}, "mounts the whole file system fs-01:fsap-01"),
        ("FileSystemPolicy", {"policy": "{"}, "lets clients mount without an access point"),
        ("FileSystem", {"encrypted": object()}, ""),
        ("FileSystemPolicy", {"policy": object()}, ""),
        ("PersistentVolume", {"spec": {"csi": {"volumeHandle": object()}}}, ""),
    ],
)
def test_caches(what: str, fields: dict[str, Any], problem: str) -> None:
    stack = changed(resources(caches=EFS, agents={"runs": agent(cache="web")}), what, **fields)
    found = broken(stack)
    assert found.keys() == ({"caches-with-access-points"} if problem else set())
    assert problem in str(found)
