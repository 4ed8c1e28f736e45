"""The stack after a failed `pulumi up`, and the next one."""

from collections.abc import Callable

import pytest

from tests.engine.stacks import Branch, Deployed, Deployment
from tests.helpers.provider_errors import ADVICE, NO_POD, REASONS

DEPLOYMENT, SECRET = "runs-controller-deployment", "runs-controller-token-secret"
OBJECT = "Deployment/runs-agent-job"
NOT_READY = "error: The controllers of 'runs' did not become ready."


@pytest.fixture
def stack(fresh: Callable[[str], Deployment]) -> Deployment:
    made = fresh("local")
    made.set_secrets({"runs.token": "token-of-runs"})
    return made


def test_a_failed_rollout_is_completed_by_the_next_up(stack: Deployment) -> None:
    stack.cluster.unready = {OBJECT: REASONS["exit"]}
    failed = stack.up()
    assert failed.failed
    assert f"{NOT_READY} A container starts and exits" in failed.output
    assert "Traceback" not in failed.output
    assert failed.called("create").count(DEPLOYMENT) == 1
    assert len(stack.resources()) == 20

    stack.cluster.unready = {}
    second = stack.up()
    assert not second.failed, second.output
    assert second.steps == {DEPLOYMENT: ("update",)}
    assert second.differences == {}
    assert second.unchanged == 19
    assert stack.preview().steps == {}


def test_a_failed_update_is_repaired_by_restoring_the_value(local: Deployed, branch: Branch) -> None:
    """An update that fails: restoring the value repairs it."""
    stack = branch(local)
    stack.cluster.unready = {OBJECT: NO_POD}
    stack.set_secrets({"runs.token": "wrong"})
    failed = stack.up()
    assert failed.failed
    assert f"{NOT_READY} The error does not give a reason." in failed.output

    stack.cluster.unready = {}
    stack.set_secrets({"runs.token": "token-of-runs"})
    repaired = stack.up()
    assert not repaired.failed, repaired.output
    assert repaired.steps == {SECRET: ("update",), DEPLOYMENT: ("update",)}
    assert stack.cluster.objects == local.stack.cluster.objects


@pytest.mark.parametrize("name", ["exit", "image"])
def test_the_engine_passes_on_pod_errors(name: str, local: Deployed, branch: Branch) -> None:
    sentence, commands = ADVICE[name]
    stack = branch(local)
    stack.edit({"agents.runs.values.agent.debug": 1})
    stack.cluster.unready = {OBJECT: REASONS[name]}
    failed = stack.up()
    assert failed.failed
    assert f"{NOT_READY} {sentence}" in failed.output
    assert all(command in failed.output for command in commands)
    assert ("the token of the agent pool is valid" in failed.output) == (name == "exit")


def test_a_refused_secret_fails_the_deployment(stack: Deployment) -> None:
    stack.cluster.refused = {"Secret/runs-agent-job": "exceeded quota: secrets"}
    failed = stack.up()
    assert failed.failed
    assert "was not successfully created by the Kubernetes API server: exceeded quota: secrets" in failed.output
    assert "did not become ready" not in failed.output
    assert {SECRET, DEPLOYMENT} & stack.resources().keys() == set()
    assert len(stack.resources()) == 18

    stack.cluster.refused = {}
    second = stack.up()
    assert not second.failed, second.output
    assert second.steps == {SECRET: ("create",), DEPLOYMENT: ("create",)}
    assert second.called("create") == [SECRET, DEPLOYMENT]
    assert stack.preview().steps == {}


def test_a_refused_deployment_has_no_pod_advice(local: Deployed, branch: Branch) -> None:
    changed = branch(local)
    changed.edit({"agents.runs.values.agent.debug": 1})
    changed.cluster.refused = {OBJECT: "is forbidden: violates PodSecurity"}
    failed = changed.up()
    assert failed.failed
    assert "is forbidden: violates PodSecurity" in failed.output
    assert "did not become ready" not in failed.output
