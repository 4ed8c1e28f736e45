"""Loading a stack file: its agents, and findings with their location."""

import json
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import Position, warning
from scalr_agents.stack.source import Sealed

from tests.helpers.plain import BASE, COMMAND, PLAIN, findings, load, values_of

ROOT = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"


def test_a_plain_agent() -> None:
    loaded = load({})
    assert loaded.findings == []
    assert [(agent.name, agent.release.name, agent.release.namespace) for agent in loaded.agents] == [("runs", "runs", "scalr")]
    assert [manifest["kind"] for manifest in loaded.objects()][:2] == ["CustomResourceDefinition", "ServiceAccount"]


@pytest.mark.parametrize(
    ("common", "values"),
    [
        ({"url": "https://other.scalr.io"}, {"agent": {"url": "https://other.scalr.io"}}),
        ({"imageRegistry": "mirror.acme"}, {"global": {"imageRegistry": "mirror.acme"}}),
        ({"imagePullSecrets": ["a", "b"]}, {"global": {"imagePullSecrets": [{"name": "a"}, {"name": "b"}]}}),
        (
            {"proxy": {"http": "http://p:1", "https": "http://p:2", "except": [".acme.internal", "localhost"]}},
            {
                "global": {
                    "proxy": {
                        "enabled": True,
                        "httpProxy": "http://p:1",
                        "httpsProxy": "http://p:2",
                        "noProxy": "$(KUBERNETES_SERVICE_HOST),localhost,127.0.0.1,.svc,.cluster.local,.acme.internal",
                    }
                }
            },
        ),
        ({"ca": {"secret": "corp", "key": "root.pem"}}, {"global": {"tls": {"caBundleSecret": {"name": "corp", "key": "root.pem"}}}}),
        ({"ca": {"file": "corp.pem"}}, {"global": {"tls": {"caBundle": ROOT}}}),
        (
            {"otel": {"endpoint": "http://o:4317", "metrics": False, "traces": True}},
            {"otel": {"enabled": True, "endpoint": "http://o:4317", "metricsEnabled": False, "tracesEnabled": True}},
        ),
        ({"labels": {"team": "web"}}, {"serviceAccount": {"labels": {"team": "web"}}, "global": {"podLabels": {"team": "web"}}}),
        ({"podAnnotations": {"a": "b"}}, {"global": {"podAnnotations": {"a": "b"}}}),
    ],
    ids=lambda given: next(iter(given)),
)
def test_common_settings_are_translated(tmp_path: Path, common: dict[str, Any], values: dict[str, Any]) -> None:
    (tmp_path / "corp.pem").write_text(ROOT)
    assert values_of({"common": common}, tmp_path) == values


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (
            {"nodes": {"selector": {"pool": "a"}, "tolerations": [{"key": "pool"}]}},
            {part: {"nodeSelector": {"pool": "a"}, "tolerations": [{"key": "pool"}]} for part in ("agent", "task")},
        ),
        ({"identity": {"a": "b"}}, {"serviceAccount": {"annotations": {"a": "b"}}}),
        ({"values": {"agent": {"debug": 1}}}, {"agent": {"debug": "1"}}),
        (
            {"values": {"task": {"runner": {"resources": {"limits": {"cpu": None}}}}}},
            {"task": {"runner": {"resources": {"limits": {}}}}},
        ),
    ],
    ids=["nodes", "identity", "values", "null"],
)
def test_agent_settings_are_translated(words: dict[str, Any], values: dict[str, Any]) -> None:
    assert values_of({"agents": {"runs": words}}) == values


