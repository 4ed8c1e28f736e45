"""The checks of claims on caches, and of the CSI driver of EFS."""

from typing import Any

import pytest
from scalr_agents.caches.efs import EfsClaimSettings, EfsCsiDriverSettings
from scalr_agents.caches.filestore.settings import FilestoreClaimSettings
from scalr_agents.caches.storage_class import StorageClassClaimSettings
from scalr_agents.model.section import Section

from tests.caches.settings import LATER, findings, parsed

INSTANCE = "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"
PLACE: dict[str, Any] = {"namespace": "scalr", "release": "runs"}
NEEDED: dict[type[Section], dict[str, Any]] = {
    EfsClaimSettings: {**PLACE, "file_system_id": "fs-00000a1b"},
    FilestoreClaimSettings: {**PLACE, "instance_id": INSTANCE, "ip_address": "10.9.8.7"},
    StorageClassClaimSettings: {**PLACE, "storage_class_name": "agents"},
    EfsCsiDriverSettings: {"cluster_name": "prod"},
}
Row = tuple[dict[str, Any], list[str]]
"""What is given, and the beginning of each finding."""

OF_EVERY_CLAIM: list[Row] = [
    ({}, []),
    (
        {"release": "Runs"},
        ["error: release: given 'Runs'; expected a release name: at most 53 lower case letters, digits, '-' and '.'; did you mean 'runs'?"],
    ),
    ({"release": "r" * 54}, ["error: release: given 54 characters; expected a release name: at most 53"]),
    ({"namespace": "a.b"}, ["error: namespace: given 'a.b'; expected a namespace"]),
    ({"namespace": ""}, ["error: namespace: given an empty string; expected a namespace"]),
    ({"namespace": LATER}, ["error: namespace: must be known before deployment"]),
]
DEEP = "/a" * 5
LONG = "/" + "d" * 100
EFS: list[Row] = [
    ({"file_system_id": LATER}, []),
    ({"path": "/a/b/c/d"}, []),
    ({"path": LONG[:-1]}, []),
    ({"uid": 0, "gid": 2**32 - 1, "tags": {"team": LATER}}, []),
    ({"file_system_id": ""}, ["error: file_system_id: missing"]),
    ({"file_system_id": "fsap-0a"}, ["error: file_system_id: given 'fsap-0a'; expected the ID of a file system"]),
    *(({"path": given}, [f"error: path: {given!r} is not the absolute path of a directory"]) for given in ("cache", "/", "/a//b", "/a/")),
    ({"path": DEEP}, [f"error: path: {DEEP!r} is 5 directories deep, but EFS allows at most 4"]),
    ({"path": LONG}, [f"error: path: directory {LONG!r} has 101 characters, but EFS allows at most 100; use shorter names"]),
    ({"path": LATER}, ["error: path: must be known before deployment"]),
    (
        {"namespace": "n" * 40, "release": "r" * 41},
        [f"error: path: directory '/scalr-agent-cache/{'n' * 40}/{'r' * 41}' has 101 characters, but EFS allows at most 100"],
    ),
    ({"namespace": "n" * 40, "release": "r" * 40}, []),
    ({"namespace": "n" * 40, "release": "r" * 41, "path": "/short"}, []),
    ({"tags": {"aws:x": "y"}}, ["error: tags.aws:x: given 'aws:x'; expected the key of a tag"]),
    ({"uid": -1}, ["error: uid: input should be greater than or equal to 0"]),
    ({"gid": 2**32}, ["error: gid: input should be less than 4294967296"]),
    ({"uid": "1000"}, ["error: uid: expected a whole number"]),
    ({"uid": 1000.5}, ["error: uid: expected a whole number"]),
]
FILESTORE: list[Row] = [
    (dict.fromkeys(("instance_id", "ip_address", "share_name", "capacity", "protocol"), LATER), []),
    *(({word: ""}, [f"error: {word}: missing"]) for word in ("instance_id", "ip_address", "share_name")),
    ({"protocol": "NFS_V4"}, ["error: protocol: given 'NFS_V4'; allowed: NFS_V3, NFS_V4_1"]),
    ({"instance_id": "nfs-1"}, ["error: instance_id: given 'nfs-1'; expected the ID of an instance"]),
    ({"capacity": "0"}, ["error: capacity: not a size greater than zero"]),
    ({"capacity": "big"}, ["error: capacity: not a Kubernetes quan"]),
]
STORAGE_CLASS: list[Row] = [
    ({"storage_class_name": LATER, "storage": "1Ti"}, []),
    ({"storage_class_name": ""}, ["error: storage_class_name: missing"]),
    ({"storage": "0"}, ["error: storage: not a size greater than zero"]),
    ({"storage": "-1Gi"}, ["error: storage: not a size greater than zero"]),
    ({"access_mode": "ReadWriteOnce"}, ["warning: access_mode: ReadWriteOnce, but the controllers and all task pods mount"]),
    ({"access_mode": "ReadOnlyMany"}, ["warning: access_mode: ReadOnlyMany, but"]),
]
NO_ROLE = (
    "expected the ARN of a role: arn:<partition>:iam::<account>:role/<path and name>. "
    "Look it up: aws iam get-role --role-name <name> --query Role.Arn --output text"
)
DRIVER: list[Row] = [
    ({}, []),
    ({"cluster_name": LATER, "role_arn": LATER, "addon_version": "v2.1.0-eksbuild.1"}, []),
    ({"role_arn": "arn:aws-cn:iam::111122223333:role/storage/efs-csi"}, []),
    *(
        ({"role_arn": given}, [f"error: role_arn: given {given!r}; {NO_ROLE}"])
        for given in ("efs-csi", "arn:aws:iam::111122223333:user/efs-csi", "arn:aws:sts::111122223333:assumed-role/efs-csi/node")
    ),
    ({"cluster_name": ""}, ["error: cluster_name: missing"]),
    (
        {"tags": {"Aws:x": "y"}},
        ["error: tags.Aws:x: given 'Aws:x'; expected the key of a tag: at most 128 characters, not starting with aws:"],
    ),
]
TABLES: dict[type[Section], list[Row]] = {
    EfsClaimSettings: [*OF_EVERY_CLAIM, *EFS],
    FilestoreClaimSettings: [*OF_EVERY_CLAIM, *FILESTORE],
    StorageClassClaimSettings: [*OF_EVERY_CLAIM, *STORAGE_CLASS],
    EfsCsiDriverSettings: DRIVER,
}
ROWS = [(model, *row) for model, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(("model", "given", "expected"), ROWS, ids=[f"{index}-{model.__name__}" for index, (model, *_) in enumerate(ROWS)])
def test_findings(model: type[Section], given: dict[str, Any], expected: list[str]) -> None:
    told = [str(finding) for finding in findings(model, NEEDED[model] | given)]
    assert [text[: len(start)] for text, start in zip(told, expected, strict=True)] == expected


@pytest.mark.parametrize("model", NEEDED)
def test_required_settings(model: type[Section]) -> None:
    assert [str(finding) for finding in findings(model, {})] == [f"error: {word}: missing" for word in NEEDED[model]]


def test_every_agent_has_its_own_directory() -> None:
    needed = NEEDED[EfsClaimSettings]
    assert parsed(EfsClaimSettings, needed).directory == "/scalr-agent-cache/scalr/runs"
    assert parsed(EfsClaimSettings, {**needed, "path": "/cache"}).directory == "/cache"
