"""A killed `pulumi up`: resources that are not in the state, and the recovery that docs/operations.md describes."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pulumi_aws import efs
from scalr_agents.resources.deploy import deploy

from tests.engine.clouds import FILE_SYSTEM
from tests.engine.file_systems import EFS, OTHER_KEY, PLACE, handle
from tests.engine.stacks import Deployment, up
from tests.helpers.mocked_clouds import KEY

TAKE_OVER = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true", "PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
SYSTEM = "runs-efs-file-system"


@pytest.fixture
def stack(fresh: Callable[[str], Deployment]) -> Deployment:
    """One agent with a cache on EFS, not deployed yet."""
    made = fresh("aws-dev")
    made.edit({"caches.runs": {"efs": PLACE, "onDelete": "delete"}})
    made.set_secrets({"runs.token": "token-of-runs"})
    return made


def _deploy_without_token(project: Path) -> None:
    made: Any = efs.FileSystem

    def without_token(name: str, **inputs: Any) -> Any:
        return made(name, **{word: given for word, given in inputs.items() if word != "creation_token"})

    with patch.object(efs, "FileSystem", without_token):
        deploy(project)


@pytest.mark.parametrize("name", ["runs-rbac-role", "runs-cache-claim", "runs-controller-deployment"])
def test_interrupted_creation_of_cluster_objects(name: str, stack: Deployment) -> None:
    assert stack.killed_up(name)
    assert name in stack.pending()
    locked = stack.up()
    assert "the stack is currently locked" in locked.output
    stack.cancel()

    refused = stack.up()
    assert refused.failed
    assert re.search(rf'::{name}" was not successfully created by the Kubernetes API server: \S+ already exists', refused.output)

    stack.variables = TAKE_OVER
    taken = stack.up()
    assert not taken.failed, taken.output
    assert set(taken.called("delete")) == set()
    stack.variables = {}
    assert not stack.clear_pending().failed
    assert stack.pending() == []
    assert stack.preview().steps == {}


def test_an_interrupted_change_is_completed(stack: Deployment) -> None:
    assert not stack.up().failed
    stack.edit({"agents.runs.values.agent.debug": "1", "agents.runs.values.agent.replicaCount": 2})
    assert stack.killed_up("runs-controller-budget")
    stack.cancel()
    stack.variables = TAKE_OVER
    again = stack.up()
    assert not again.failed, again.output
    assert stack.cluster.objects["Deployment/scalr-dev/runs-agent-job"]["spec"]["replicas"] == 2
    assert stack.preview().steps == {}


def test_a_file_system_is_not_created_twice(stack: Deployment) -> None:
    """Also not one that replaces another. Of the first one, tests/clouds tells."""
    stack.edit({f"{EFS}.kmsKey": KEY})
    assert not stack.up().failed
    there = {handle(stack)}
    stack.edit({f"{EFS}.kmsKey": OTHER_KEY})
    assert stack.killed_up(SYSTEM)
    stack.cancel()
    stack.variables = TAKE_OVER
    refused = stack.up()
    assert refused.failed
    [left] = stack.aws.of_type(FILE_SYSTEM).keys() - there
    assert f"File system '{left}' already exists with creation token" in refused.output
    assert f"  aws efs delete-file-system --file-system-id {left}" in refused.output

    del stack.aws.objects[left]
    then = stack.up()
    assert not then.failed, then.output
    assert len(stack.aws.of_type(FILE_SYSTEM)) == 1
    assert handle(stack) in stack.aws.of_type(FILE_SYSTEM)
    assert stack.preview().steps == {}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("runs-efs-mount-target-eu-west-1a", "MountTargetConflict"),
        ("runs-cache-access-point", ""),
    ],
)
def test_other_interrupted_aws_resources(name: str, problem: str, stack: Deployment) -> None:
    """The next creation is refused until the leftover is deleted, or creates a second one, as docs/operations.md says for each."""
    assert stack.killed_up(name)
    stack.cancel()
    stack.variables = TAKE_OVER
    second = stack.up()
    known = {resource.get("id") for resource in stack.resources().values()}
    left = stack.aws.objects.keys() - known
    assert left
    assert second.failed is bool(problem)
    assert problem in second.output
    for identity in left:
        del stack.aws.objects[identity]
    third = stack.up()
    assert not third.failed, third.output
    assert stack.preview().steps == {}


def test_kept_file_systems_do_not_block_a_new_one(stack: Deployment) -> None:
    stack.edit({"caches.runs.onDelete": "keep"})
    for number, key in enumerate((KEY, OTHER_KEY, KEY), 1):
        stack.edit({f"{EFS}.kmsKey": key})
        up(stack)
        assert stack.aws.objects[handle(stack)].outputs["kmsKeyId"] == key
        assert len(stack.aws.of_type(FILE_SYSTEM)) == number
    assert not stack.destroy().failed
    up(stack)
    assert len(stack.aws.of_type(FILE_SYSTEM)) == number + 1


def test_reverting_a_failed_change_of_the_key(stack: Deployment) -> None:
    stack.edit({f"{EFS}.kmsKey": KEY})
    assert not stack.up().failed
    stack.edit({f"{EFS}.kmsKey": OTHER_KEY})
    stack.cluster.refused = {"PersistentVolume/scalr-dev.runs-cache": "is forbidden"}
    assert stack.up().failed
    stack.cluster.refused = {}
    stack.edit({f"{EFS}.kmsKey": KEY})
    back = stack.up()
    assert not back.failed, back.output
    assert [system["kmsKeyId"] for system in stack.aws.of_type(FILE_SYSTEM).values()] == [KEY]
    assert stack.preview().steps == {}


def test_existing_file_systems_keep_their_token(stack: Deployment) -> None:
    """Those that were deployed without one have a token that the provider has made up."""
    stack.program = partial(_deploy_without_token, stack.project)
    assert not stack.up().failed
    stack.program = None
    [(old, outputs)] = stack.aws.of_type(FILE_SYSTEM).items()
    assert outputs["creationToken"].startswith(f"{SYSTEM}-")
    assert stack.preview().steps == {}
    assert not stack.up().failed
    assert stack.aws.of_type(FILE_SYSTEM) == {old: outputs}
    stack.edit({f"{EFS}.kmsKey": KEY})
    moved = stack.up()
    assert not moved.failed, moved.output
    assert stack.aws.of_type(FILE_SYSTEM).keys() == {handle(stack)}
    assert stack.preview().steps == {}