def test_later_layers_win(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("agent: {logFormat: plain, debug: '1', nodeSelector: {a: file}}\nglobal: {imageRegistry: one}\n")
    (tmp_path / "two.yaml").write_text("agent: {logFormat: dev}\nglobal: {imageRegistry: null}\n")
    agent = {
        "valuesFiles": ["one.yaml", "two.yaml"],
        "values": {"agent": {"debug": "0", "nodeSelector": {"a": "values", "b": "values"}}},
        "nodes": {"selector": {"a": "nodes"}},
    }
    assert values_of({"common": {"imageRegistry": "common"}, "agents": {"runs": agent}}, tmp_path) == {
        "agent": {"logFormat": "dev", "nodeSelector": {"a": "nodes", "b": "values"}},
        "task": {"nodeSelector": {"a": "nodes"}},
    }


def test_release_names_and_version() -> None:
    agent = load({"common": {"agentVersion": "0.58.0"}, "agents": {"runs": {"release": "scalr-agent", "names": "chart"}}}).agents[0]
    assert agent.release.version == "0.58.0"
    assert agent.release.names.token_secret == "scalr-agent-agent-job"
    assert agent.release.names.deployment == "scalr-agent"
    own = load({"common": {"agentVersion": "0.58.0"}, "agents": {"runs": {"agentVersion": "0.59.0"}}}).agents[0]
    assert own.release.version == "0.59.0"


def test_secret_environment() -> None:
    loaded = load({"secrets": {"runs": {"env": {"TF_TOKEN_acme": "x"}}}})
    secret = next(manifest for manifest in loaded.objects() if manifest["metadata"]["name"] == "runs-agent-job-env")
    assert secret["stringData"] == {"TF_TOKEN_acme": "x"}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"secrets": {"runs": {"token": ""}}}, "scalr-agents:secrets.runs.token", f"missing; run: {COMMAND}"),
    ({"secrets": {"runs": {"token": " \n"}}}, "scalr-agents:secrets.runs.token", f"missing; run: {COMMAND}"),
    ({"secrets": {"runs": {"token": "null"}}}, "scalr-agents:secrets.runs.token", 'is the word "null"'),
    ({"secrets": {"run": {"token": "x"}}}, "scalr-agents:secrets.run", "no agent or machine has this name; did you mean 'runs'?"),
    ({"agents": {"runs": {"values": {"agent": {"token": "x"}}}}}, "scalr-agents:agents.runs.values.agent.token", f"run: {COMMAND}"),
    (
        {"agents": {"runs": {"values": {"agent": {"tokenExistingSecret": {"name": "pool"}}}}}},
        "scalr-agents:secrets.runs.token",
        "agent.tokenExistingSecret.name; keep one",
    ),
    ({"secrets.runs.token": "x"}, "scalr-agents:secrets.runs.token", "pulumi config rm 'scalr-agents:secrets.runs.token'"),
    ({"agnets": {}}, "scalr-agents:agnets", "unknown key 'agnets'; did you mean 'agents'?"),
    ({"agents": {"runs": {"kind": "agent-jobs"}}}, "scalr-agents:agents.runs.kind", "allowed: 'agent-job'"),
    ({"agents": {"nodes": {"kindd": "x"}}}, "scalr-agents:agents.nodes.kindd", "did you mean 'kind'?"),
    ({"agents": {"runs": {"role": "vcs"}}}, "scalr-agents:agents.runs.role", "serves runs only"),
    ({"agents": {"runs": {"agentVersion": "0.61.2"}}}, "scalr-agents:agents.runs.agentVersion", "supported: 0.57 to 0.60; 0.61.3 or newer"),
    ({"common": {"agentVersion": "0.61.0"}}, "scalr-agents:common.agentVersion", "supported: 0.57 to 0.60; 0.61.3 or newer"),
    ({"common": {"agentVersion": 0.57}}, "scalr-agents:common.agentVersion", "agent version '0.57' is incomplete; write 0.57.0"),
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


def test_findings_in_a_values_file_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text("agent: {replicaCount: -1, token: abc}\n")
    (tmp_path / "broken.yaml").write_text("agent: [\n")
    agent = {"valuesFiles": ["team.yaml", "broken.yaml"]}
    assert [(finding.position, finding.path) for finding in load({"agents": {"runs": agent}}, tmp_path).findings] == [
        (Position("broken.yaml", 2, 1), ""),
        (Position("team.yaml"), "agent.token"),
        (Position("team.yaml"), "agent.replicaCount"),
    ]


def test_a_missing_optional_token_is_a_placeholder() -> None:
    loaded = load({"secrets": None}, demand_tokens=False)
    assert loaded.findings == []
    assert str(loaded.agents[0].values.agent.token) == "<secret scalr-agents:secrets.runs.token>"


@pytest.mark.parametrize("secrets", [Sealed("s"), {"runs": Sealed("s")}, {"runs": {"token": Sealed("s")}}])
def test_sealed_secrets_count_as_given(secrets: Any) -> None:
    loaded = stack.load({**BASE, "secrets": secrets}, directory=Path())
    assert loaded.findings == []
    assert str(loaded.agents[0].values.agent.token) == "<secret s>"


def test_settings_may_be_json_text() -> None:
    assert stack.load({**BASE, "agents": json.dumps(BASE["agents"])}, directory=Path()).findings == []


def test_two_agents_owning_one_object_are_an_error() -> None:
    agents = {"more": {**PLAIN, "release": "runs"}}
    message = "owns the pods of release 'runs' in namespace 'scalr', and so does agent 'runs'; set another `release` for one of them"
    assert findings({"agents": agents, "secrets": {"more": {"token": "s3cr3t-token"}}}) == [("error", "scalr-agents:agents.more", message)]


def test_two_agents_with_chart_names_in_one_namespace_are_an_error() -> None:
    agents = {name: {**PLAIN, "names": "chart"} for name in ("runs", "more")}
    found = findings({"agents": agents, "secrets": {"more": {"token": "s3cr3t-token"}}})
    assert [path for _, path, _ in found] == ["scalr-agents:agents.more"]
    assert found[0][2].startswith("owns AgentTask 'scalr-agent-task' in namespace 'scalr', and so does agent 'runs'")


@pytest.mark.parametrize(
    ("namespace", "refused"),
    [({}, True), ({"podSecurity": "baseline"}, True), ({"podSecurity": "privileged"}, False), ({"create": False}, False)],
)
def test_a_namespace_that_rejects_the_pods_is_an_error(namespace: dict[str, Any], *, refused: bool) -> None:
    agent = {"values": {"task": {"extraVolumes": [{"name": "host", "hostPath": {"path": "/x"}}]}}}
    found = findings({"namespaces": {"scalr": namespace}, "agents": {"runs": agent}})
    assert [path for _, path, _ in found] == (["scalr-agents:agents.runs"] if refused else [])
    assert all("volume 'host' is a hostPath" in message for _, _, message in found)


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
