"""Common behaviour of all components for caches: arguments of the SDKs, retention, dependencies, and early errors."""

from typing import Any

import pytest
import scalr_agents

from tests.helpers.cloud_arguments import mismatches
from tests.helpers.components import program, record, refused
from tests.helpers.mocked_clouds import INSTANCE, KEY
from tests.helpers.recording import run

PLACE = {
    "vpc_id": "vpc-0f1e",
    "subnets": {"eu-west-1a": "subnet-0a"},
    "clients": {"security_groups": ["sg-0a1b"], "cidrs": ["10.0.0.0/16", "fd00::/64"]},
}
LIKE = {
    "throughput_mode": "provisioned",
    "provisioned_throughput_mibps": 64.5,
    "kms_key": KEY,
    "infrequent_access_after_days": 30,
    "tags": {"team": "web"},
}
CLIENT = {"ip_ranges": ["10.0.0.0/8"], "squash_mode": "ROOT_SQUASH", "anon_uid": 1000, "anon_gid": 1000}
ZONE, REGION = {"location": "europe-west1-b"}, {"tier": "REGIONAL", "location": "europe-west1"}
CLASS = {"storage_class_name": "agents", "provisioner": "filestore.csi.storage.gke.io"}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "efs-of-a-cluster": ("EfsCache", {"eks_cluster": "prod"}),
    "efs-of-a-vpc": ("EfsCache", {**PLACE, **LIKE}),
    "efs-with-groups": ("EfsCache", {"subnets": PLACE["subnets"], "mount_target_security_groups": ["sg-0a1b"]}),
    "efs-existing": ("EfsCache", {"file_system_id": "fs-00000a1b", "eks_cluster": "prod"}),
    "efs-claim": ("EfsClaim", {"namespace": "scalr", "release": "runs", "file_system_id": "fs-00000a1b", "tags": {"team": "web"}}),
    "efs-driver": ("EfsCsiDriver", {"cluster_name": "prod", "addon_version": "v2.1.0-eksbuild.1", "tags": {"team": "web"}}),
    "filestore": ("FilestoreCache", ZONE),
    "filestore-with-everything": (
        "FilestoreCache",
        {
            **REGION,
            "project": "acme",
            "export_options": [CLIENT, {}],
            "reserved_ip_range": "10.0.0.0/26",
            "kms_key": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
            "labels": {"team": "web"},
        },
    ),
    "filestore-claim": ("FilestoreClaim", {"namespace": "scalr", "release": "shared", "instance_id": INSTANCE, "ip_address": "10.9.8.7"}),
    "class": ("CacheStorageClass", CLASS),
    "class-claim": ("StorageClassClaim", {"namespace": "scalr", "release": "runs", "storage_class_name": "agents"}),
}
CLOUD = {key: case for key, case in CASES.items() if key.startswith(("efs", "filestore")) and key != "filestore-claim"}


@pytest.mark.parametrize(("component", "args"), CLOUD.values(), ids=CLOUD)
def test_every_argument_exists_in_the_sdk(component: str, args: dict[str, Any]) -> None:
    sent = [resource for resource in record(component, args).resources if resource.type.startswith(("aws:", "gcp:"))]
    assert sent
    assert [problem for resource in sent for problem in mismatches(resource)] == []


STORAGE = ["it-backup-policy", "it-file-system", "it-policy"]
RETAINED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("EfsCache", PLACE, STORAGE),
    ("EfsCache", {**PLACE, "on_delete": "keep"}, STORAGE),
    ("EfsCache", {**PLACE, "on_delete": "delete"}, []),
    ("EfsCache", {"eks_cluster": "prod"}, STORAGE),
    ("EfsCache", {"file_system_id": "fs-00000a1b", **PLACE}, []),
    ("EfsClaim", CASES["efs-claim"][1], []),
    ("EfsCsiDriver", CASES["efs-driver"][1], []),
    ("FilestoreCache", ZONE, ["it-instance"]),
    ("FilestoreCache", {**REGION, "on_delete": "keep"}, ["it-instance"]),
    ("FilestoreCache", {**REGION, "on_delete": "delete"}, []),
    ("FilestoreClaim", CASES["filestore-claim"][1], []),
    ("CacheStorageClass", CLASS, []),
    ("StorageClassClaim", CASES["class-claim"][1], ["it-claim"]),
    ("StorageClassClaim", {**CASES["class-claim"][1], "on_delete": "delete"}, []),
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
    ("EfsClaim", {"namespace": "scalr", "release": "runs"}, ["error: file_system_id: missing"]),
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
    ("FilestoreClaim", {"namespace": "scalr", "release": "shared"}, ["error: instance_id: missing", "error: ip_address: missing"]),
    (
        "CacheStorageClass",
        {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com"},
        ["error: parameters.fileSystemId: missing: efs.csi.aws.com requires it"],
    ),
    ("StorageClassClaim", {"namespace": "scalr", "release": "runs"}, ["error: storage_class_name: missing"]),
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
