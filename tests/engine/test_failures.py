"""Where a `pulumi up` that has failed leaves the stack, and how the next one goes on."""

from collections.abc import Callable

import pytest

from tests.engine.stacks import Branch, Deployed, Deployment

DEPLOYMENT, SECRET = "runs-controller-deployment", "runs-controller-token-secret"
WHERE_TO_LOOK = (
    "kubectl logs -n scalr-agents -l app.kubernetes.io/name=agent-job,app.kubernetes.io/instance=runs,app.kubernetes.io/component=agent"
)


@pytest.fixture
def stack(fresh: Callable[[str], Deployment]) -> Deployment:
    made = fresh("local")
    made.set_secrets({"runs.token": "token-of-runs"})
    return made


def test_controllers_that_do_not_come_up(stack: Deployment) -> None:
    stack.cluster.unready = {"Deployment/runs-agent-job"}
    failed = stack.up()
    assert failed.failed
    assert "error: The controllers of 'runs' did not become ready. What they say:" in failed.output
    assert WHERE_TO_LOOK in failed.output
    assert "Is the token of the agent pool still valid?" in failed.output
    assert "Traceback" not in failed.output
    assert failed.called("create").count(DEPLOYMENT) == 1
    assert len(stack.resources()) == 20

    stack.cluster.unready = set()
    second = stack.up()
    assert not second.failed, second.output
    assert second.steps == {DEPLOYMENT: ("update",)}
    assert second.differences == {}
    assert second.unchanged == 19
    assert stack.preview().steps == {}


def test_controllers_that_do_not_come_up_again(local: Deployed, branch: Branch) -> None:
    """An update that fails: the message is the same, and putting the value back is what repairs it."""
    stack = branch(local)
    stack.cluster.unready = {"Deployment/runs-agent-job"}
    stack.set_secrets({"runs.token": "wrong"})
    failed = stack.up()
    assert failed.failed
    assert WHERE_TO_LOOK in failed.output

    stack.cluster.unready = set()
    stack.set_secrets({"runs.token": "token-of-runs"})
    repaired = stack.up()
    assert not repaired.failed, repaired.output
    assert repaired.steps == {SECRET: ("update",), DEPLOYMENT: ("update",)}
    assert stack.cluster.objects == local.stack.cluster.objects


def test_a_secret_that_is_refused(stack: Deployment) -> None:
    stack.cluster.refused = {"Secret/runs-agent-job": "exceeded quota: secrets"}
    failed = stack.up()
    assert failed.failed
    assert "Secret/runs-agent-job: exceeded quota: secrets" in failed.output
    assert "did not become ready" not in failed.output
    assert {SECRET, DEPLOYMENT} & stack.resources().keys() == set()
    assert len(stack.resources()) == 18

    stack.cluster.refused = {}
    second = stack.up()
    assert not second.failed, second.output
    assert second.steps == {SECRET: ("create",), DEPLOYMENT: ("create",)}
    assert second.called("create") == [SECRET, DEPLOYMENT]
    assert stack.preview().steps == {}


@pytest.mark.parametrize("reason", ["is forbidden: violates PodSecurity", "Deployment.apps is invalid: spec.replicas"])
def test_a_deployment_that_is_refused_says_nothing_of_tokens(reason: str, stack: Deployment) -> None:
    stack.cluster.refused = {"Deployment/runs-agent-job": reason}
    failed = stack.up()
    assert failed.failed
    assert reason in failed.output
    assert "did not become ready" not in failed.output
