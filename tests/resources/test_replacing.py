"""Workloads are replaced together with the claims and volumes that they mount."""

from typing import Any

import pulumi
import pytest
import scalr_agents

from tests.helpers.components import record
from tests.helpers.programs import ARGS, TOKEN, stack_with
from tests.helpers.recording import run

_CLAIM = {"enabled": True}
_DYNAMIC: dict[str, Any] = {"storageClass": {"name": "agents"}}


@pytest.mark.parametrize(
    ("component", "values", "workloads", "mounted"),
    [
        (
            "AgentJob",
            {"persistence": {"data": _CLAIM, "cache": _CLAIM}},
            ["it-controller-deployment"],
            {"it-controller-data-claim", "it-controller-cache-claim"},
        ),
        ("AgentJob", {}, ["it-controller-deployment"], set()),
        ("AgentLocal", {"persistence": _CLAIM}, ["it-deployment"], {"it-cache-claim"}),
        ("AgentK8s", {"efsVolumeHandle": "fs-00000a1b"}, ["it-deployment", "it-daemon-set"], {"it-volume", "it-claim"}),
    ],
)
def test_replacing_claims_of_an_agent(component: str, values: dict[str, Any], workloads: list[str], mounted: set[str]) -> None:
    recording = record(component, {**ARGS, "token": TOKEN, "values": values})
    assert {name: recording[name].replaced_with for name in workloads} == dict.fromkeys(workloads, mounted)


@pytest.mark.parametrize(
    ("cache", "mounted"),
    [
        ({"efs": {"fileSystemId": "fs-00000a1b"}}, {"runs-cache-volume", "runs-cache-claim"}),
        ({"filestore": {"location": "europe-west1-b"}}, {"team-cache-volume", "team-cache-claim"}),
        ({**_DYNAMIC, "onDelete": "delete"}, {"runs-cache-claim"}),
        (_DYNAMIC, {"runs-cache"}),
        ({"claim": "mine"}, set()),
    ],
    ids=["efs", "filestore", "class", "class-kept", "claim"],
)
def test_replacing_claims_of_a_stack(cache: dict[str, Any], mounted: set[str]) -> None:
    recording = stack_with({"team": cache})
    assert recording["runs-controller-deployment"].replaced_with == mounted


def test_pods_that_refer_to_a_claim_block_it() -> None:
    """Kubernetes checks the volumes of a pod, not the mounts of its containers."""
    named = {"name": "others", "persistentVolumeClaim": {"claimName": "one-cache"}}
    agents = {"one": {"cache": "team"}, "two": {"values": {"task": {"extraVolumes": [named]}}}}
    recording = stack_with({"team": {**_DYNAMIC, "onDelete": "delete"}}, agents)
    assert recording.error is None
    assert recording["two-controller-deployment"].replaced_with == {"one-cache-claim"}


@pytest.mark.parametrize(
    ("component", "args"),
    [
        ("AgentK8s", {**ARGS, "token": TOKEN, "values": {"efsVolumeHandle": "fs-00000a1b"}}),
        ("EfsClaim", {"namespace": "scalr", "release": "it", "file_system_id": "fs-00000a1b"}),
    ],
)
def test_a_claim_is_replaced_with_its_volume(component: str, args: dict[str, Any]) -> None:
    recording = record(component, args)
    claim = recording["it-claim"]
    assert "it-volume" in claim.dependencies
    assert claim.replaced_on == ("spec",)


def test_a_claim_of_a_class_grows_in_place() -> None:
    recording = record("AgentJob", {**ARGS, "token": TOKEN, "values": {"persistence": {"cache": _CLAIM}}})
    assert recording["it-controller-cache-claim"].replaced_on == ()


def test_changing_the_reclaim_policy_replaces_the_class() -> None:
    args = {"storage_class_name": "scalr", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-00000a1b"}}
    assert record("CacheStorageClass", args)["it-storage-class"].replaced_on == ("reclaimPolicy",)


def test_a_claim_depends_on_its_class_without_being_replaced() -> None:
    """A replaced class is deleted first, with everything that gets its name from it."""

    def program() -> None:
        of_class: Any = {"storage_class_name": "scalr", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-0000000a"}}
        made = scalr_agents.CacheStorageClass("class", of_class)
        namespace = pulumi.CustomResource("kubernetes:core/v1:Namespace", "scalr", {})
        opts = pulumi.ResourceOptions(depends_on=[namespace])
        scalr_agents.StorageClassClaim(
            "cache", {"namespace": "scalr", "release": "runs", "storage_class_name": made.storage_class_name}, opts
        )

    claim = run(program)["cache-claim"]
    assert claim.inputs["spec"]["storageClassName"] == "scalr"
    assert claim.dependencies >= {"class-storage-class", "scalr"}
    assert claim.gets_from.get("spec", set()) == set()
