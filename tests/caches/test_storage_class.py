"""The checks of storage classes and of claims on them, and the parameters that a class gets."""

from typing import Any

import pytest
from scalr_agents.caches.storage_class.claim import parameters
from scalr_agents.caches.storage_class.settings import StorageClassClaimSettings, StorageClassSettings
from scalr_agents.model import parse as shapes
from scalr_agents.model.judge import judge
from scalr_agents.model.spelling import by_name

LATER: Any = object()
"""Known only during deployment."""
EFS: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-00000a1b"}}
FILESTORE: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "filestore.csi.storage.gke.io"}
AZURE: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "file.csi.azure.com"}
CLAIM: dict[str, Any] = {"namespace": "scalr", "release": "runs", "storage_class_name": "agents"}

FILESTORE_PARAMETERS = (
    "tier, network, connect-mode, reserved-ipv4-cidr, reserved-ip-range, instance-encryption-kms-key, labels, protocol, "
    "nfs-export-options-on-create, multishare, max-volume-size"
)


def _class(given: dict[str, Any]) -> StorageClassSettings:
    settings, findings = shapes.parse_arguments(StorageClassSettings, given)
    assert settings is not None, findings
    return settings


CLASSES: list[tuple[dict[str, Any], list[str]]] = [
    (EFS, []),
    (FILESTORE, []),
    (AZURE, []),
    ({**AZURE, "parameters": {"skuName": "Premium_ZRS", "networkEndpointType": "privateEndpoint", "resourceGroup": LATER}}, []),
    ({**AZURE, "parameters": {"skuname": "Premium_ZRS"}}, ["error: parameters.skuname: unknown key 'skuname'; did you mean 'skuName'?"]),
    ({**EFS, "parameters": {"fileSystemId": LATER, "subPathPattern": "x", "ensureUniqueDirectory": "false"}}, []),
    ({**FILESTORE, "parameters": {"tier": "zonal", "network": LATER, "connect-mode": "PRIVATE_SERVICE_ACCESS"}}, []),
    ({**EFS, "storage_class_name": ""}, ["error: storage_class_name: missing"]),
    ({**EFS, "parameters": {}}, ["error: parameters.fileSystemId: missing: efs.csi.aws.com requires it"]),
    ({**EFS, "parameters": {"fileSystemId": ""}}, ["error: parameters.fileSystemId: missing: efs.csi.aws.com requires it"]),
    (
        {**EFS, "parameters": {"filesystemId": "fs-00000a1b"}},
        [
            "error: parameters.filesystemId: unknown key 'filesystemId'; did you mean 'fileSystemId'?",
            "error: parameters.fileSystemId: missing: efs.csi.aws.com requires it",
        ],
    ),
    (
        {**FILESTORE, "parameters": {"fileSystemId": "fs-00000a1b", "connectMode": "x"}},
        [
            f"error: parameters.fileSystemId: unknown key 'fileSystemId'; allowed: {FILESTORE_PARAMETERS}",
            "error: parameters.connectMode: unknown key 'connectMode'; did you mean 'connect-mode'?",
        ],
    ),
]


@pytest.mark.parametrize(("given", "expected"), CLASSES, ids=[str(index) for index, _ in enumerate(CLASSES)])
def test_storage_class(given: dict[str, Any], expected: list[str]) -> None:
    assert list(map(str, judge(_class(given), by_name))) == expected


OWNED = {"provisioningMode": "efs-ap", "directoryPerms": "775", "uid": "1000", "gid": "1000", "basePath": "/scalr-agent-cache"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (EFS, {**OWNED, "fileSystemId": "fs-00000a1b"}),
        (
            {**EFS, "parameters": {"fileSystemId": LATER, "uid": "2000", "basePath": "/x"}},
            {**OWNED, "fileSystemId": LATER, "uid": "2000", "basePath": "/x"},
        ),
        (
            {**EFS, "parameters": {"fileSystemId": "fs-00000a1b", "gidRangeStart": "1000", "gidRangeEnd": "2000"}},
            {
                "provisioningMode": "efs-ap",
                "directoryPerms": "775",
                "basePath": "/scalr-agent-cache",
                "fileSystemId": "fs-00000a1b",
                "gidRangeStart": "1000",
                "gidRangeEnd": "2000",
            },
        ),
        (FILESTORE, {"tier": "basic_hdd", "network": "default"}),
        ({**FILESTORE, "parameters": {"tier": "zonal", "labels": "a=b"}}, {"tier": "zonal", "network": "default", "labels": "a=b"}),
        ({**AZURE, "parameters": {"skuName": "Premium_ZRS"}}, {"protocol": "nfs", "skuName": "Premium_ZRS"}),
    ],
    ids=["efs", "efs-owner", "efs-range-of-groups", "filestore", "filestore-tier", "azure"],
)
def test_parameters_override_defaults(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert parameters(_class(given)) == expected


def test_defaults_of_parameters_are_not_mutated() -> None:
    parameters(_class({**FILESTORE, "parameters": {"tier": "zonal"}}))
    assert parameters(_class(FILESTORE))["tier"] == "basic_hdd"


def test_a_share_of_azure_files_is_never_smb() -> None:
    [found] = judge(_class({**AZURE, "parameters": {"protocol": "smb"}}), by_name)
    assert str(found).startswith("error: parameters.protocol: unknown key 'protocol'; allowed: skuName, ")


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        ({"provisioner": "ebs.csi.aws.com"}, "provisioner", "'efs.csi.aws.com', 'filestore.csi.storage.gke.io' or 'file.csi.azure.com'"),
        ({"storage_class_name": "My_Class"}, "storage_class_name", "not a valid Kubernetes name"),
        ({"storage_class_name": LATER}, "storage_class_name", "must be known before deployment"),
        ({"parameters": {"uid": 1000}}, "parameters.uid", "quote it"),
    ],
)
def test_types_of_class_settings(given: dict[str, Any], path: str, words: str) -> None:
    settings, findings = shapes.parse_arguments(StorageClassSettings, {**EFS, **given})
    assert settings is None
    assert [(finding.severity, finding.path) for finding in findings] == [("error", path)]
    assert words in findings[0].message


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, []),
        ({"storage_class_name": LATER, "storage": "1Ti"}, []),
        ({"storage_class_name": ""}, [("error", "storage_class_name", "missing")]),
        ({"release": "r" * 54}, [("error", "release", "given 54 characters; expected a release name: at most 53")]),
        ({"namespace": "Scalr"}, [("error", "namespace", "given 'Scalr'; expected a namespace")]),
        ({"storage": "0"}, [("error", "storage", "not a size greater than zero")]),
        ({"storage": "-1Gi"}, [("error", "storage", "not a size greater than zero")]),
        ({"access_mode": "ReadWriteOnce"}, [("warning", "access_mode", "ReadWriteOnce, but the controllers and all task pods mount")]),
        ({"access_mode": "ReadOnlyMany"}, [("warning", "access_mode", "ReadOnlyMany, but")]),
    ],
)
def test_a_claim_and_its_objects(given: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    claim, _ = shapes.parse_arguments(StorageClassClaimSettings, {**CLAIM, **given})
    assert claim is not None
    found = list(judge(claim, by_name))
    assert [(finding.severity, finding.path) for finding in found] == [(severity, path) for severity, path, _ in expected]
    for finding, (_, _, words) in zip(found, expected, strict=True):
        assert finding.message.startswith(words)
