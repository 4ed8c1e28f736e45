"""Loading a stack file: its agents, and findings with their location."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import warning
from scalr_agents.stack.source import Sealed

from tests.helpers.plain import BASE, COMMAND, PLAIN, findings, load

ROOT = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"


def test_a_plain_agent() -> None:
    loaded = load({})
    assert loaded.findings == []
    assert [(agent.name, agent.release.name, agent.release.namespace) for agent in loaded.agents] == [("runs", "runs", "scalr")]
    assert [manifest["kind"] for manifest in loaded.objects()][:2] == ["CustomResourceDefinition", "ServiceAccount"]


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"secrets": {"runs": {"token": ""}}}, "scalr-agents:secrets.runs.token", f"missing; run: {COMMAND}"),
    ({"secrets": {"runs": {"token": " \n"}}}, "scalr-agents:secrets.runs.token", f"missing; run: {COMMAND}"),
    ({"secrets": {"run": {"token": "x"}}}, "scalr-agents:secrets.run", "no agent or machine has this name; did you mean 'runs'?"),
    ({"secrets.runs.token": "x"}, "scalr-agents:secrets.runs.token", "pulumi config rm 'scalr-agents:secrets.runs.token'"),
    ({"agnets": {}}, "scalr-agents:agnets", "unknown key 'agnets'; did you mean 'agents'?"),
    ({"agents": {"runs": {"kind": "agent-jobs"}}}, "scalr-agents:agents.runs.kind", "allowed: 'agent-job'"),
    ({"agents": {"nodes": {"kindd": "x"}}}, "scalr-agents:agents.nodes.kindd", "did you mean 'kind'?"),
    ({"agents": {"runs": {"role": "vcs"}}}, "scalr-agents:agents.runs.role", "serves runs only"),
    ({"agents": {"runs": {"agentVersion": "0.61.2"}}}, "scalr-agents:agents.runs.agentVersion", "supported: 0.57 to 0.60; 0.61.3 or newer"),
    ({"agents": {"runs": {"release": "Runs"}}}, "scalr-agents:agents.runs.release", "not a valid release name"),
    ({"agents": {"runs": {"namespace": "no_name"}}}, "scalr-agents:agents.runs.namespace", "not a valid namespace"),
    ({"agents": {"runs": {"valuesFiles": ["none.yaml"]}}}, "scalr-agents:agents.runs.valuesFiles[0]", "No such file"),
    ({"common": {"ca": {"file": "none.pem"}}}, "scalr-agents:common.ca.file", "No such file"),
    ({"common": {"ca": {}}}, "scalr-agents:common.ca", "set exactly one of file and secret"),
    ({"common": {"imagePullSecrets": ["pull", ""]}}, "scalr-agents:common.imagePullSecrets[1]", "not a valid Kubernetes name"),
    ({"common": {"otel": {}}}, "scalr-agents:common.otel.endpoint", "missing"),
    ({"common": {"proxy": {"http": "http://p:1", "no": "x"}}}, "scalr-agents:common.proxy.no", "unknown key 'no'"),
    ({"namespaces": {"Scalr": {}}}, "scalr-agents:namespaces.Scalr", "not a valid namespace name"),
    (
        {"namespaces": {"scalr": {"podSecurity": "strict"}}},
        "scalr-agents:namespaces.scalr.podSecurity",
        "'restricted', 'baseline' or 'privileged'",
    ),
    ({"namespaces": {"x": {"create": False, "labels": {"a": "b"}}}}, "scalr-agents:namespaces.x.labels", "create is false"),
    (
        {"namespaces": {"x": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}},
        "scalr-agents:namespaces.x.labels",
        "use podSecurity",
    ),
    ({"kubernetes": {"qps": 0}}, "scalr-agents:kubernetes.qps", "greater than 0"),
    ({"kubernetes": {"crds": "yes"}}, "scalr-agents:kubernetes.crds", "'install' or 'expect'"),
    ({"kubernetes": "kind"}, "scalr-agents:kubernetes", "expected a map"),
]


@pytest.mark.parametrize(("changed", "path", "words"), WRONG, ids=[f"{index}-{path}" for index, (_, path, _) in enumerate(WRONG)])
def test_error(changed: dict[str, Any], path: str, words: str) -> None:
    found = [(severity, message) for severity, where, message in findings(changed) if where == path]
    assert [severity for severity, _ in found][:1] == ["error"]
    assert any(words in message for _, message in found)


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


@pytest.mark.parametrize("content", ["", " \n"], ids=["nothing", "white space"])
def test_an_empty_certificate_file_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "corp.pem").write_text(content)
    message = "corp.pem is empty; save the certificates in it, or remove ca"
    assert findings({"common": {"ca": {"file": "corp.pem"}}}, tmp_path) == [("error", "scalr-agents:common.ca.file", message)]


@pytest.mark.parametrize("version", [1.4, "1.4"])
@pytest.mark.parametrize("kind", ["agent-job", "agent-local", "agent-k8s"])
def test_an_incomplete_version_is_the_only_finding(kind: str, version: Any, tmp_path: Path) -> None:
    """What the default version lacks, here certificates and a value of its own, is not spoken of."""
    (tmp_path / "corp.pem").write_text(ROOT)
    agent = {"kind": kind, "namespace": "scalr", "values": {"task": {"startupTimeoutSeconds": 60}}}
    message = "agent version '1.4' is incomplete; write 1.4.0"
    own = {"agents": {"runs": {**agent, "agentVersion": version}}, "common": {"ca": {"file": "corp.pem"}}}
    assert findings(own, tmp_path) == [("error", "scalr-agents:agents.runs.agentVersion", message)]
    common = {"agents": {"runs": agent, "more": agent}, "common": {"agentVersion": version, "ca": {"file": "corp.pem"}}}
    assert findings({**common, "secrets": {"more": {"token": "x"}}}, tmp_path) == [("error", "scalr-agents:common.agentVersion", message)]


@pytest.mark.parametrize("agents", [None, "none", {"agent": {}}], ids=["absent", "no map", "misspelt"])
def test_secrets_are_kept_if_agents_are_unknown(agents: Any) -> None:
    """`agents` under another name has agents all the same, and their tokens are not lost."""
    given = {"agent": BASE["agents"], "common": BASE["common"], "secrets": BASE["secrets"]}
    if agents == "none":
        given = {**BASE, "agents": "none"}
    if agents == {"agent": {}}:
        given |= {"agnets": {}}
    found = [str(finding) for finding in stack.load(given, directory=Path()).findings]
    assert found
    assert [finding for finding in found if "secrets" in finding] == []


def test_secrets_without_agents_are_errors() -> None:
    found = stack.load({"secrets": BASE["secrets"]}, directory=Path()).findings
    assert [(finding.severity, finding.path) for finding in found] == [("error", "scalr-agents:secrets.runs")]


def test_agent_names_are_validated() -> None:
    agents = {"Web.Team": {**PLAIN, "release": "web"}}
    found = findings({"agents": agents, "secrets": {"Web.Team": {"token": "x"}}})
    message = "not a valid agent name; use at most 63 lower case letters, digits and '-'"
    assert found == [("error", 'scalr-agents:agents["Web.Team"]', message)]


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


def test_a_secret_overriding_the_contract_is_a_warning() -> None:
    found = findings({"secrets": {"runs": {"env": {"SCALR_AGENT_DRIVER": "x"}}}})
    assert [(severity, path) for severity, path, _ in found] == [("warning", "scalr-agents:secrets.runs.env.SCALR_AGENT_DRIVER")]


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ({"values": {"agent": 5}}, "agent"),
        ({"values": {"agent": None}}, "agent"),
        ({"values": {"task": "x"}, "nodes": {"selector": {"a": "b"}}}, "task"),
    ],
)
def test_an_invalid_section_is_found_behind_an_override(agent: dict[str, Any], path: str) -> None:
    found = findings({"agents": {"runs": agent}})
    assert [place for severity, place, _ in found if severity == "error"] == [f"scalr-agents:agents.runs.values.{path}"]


def test_min_ready_seconds_above_the_timeout_is_an_error() -> None:
    agent = {"values": {"agent": {"minReadySeconds": 60}}}
    found = findings({"kubernetes": {"rolloutTimeoutSeconds": 60}, "agents": {"runs": agent}})
    assert [(severity, place) for severity, place, _ in found] == [("error", "scalr-agents:kubernetes.rolloutTimeoutSeconds")]


def test_a_stack_without_agents() -> None:
    assert [str(finding) for finding in stack.load({}, directory=Path()).findings] == [
        "warning: scalr-agents:agents: empty; define at least one agent"
    ]


def test_agent_names_must_be_strings() -> None:
    found = stack.load({"agents": {1: {"kind": "agent-job"}}, "secrets": {"runs": {"token": "x"}}}, directory=Path()).findings
    assert {finding.path for finding in found} >= {"scalr-agents:agents[1]", "scalr-agents:secrets.runs"}
