"""Loading a stack file: its agents, and findings with their location."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import warning
from scalr_agents.stack.source import Sealed

from tests.helpers.plain import BASE, load


def test_a_plain_agent() -> None:
    loaded = load({})
    assert loaded.findings == []
    assert [(agent.name, agent.release.name, agent.release.namespace) for agent in loaded.agents] == [("runs", "runs", "scalr")]
    assert [manifest["kind"] for manifest in loaded.objects()][:2] == ["CustomResourceDefinition", "ServiceAccount"]


@pytest.mark.parametrize(
    ("said", "path", "message"),
    [
        ({"proxy": {"except": ["acme.internal"]}}, "proxy", "has no effect: neither http nor https is set"),
        ({"otel": {"endpoint": ""}}, "otel.endpoint", "empty, so otel has no effect; set it, or remove otel"),
    ],
    ids=["proxy", "otel"],
)
def test_ineffective_settings_are_reported_once(said: dict[str, Any], path: str, message: str) -> None:
    agents = {"agents": {kind: {"kind": kind, "namespace": kind} for kind in ("agent-job", "agent-local", "agent-k8s")}}
    secrets = {"secrets": {kind: {"token": "x"} for kind in agents["agents"]}}
    plain, changed = load({**agents, **secrets}), load({**agents, **secrets, "common": said})
    said_now = [each for each in changed.findings if each not in plain.findings]
    assert said_now == [warning(("scalr-agents:common", *path.split(".")), message)]
    assert [agent.values for agent in changed.agents] == [agent.values for agent in plain.agents]


def test_a_missing_optional_token_is_a_placeholder() -> None:
    loaded = load({"secrets": None}, demand_tokens=False)
    assert loaded.findings == []
    assert str(loaded.agents[0].values.agent.token) == "<secret scalr-agents:secrets.runs.token>"


@pytest.mark.parametrize("secrets", [Sealed("s"), {"runs": Sealed("s")}, {"runs": {"token": Sealed("s")}}])
def test_sealed_secrets_count_as_given(secrets: Any) -> None:
    loaded = stack.load({**BASE, "secrets": secrets}, directory=Path())
    assert loaded.findings == []
    assert str(loaded.agents[0].values.agent.token) == "<secret s>"


def test_namespaces() -> None:
    loaded = load({"namespaces": {"scalr": {"labels": {"a": "b"}}, "open": {"podSecurity": "privileged"}, "old": {"create": False}}})
    made = {
        manifest["metadata"]["name"]: manifest["metadata"]["labels"] for manifest in loaded.objects() if manifest["kind"] == "Namespace"
    }
    level = "pod-security.kubernetes.io/"
    assert made == {
        "scalr": {f"{level}enforce": "restricted", f"{level}warn": "restricted", "a": "b"},
        "open": {f"{level}enforce": "privileged", f"{level}warn": "privileged"},
    }


def test_null_sections_and_entries_are_empty() -> None:
    loaded = load({"kubernetes": None, "namespaces": {"scalr": None}})
    assert loaded.findings == []
    assert list(loaded.created_namespaces()) == ["scalr"]
