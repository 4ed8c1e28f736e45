"""Changes of caches: a claim is deleted when no pod mounts it, so its workloads are deleted first."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
import scalr_agents

from tests.engine.order import LONGEST_RUN, MARGIN, assert_order
from tests.engine.stacks import Deployment

CLAIM, VOLUME, DEPLOYMENT = "runs-cache-claim", "runs-cache-volume", "runs-controller-deployment"
OBJECT = "PersistentVolumeClaim/scalr-dev/runs-cache"
REPLACED = ("delete-replaced", "replace", "create-replacement")
DYNAMIC: dict[str, Any] = {"storageClass": {"name": "fast"}, "onDelete": "delete"}


@pytest.fixture
def deployed(fresh: Callable[[str], Deployment]) -> Callable[[dict[str, Any]], Deployment]:
    """A stack of one agent with a cache."""

    def up(cache: dict[str, Any]) -> Deployment:
        stack = fresh("aws-dev")
        stack.edit({"caches.runs": cache})
        stack.set_secrets({"runs.token": "token-of-runs"})
        first = stack.up()
        assert not first.failed, first.output
        return stack

    return up


def test_changing_the_file_system_replaces_the_claim(deployed: Callable[[dict[str, Any]], Deployment]) -> None:
    stack = deployed({"efs": {"fileSystemId": "fs-0000000a"}})
    stack.edit({"caches.runs.efs.fileSystemId": "fs-0000000b"})
    moved = stack.up()
    assert not moved.failed, moved.output
    assert [(call.operation, call.name) for call in moved.calls if call.operation in {"create", "update", "delete"}] == [
        ("create", "runs-cache-access-point"),
        ("delete", DEPLOYMENT),
        ("delete", CLAIM),
        ("delete", VOLUME),
        ("create", VOLUME),
        ("create", CLAIM),
        ("create", DEPLOYMENT),
        ("delete", "runs-cache-access-point"),
    ]
    assert moved.call("delete", CLAIM).timeout == LONGEST_RUN + MARGIN
    assert stack.cluster.objects["PersistentVolume//scalr-dev.runs-cache"]["spec"]["csi"]["volumeHandle"].startswith("fs-0000000b::")
    assert stack.preview().steps == {}


def test_changing_the_class_replaces_the_claim(deployed: Callable[[dict[str, Any]], Deployment]) -> None:
    stack = deployed(DYNAMIC)
    stack.edit({"caches.runs.storageClass.name": "faster"})
    moved = stack.up()
    assert not moved.failed, moved.output
    assert moved.steps == {DEPLOYMENT: REPLACED, CLAIM: REPLACED}
    assert_order(moved, [DEPLOYMENT], [CLAIM])
    assert moved.call("create", CLAIM).ended <= moved.call("create", DEPLOYMENT).began


def test_a_kept_claim_is_not_replaced(deployed: Callable[[dict[str, Any]], Deployment]) -> None:
    """The old claim is kept, so the new one is refused while the agent is still running."""
    stack = deployed({**DYNAMIC, "onDelete": "keep"})
    stack.edit({"caches.runs.storageClass.name": "faster"})
    refused = stack.up()
    assert refused.failed
    assert "PersistentVolumeClaim/scalr-dev/runs-cache is invalid: spec.storageClassName: field is immutable" in refused.output
    assert "Deployment/scalr-dev/runs-agent-job" in stack.cluster.objects
    stack.edit({"caches.runs.storageClass.name": "fast"})
    back = stack.up()
    assert not back.failed, back.output
    assert {OBJECT, "Deployment/scalr-dev/runs-agent-job"} <= stack.cluster.objects.keys()


@pytest.mark.parametrize(
    ("fault", "place", "taken_back"),
    [
        ("unready", "PersistentVolumeClaim/runs-cache", False),
        ("refused", "PersistentVolumeClaim/runs-cache", True),
        ("refused", "Deployment/runs-agent-job", True),
    ],
)
def test_a_failed_change_is_completed_or_reverted_by_the_next_up(
    fault: str, place: str, taken_back: bool, deployed: Callable[[dict[str, Any]], Deployment]
) -> None:
    """The engine knows what it has deleted already, and deletes nothing of that name again."""
    stack = deployed(DYNAMIC)
    there = set(stack.cluster.objects)
    stack.edit({"caches.runs.storageClass.name": "faster"})
    stack.cluster.unready, stack.cluster.refused = ({place: []}, {}) if fault == "unready" else ({}, {place: "exceeded quota"})
    assert stack.up().failed
    stack.cluster.unready, stack.cluster.refused = {}, {}
    if taken_back:
        stack.edit({"caches.runs.storageClass.name": "fast"})
    then = stack.up()
    assert not then.failed, then.output
    assert set(stack.cluster.objects) == there
    assert stack.cluster.objects[OBJECT]["spec"]["storageClassName"] == ("fast" if taken_back else "faster")
    assert stack.preview().steps == {}


def test_renaming_only_the_claim_updates_the_deployment(deployed: Callable[[dict[str, Any]], Deployment]) -> None:
    stack = deployed(DYNAMIC)
    stack.edit({"agents.runs.values.fullnameOverride": "payments", "agents.runs.release": "one"})
    assert not stack.up().failed
    stack.edit({"agents.runs.release": "two"})
    renamed = stack.up()
    assert not renamed.failed, renamed.output
    kinds = {"Deployment", "PersistentVolumeClaim"}
    there = {key for key in stack.cluster.objects if key.partition("/")[0] in kinds}
    assert there == {"Deployment/scalr-dev/payments", "PersistentVolumeClaim/scalr-dev/two-cache"}


def test_a_larger_claim_grows_in_place(deployed: Callable[[dict[str, Any]], Deployment]) -> None:
    stack = deployed(DYNAMIC)
    stack.edit({"caches.runs.storageClass.storage": "200Gi"})
    grown = stack.up()
    assert grown.steps == {CLAIM: ("update",)}
    assert grown.differences == {CLAIM: {"spec.resources.requests.storage"}}


def _class_and_claim(changed: dict[str, Any]) -> None:
    args: Any = {
        "storage_class_name": "scalr",
        "provisioner": "efs.csi.aws.com",
        "parameters": {"fileSystemId": "fs-0000000a"},
        "on_delete": "delete",
        **changed,
    }
    cluster = kubernetes.Provider("cluster", context="prod", enable_secret_mutable=True)
    opts = pulumi.ResourceOptions(provider=cluster)
    namespace = kubernetes.core.v1.Namespace("scalr", metadata={"name": "scalr"}, opts=opts)
    made = scalr_agents.CacheStorageClass("class", args, opts)
    opts = pulumi.ResourceOptions(provider=cluster, depends_on=[namespace])
    of_class: Any = {"namespace": "scalr", "release": "runs", "storage_class_name": made.storage_class_name}
    scalr_agents.StorageClassClaim("cache", of_class, opts)


@pytest.mark.parametrize("changed", [{"on_delete": "keep"}, {"parameters": {"fileSystemId": "fs-0000000a", "directoryPerms": "0700"}}])
def test_replacing_a_class_keeps_its_claims(fresh: Callable[[str], Deployment], changed: dict[str, Any]) -> None:
    """A class affects only volumes that are created later."""
    stack = fresh("local")
    stack.program = partial(_class_and_claim, {})
    assert not stack.up().failed
    stack.program = partial(_class_and_claim, changed)
    replaced = stack.up()
    assert not replaced.failed, replaced.output
    assert replaced.steps == {"class-storage-class": REPLACED}
