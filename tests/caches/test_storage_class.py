"""The checks of storage classes, and the parameters that a class gets."""

from typing import Any

import pytest
from scalr_agents.caches.storage_class import StorageClassSettings, parameters

from tests.caches.settings import LATER, findings, found, parsed

EFS: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-00000a1b"}}
FILESTORE: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "filestore.csi.storage.gke.io"}
AZURE: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "file.csi.azure.com"}

FILESTORE_PARAMETERS = (
    "tier, network, connect-mode, reserved-ipv4-cidr, reserved-ip-range, instance-encryption-kms-key, labels, protocol, "
    "nfs-export-options-on-create, multishare, max-volume-size"
)


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
    assert [str(finding) for finding in findings(StorageClassSettings, given)] == expected


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
    assert parameters(parsed(StorageClassSettings, given)) == expected


def test_defaults_of_parameters_are_not_mutated() -> None:
    parameters(parsed(StorageClassSettings, {**FILESTORE, "parameters": {"tier": "zonal"}}))
    assert parameters(parsed(StorageClassSettings, FILESTORE))["tier"] == "basic_hdd"


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({**AZURE, "parameters": {"protocol": "smb"}}, "parameters.protocol", "unknown key 'protocol'; allowed: skuName, "),  # never over SMB
    (
        {**EFS, "provisioner": "ebs.csi.aws.com"},
        "provisioner",
        "'efs.csi.aws.com', 'filestore.csi.storage.gke.io' or 'file.csi.azure.com'",
    ),
    ({**EFS, "storage_class_name": "My_Class"}, "storage_class_name", "not a valid Kubernetes name"),
    ({**EFS, "storage_class_name": LATER}, "storage_class_name", "must be known before deployment"),
    ({**EFS, "parameters": {"uid": 1000}}, "parameters.uid", "quote it"),
]


@pytest.mark.parametrize(("given", "path", "words"), WRONG, ids=[path for _, path, _ in WRONG])
def test_error_without_further_findings(given: dict[str, Any], path: str, words: str) -> None:
    [(severity, where, message)] = found(StorageClassSettings, given)
    assert (severity, where) == ("error", path)
    assert words in message
