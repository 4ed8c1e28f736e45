"""Agents that can act for each other because they share a namespace or a service account."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.stack.source import Sealed

from tests.helpers.kinds import JOB, K8S, LOCAL, TOKEN

PODS = "agents may start pods there under any service account and with any Secret, so each can act as the other; "
ADVICE = "give each its own namespace"


def found(one: dict[str, Any], two: dict[str, Any], tokens: tuple[Any, Any] = (TOKEN, TOKEN)) -> list[tuple[str, str]]:
    """Findings on the second agent."""
    agents = {name: {"namespace": "scalr", **agent} for name, agent in {"one": one, "two": two}.items()}
    secrets = {name: {"token": token} for name, token in zip(agents, tokens, strict=True) if token}
    config = {"common": {"url": "https://acme.scalr.io"}, "agents": agents, "secrets": secrets}
    loaded = stack.load(config, directory=Path(), demand_tokens=False)
    assert TOKEN not in str(loaded.findings)
    told = [finding for finding in loaded.findings if finding.message.startswith("shares ")]
    assert {finding.path for finding in told} <= {"scalr-agents:agents.two.namespace"}
    return [(finding.severity, finding.message) for finding in told]


def identity(role: str) -> dict[str, Any]:
    return {"identity": {"eks.amazonaws.com/role-arn": f"arn:aws:iam::111122223333:role/{role}"}}


@pytest.mark.parametrize("kind", [JOB, K8S])
@pytest.mark.parametrize("other", [JOB, LOCAL, K8S])
def test_different_identities_in_one_namespace_are_a_warning(kind: str, other: str) -> None:
    message = f"shares namespace 'scalr' with agent 'one', which has another identity: {PODS}{ADVICE}"
    assert found({"kind": kind, **identity("a")}, {"kind": other, **identity("b")}) == [("warning", message)]
    assert found({"kind": other, **identity("a")}, {"kind": kind}) == [("warning", message)]


@pytest.mark.parametrize("tokens", [(TOKEN, "another"), (Sealed("a"), Sealed("b")), (None, None), (TOKEN, Sealed("b"))])
def test_different_tokens_in_one_namespace_are_a_warning(tokens: tuple[Any, Any]) -> None:
    """Encrypted tokens cannot be compared, and may be of one pool."""
    unless = "" if tokens == (TOKEN, "another") else ", unless both tokens belong to one agent pool"
    message = f"shares namespace 'scalr' with agent 'one', which has another token: {PODS}{ADVICE}{unless}"
    assert found({"kind": JOB}, {"kind": JOB}, tokens) == [("warning", message)]


def test_different_existing_secrets_in_one_namespace_are_a_warning() -> None:
    def with_secret(kind: str, name: str) -> dict[str, Any]:
        return {"kind": kind, "values": {"agent": {"tokenExistingSecret": name if kind == K8S else {"name": name}}}}

    for kind in (JOB, K8S):
        assert len(found(with_secret(JOB, "pool"), with_secret(kind, "other"), (None, None))) == 1
        assert found(with_secret(JOB, "pool"), with_secret(kind, "pool"), (None, None)) == []


def test_different_roles_in_one_namespace_are_a_warning() -> None:
    vcs = {"kind": LOCAL, "role": "vcs"}
    message = f"shares namespace 'scalr' with agent 'one', which has another role: {PODS}{ADVICE}"
    assert found({"kind": JOB}, vcs) == [("warning", message)]
    alone = f"shares namespace 'scalr' with agent 'one', which has another role: {ADVICE}"
    assert found({"kind": LOCAL}, vcs) == [("warning", alone)]


def test_all_differences_are_named() -> None:
    [(_, message)] = found({"kind": JOB, **identity("a")}, {"kind": LOCAL, "role": "vcs"}, (TOKEN, "another"))
    assert "which has another identity and another token and another role: " in message


def test_a_shared_service_account_is_a_warning() -> None:
    account = {"values": {"serviceAccount": {"create": False, "name": "runs"}}}
    for kind, reason in ((JOB, PODS), (LOCAL, "each has the permissions of the other; ")):
        message = f"shares service account 'runs' with agent 'one', which has another token: {reason}{ADVICE}"
        assert found({"kind": kind, **account}, {"kind": LOCAL, **account}, (TOKEN, "another")) == [("warning", message)]


@pytest.mark.parametrize(
    ("one", "two", "tokens"),
    [
        ({"kind": JOB}, {"kind": JOB}, (TOKEN, TOKEN)),
        ({"kind": JOB, **identity("a")}, {"kind": JOB, **identity("a")}, (TOKEN, TOKEN)),
        ({"kind": JOB, **identity("a")}, {"kind": JOB, "namespace": "other", **identity("b")}, (TOKEN, "another")),
        # they start no pods, and each runs under an account of its own or under one that has nothing
        ({"kind": LOCAL, **identity("a")}, {"kind": LOCAL, **identity("b")}, (TOKEN, "another")),
        ({"kind": LOCAL}, {"kind": LOCAL}, (TOKEN, "another")),
    ],
)
def test_agents_that_may_share_a_namespace(one: dict[str, Any], two: dict[str, Any], tokens: tuple[Any, Any]) -> None:
    assert found(one, two, tokens) == []


def test_each_agent_has_one_finding() -> None:
    agents = {name: {"kind": JOB, "namespace": "scalr"} for name in ("one", "two", "three")}
    config = {"common": {"url": "https://acme.scalr.io"}, "agents": agents, "secrets": {name: {"token": f"t-{name}"} for name in agents}}
    told = [finding.path for finding in stack.load(config, directory=Path()).findings if finding.message.startswith("shares ")]
    assert told == [f"scalr-agents:agents.{name}.namespace" for name in ("two", "three")]
