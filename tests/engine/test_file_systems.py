"""Changes of EFS file systems: pods are deleted before what they mount."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.clouds import FILE_SYSTEM, MOUNT_TARGET
from tests.engine.file_systems import EFS, OTHER_KEY, PLACE, handle
from tests.engine.order import assert_order
from tests.engine.stacks import Deployment
from tests.helpers.mocked_clouds import ACCOUNT, KEY

MOUNTED = ["runs-controller-deployment", "runs-cache-claim", "runs-cache-volume"]
TARGETS = ["runs-efs-mount-target-eu-west-1a", "runs-efs-mount-target-eu-west-1b"]


@pytest.fixture
def deployed(fresh: Callable[[str], Deployment]) -> Callable[..., Deployment]:
    """A stack of one agent with a cache on EFS."""

    def up(on_delete: str | None = "delete", **words: Any) -> Deployment:
        stack = fresh("aws-dev")
        stack.edit({"caches.runs": {"efs": PLACE | words} | ({"onDelete": on_delete} if on_delete else {})})
        stack.set_secrets({"runs.token": "token-of-runs"})
        first = stack.up()
        assert not first.failed, first.output
        assert stack.preview().steps == {}
        return stack

    return up


@pytest.mark.parametrize("on_delete", ["keep", "delete"])
def test_changing_the_key_replaces_the_file_system(on_delete: str, deployed: Callable[..., Deployment]) -> None:
    stack = deployed(on_delete, kmsKey=KEY)
    old = handle(stack)
    stack.edit({f"{EFS}.kmsKey": OTHER_KEY})
    moved = stack.up()
    assert not moved.failed, moved.output
    assert_order(moved, *([name] for name in MOUNTED), TARGETS)
    new = handle(stack)
    assert stack.aws.objects[new].outputs["kmsKeyId"] == OTHER_KEY
    assert stack.aws.of_type(FILE_SYSTEM).keys() == ({old, new} if on_delete == "keep" else {new})
    assert {target["fileSystemId"] for target in stack.aws.of_type(MOUNT_TARGET).values()} == {new}
    assert stack.preview().steps == {}


def test_driver_role_limits_mounts_to_one_role(deployed: Callable[..., Deployment]) -> None:
    """Pods that mount it anonymously are deleted before mounts are limited to the driver, and created again."""
    stack = deployed()
    stack.edit({f"{EFS}.driverRole": f"arn:aws:iam::{ACCOUNT}:role/efs-csi-node"})
    closed = stack.up()
    assert not closed.failed, closed.output
    assert_order(closed, *([name] for name in MOUNTED))
    assert closed.called("update") == ["runs-efs-policy"]
    assert sorted(closed.called("create")) == sorted(MOUNTED)
    assert stack.cluster.objects["PersistentVolume//scalr-dev.runs-cache"]["spec"]["mountOptions"][-1] == "iam"
    assert stack.preview().steps == {}


def test_changing_the_subnet_of_a_zone_is_refused(deployed: Callable[..., Deployment]) -> None:
    """AWS refuses it, as documented, and the agent continues. The documented way works."""
    stack = deployed()
    there, calls = dict(stack.cluster.objects), {"update", "delete"}
    stack.edit({f"{EFS}.subnets.eu-west-1a": "subnet-1a"})
    refused = stack.up()
    assert refused.failed
    assert "MountTargetConflict" in refused.output
    assert [(call.operation, call.name) for call in refused.calls if call.operation in calls] == []
    assert stack.cluster.objects == there

    for subnets in ({"eu-west-1b": "subnet-0b"}, {"eu-west-1a": "subnet-1a", "eu-west-1b": "subnet-0b"}):
        stack.edit({f"{EFS}.subnets": subnets})
        step = stack.up()
        assert not step.failed, step.output
    assert {target["subnetId"] for target in stack.aws.of_type(MOUNT_TARGET).values()} == {"subnet-1a", "subnet-0b"}
    assert stack.cluster.objects == there
    assert stack.preview().steps == {}


def test_changing_an_existing_file_system_and_its_network(deployed: Callable[..., Deployment]) -> None:
    stack = deployed(None, fileSystemId="fs-0000000a")
    stack.edit({f"{EFS}.fileSystemId": "fs-0000000b"})
    moved = stack.up()
    assert not moved.failed, moved.output
    assert_order(moved, *([name] for name in MOUNTED), TARGETS)
    assert handle(stack) == "fs-0000000b"
    assert {target["fileSystemId"] for target in stack.aws.of_type(MOUNT_TARGET).values()} == {"fs-0000000b"}
    assert stack.preview().steps == {}
