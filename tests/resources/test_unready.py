"""Advice for pods that do not become ready: cause, solution, and commands that show more."""

from typing import Any

import pytest
from scalr_agents.resources.kubernetes.rollouts import explanation

from tests.helpers.provider_errors import ADVICE, NO_POD, OUTPUT, REASONS, joined, not_created, not_initialized, timed_out
from tests.helpers.validated import validate

URN = "urn:pulumi:local::scalr-agents::kubernetes:apps/v1:Deployment::runs-controller-deployment"
IDENTITY = "scalr-agents/runs-agent-job"


def explained(*errors: str, component: str | None = "agent", **release: Any) -> str | None:
    described = validate("agent-job", {"agent": {"token": "x"}}, release="runs", namespace="scalr-agents", **release).release
    return explanation(errors, described, component)


def late(reasons: list[str], operation: str = "create", kind: str = "Deployment") -> str:
    return joined([not_initialized(operation, URN, IDENTITY, timed_out(kind, "runs-agent-job")), *reasons])


def test_every_reason_is_expected() -> None:
    assert ADVICE.keys() == REASONS.keys()


@pytest.mark.parametrize("operation", ["create", "update"])
@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_has_reason_and_commands(name: str, operation: str) -> None:
    sentence, commands = ADVICE[name]
    message = explained(late(REASONS[name], operation))
    assert message is not None
    first, *rest = message.splitlines()
    assert first.startswith(f"The controllers of 'runs' did not become ready. {sentence}")
    assert rest == [f"  {command}" for command in commands]


def test_the_token_is_mentioned_only_for_exiting_containers() -> None:
    assert {name for name, reasons in REASONS.items() if "the token of the agent pool" in str(explained(late(reasons)))} == {"exit"}


def test_no_output_of_a_container_is_repeated() -> None:
    assert OUTPUT in late(REASONS["exit"])
    assert "hunter2" not in str(explained(late(REASONS["exit"])))


def test_silent_failures_are_listed() -> None:
    message = str(explained(late(NO_POD)))
    for cause in ("the service account is missing", "PodSecurity", "a quota is used up", "no node may fit them", "claim"):
        assert cause in message


def test_errors_of_a_stateful_set_are_explained() -> None:
    """They begin like those of a Deployment, with other reasons before those of the pods."""
    reasons = ["0 out of 2 replicas succeeded readiness checks", REASONS["image"][-1]]
    assert "An image cannot be pulled." in str(explained(late(reasons, kind="StatefulSet")))
    assert "a claim of theirs has no volume" in str(explained(late(reasons[:1], kind="StatefulSet")))


def test_daemon_set_errors_are_not_explained() -> None:
    message = str(explained(late([], kind="DaemonSet"), component=None))
    assert message.startswith("The pods of 'runs' did not become ready. The error does not give a reason.")
    assert ",app.kubernetes.io/component" not in message


@pytest.mark.parametrize(
    "error",
    [
        not_created(URN, 'deployments.apps "runs-agent-job" is forbidden: exceeded quota: few'),
        not_initialized("update", URN, IDENTITY, 'Deployment.apps "runs-agent-job" is invalid: spec.selector: field is immutable'),
        not_initialized("update", URN, IDENTITY, "Apply failed with 1 conflict"),
    ],
)
def test_refused_workloads_have_no_pod_advice(error: str) -> None:
    assert explained(joined([error])) is None


def test_interrupted_deployments_are_explained() -> None:
    error = joined([not_initialized("create", URN, IDENTITY, 'Resource operation was cancelled for "runs-agent-job"'), *REASONS["image"]])
    assert "An image cannot be pulled." in str(explained(error))
