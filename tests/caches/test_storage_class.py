"""The checks of storage classes, and the parameters that a class gets."""

from typing import Any

import pytest
from scalr_agents.caches.storage_class import StorageClassSettings, parameters

from tests.caches.settings import LATER, parsed

EFS: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-00000a1b"}}
FILESTORE: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "filestore.csi.storage.gke.io"}
AZURE: dict[str, Any] = {"storage_class_name": "agents", "provisioner": "file.csi.azure.com"}


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
