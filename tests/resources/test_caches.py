"""Common behaviour of all components for caches: retention, and early errors."""

from typing import Any

import pytest
import scalr_agents

from tests.helpers.components import program, record, refused
from tests.helpers.mocked_clouds import INSTANCE
from tests.helpers.recording import run

PLACE = {"vpc_id": "vpc-0f1e", "subnets": {"eu-west-1a": "subnet-0a"}, "clients": {"cidrs": ["10.0.0.0/16"]}}
ZONE, REGION = {"location": "europe-west1-b"}, {"tier": "REGIONAL", "location": "europe-west1"}
RUNS = {"namespace": "scalr", "release": "runs"}
OF_CLASS = {**RUNS, "storage_class_name": "agents"}
STORAGE = ["it-backup-policy", "it-file-system", "it-policy"]
RETAINED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("EfsCache", PLACE, STORAGE),
    ("EfsCache", {**PLACE, "on_delete": "keep"}, STORAGE),
    ("EfsCache", {**PLACE, "on_delete": "delete"}, []),
    ("EfsCache", {"eks_cluster": "prod"}, STORAGE),
    ("EfsCache", {"file_system_id": "fs-00000a1b", **PLACE}, []),
    ("EfsClaim", {**RUNS, "file_system_id": "fs-00000a1b"}, []),
    ("EfsCsiDriver", {"cluster_name": "prod"}, []),
    ("FilestoreCache", ZONE, ["it-instance"]),
    ("FilestoreCache", {**REGION, "on_delete": "keep"}, ["it-instance"]),
    ("FilestoreCache", {**REGION, "on_delete": "delete"}, []),
    ("FilestoreClaim", {**RUNS, "instance_id": INSTANCE, "ip_address": "10.9.8.7"}, []),
    ("CacheStorageClass", {"storage_class_name": "agents", "provisioner": "filestore.csi.storage.gke.io"}, []),
    ("StorageClassClaim", OF_CLASS, ["it-claim"]),
    ("StorageClassClaim", {**OF_CLASS, "on_delete": "delete"}, []),
]


@pytest.mark.parametrize(("component", "args", "kept"), RETAINED, ids=[f"{index}-{name}" for index, (name, _, _) in enumerate(RETAINED)])
def test_kept_resources(component: str, args: dict[str, Any], kept: list[str]) -> None:
    resources = record(component, args).resources
    assert sorted(resource.name for resource in resources if resource.retain) == kept
    assert not any(resource.protect for resource in resources)


REFUSED: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "EfsCache",
        {"eks_cluster": "prod", "vpc_id": "vpc-0a", "throughput_mode": "provisioned", "tags": {"aws:a": "b"}},
        [
            "error: tags.aws:a: given 'aws:a'; expected the key of a tag: at most 128 characters, not starting with aws:",
            "error: vpc_id: given together with eks_cluster, which sets it too; keep one of them",
            "error: provisioned_throughput_mibps: missing: throughput_mode is provisioned",
        ],
    ),
    (
        "EfsCache",
        {"file_system_id": "fs-00000a1b", "on_delete": "delete"},
        ["error: on_delete: has no effect: file_system_id refers to an existing file system"],
    ),
    ("EfsCache", {"eksCluster": "prod"}, ["error: eksCluster: unknown key 'eksCluster'; did you mean 'eks_cluster'?"]),
    ("EfsCache", {"eks_cluster": "prod", "on_delete": "retain"}, ["error: on_delete: given 'retain'; allowed: 'keep' or 'delete'"]),
    ("EfsClaim", RUNS, ["error: file_system_id: missing"]),
    ("EfsCsiDriver", {"cluster_name": ""}, ["error: cluster_name: missing"]),
    (
        "FilestoreCache",
        {"export_options": [{"ip_ranges": ["10.0.0.0/8"]}]},
        ["error: location: missing: BASIC_HDD requires a zone, for instance europe-west1-b"],
    ),
    (
        "FilestoreCache",
        {"instance_id": INSTANCE, "on_delete": "keep"},
        ["error: on_delete: has no effect: instance_id refers to an existing instance"],
    ),
    ("FilestoreClaim", RUNS, ["error: instance_id: missing", "error: ip_address: missing"]),
    (
        "CacheStorageClass",
        {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com"},
        ["error: parameters.fileSystemId: missing: efs.csi.aws.com requires it"],
    ),
    ("StorageClassClaim", RUNS, ["error: storage_class_name: missing"]),
]


@pytest.mark.parametrize(("component", "args", "lines"), REFUSED, ids=[f"{index}-{name}" for index, (name, _, _) in enumerate(REFUSED)])
def test_errors_register_nothing(component: str, args: dict[str, Any], lines: list[str]) -> None:
    assert refused(component, args) == lines


def test_a_missing_cluster_is_an_error() -> None:
    """Found out with the component as parent, whose provider does the lookup, and before anything in the cloud."""
    recording = run(program("EfsCache", {"eks_cluster": "missing"}))
    assert isinstance(recording.error, scalr_agents.ArgsError)
    assert recording.names == ["it"]
    lines = str(recording.error).splitlines()
    assert lines[0] == "EfsCache 'it' cannot be deployed:"
    assert lines[1].startswith("  error: eks_cluster: cannot look up EKS cluster 'missing': ")
    assert "reading EKS Cluster (missing): couldn't find resource" in lines[1]


def test_warnings_name_the_component() -> None:
    recording = record("EfsCache", {"eks_cluster": "prod", "clients": {"cidrs": ["0.0.0.0/0"]}})
    assert recording.log == [
        ("warning", "it: clients.cidrs[0]: allows every client that can reach a mount target to mount; give the networks of the nodes")
    ]


@pytest.mark.parametrize(
    ("component", "args", "argument"),
    [
        ("EfsCache", {"eks_cluster": "prod"}, "driver_role"),
        ("EfsCache", {"eks_cluster": "prod"}, "kms_key"),
        ("FilestoreCache", {"location": "europe-west1-b", "export_options": [{"ip_ranges": ["10.0.0.0/24"]}]}, "project"),
    ],
)
def test_an_empty_argument_is_a_warning(component: str, args: dict[str, Any], argument: str) -> None:
    recording = run(program(component, {**args, argument: ""}))
    assert recording.log == [("warning", f"it: {argument}: empty, so it has no effect; set it, or leave it out")]
