"""The program: a stack's configuration, as the engine hands it over, becomes resources and outputs."""

from pathlib import Path
from typing import Any

import pytest
import scalr_agents

from tests.helpers.agent_job import DEADLINE
from tests.helpers.programs import deployed
from tests.helpers.recording import Recording

TOKEN = "s3cr3t-token"
CONFIG: dict[str, Any] = {
    "kubernetes": {"context": "kind-kind", "clusterIdentifier": "kind"},
    "common": {"url": "https://acme.scalr.io", "agentVersion": "0.57.0"},
    "namespaces": {"scalr": {}},
    "agents": {"runs": {"kind": "agent-job", "namespace": "scalr", "values": DEADLINE}},
    "secrets": {"runs": {"token": TOKEN}},
}


def up(project: Path, *, secret_keys: tuple[str, ...] = ("scalr-agents:secrets",), **changed: Any) -> Recording:
    """Deploy the configuration with some words changed; a word that is `None` is not there."""
    words = {word: content for word, content in {**CONFIG, **changed}.items() if content is not None}
    return deployed(words, project, secret_keys=secret_keys)


def refused(recording: Recording) -> list[str]:
    assert isinstance(recording.error, scalr_agents.ArgsError), recording.log
    assert recording.names == []
    return str(recording.error).splitlines()[1:]


def test_a_stack_registers_providers_definitions_namespaces_and_agents(project: Path) -> None:
    recording = up(project)
    assert recording.error is None
    shared = {
        (r.type, r.name, r.parent, r.provider, r.retain) for r in recording.resources if r.parent in ("scalr-agents-test", "agent-crds")
    }
    assert shared == {
        ("pulumi:providers:kubernetes", "cluster", "scalr-agents-test", "", False),
        ("pulumi:providers:kubernetes", "cluster-shared", "scalr-agents-test", "", False),
        ("kubernetes:core/v1:Namespace", "namespace-scalr", "scalr-agents-test", "cluster-shared", True),
        ("scalr-agents:index:AgentCrds", "agent-crds", "scalr-agents-test", "", False),
        ("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch", "agent-crds-atasks", "agent-crds", "cluster", True),
        ("scalr-agents:index:AgentJob", "runs", "scalr-agents-test", "", False),
    }
    assert {r.provider for r in recording.resources if r.name.startswith("runs-") and r.custom} == {"cluster"}


def test_provider_settings(project: Path) -> None:
    recording = up(project, kubernetes={"context": "c", "kubeconfig": "~/k", "qps": 5, "burst": 6, "clusterIdentifier": "id"})
    common = {
        "context": "c",
        "kubeconfig": str(Path("~/k").expanduser()),
        "clusterIdentifier": "id",
        "enableSecretMutable": "true",
        "kubeClientSettings": '{"qps": 5, "burst": 6}',
    }
    upsert = {"upsertExistingObjects": "true", "enablePatchForce": "true"}
    assert recording["cluster"].inputs == common
    assert recording["cluster-shared"].inputs == common | upsert
    assert up(project, kubernetes={"upsertExisting": True})["cluster"].inputs == {
        "enableSecretMutable": "true",
        "kubeClientSettings": '{"qps": 400, "burst": 800}',
        **upsert,
    }


def test_crds_expect_registers_no_definitions(project: Path) -> None:
    recording = up(project, kubernetes={"crds": "expect"})
    assert recording.error is None
    assert [name for name in recording.names if "crds" in name] == []


def test_a_namespace_is_created_once(project: Path) -> None:
    agents = {name: {"kind": "agent-job", "namespace": "scalr"} for name in ("a", "b")}
    recording = up(project, agents=agents, secrets={name: {"token": TOKEN} for name in agents})
    assert recording.error is None
    assert recording["namespace-scalr"].inputs["metadata"] == {
        "name": "scalr",
        "labels": {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"},
    }
    assert len(recording.of_type("scalr-agents:index:AgentJob")) == 2


@pytest.mark.parametrize("create", [True, False])
def test_a_quota_is_there_before_the_agents_and_goes_with_the_stack(project: Path, *, create: bool) -> None:
    recording = up(project, namespaces={"scalr": {"create": create, "quota": {"cpu": "4"}}, "other": {}})
    assert recording.error is None
    quotas = {"namespace-scalr-limits": "LimitRange", "namespace-scalr-quota": "ResourceQuota"}
    found = {(r.type, r.name, r.parent, r.provider, r.retain) for r in recording.resources if r.name in quotas}
    assert found == {(f"kubernetes:core/v1:{kind}", name, "scalr-agents-test", "cluster", False) for name, kind in quotas.items()}
    namespaces = {"namespace-other", *(["namespace-scalr"] if create else [])}
    assert {recording[name].dependencies for name in quotas} == {frozenset(namespaces)}
    own = [r.name for r in recording.resources if r.custom and r.name.startswith("runs-")]
    assert len(own) == 10
    assert all(quotas.keys() <= recording.depends(name) for name in own)
    assert recording["namespace-scalr-quota"].inputs["spec"] == {"hard": {"requests.cpu": "4"}}
    assert not quotas.keys() & set(up(project).names)


def test_a_missing_token_is_an_error(project: Path) -> None:
    command = "pulumi config set --secret --path 'scalr-agents:secrets.runs.token'"
    assert refused(up(project, secrets=None)) == [f"  error: scalr-agents:secrets.runs.token: missing; run: {command}"]


def test_a_secret_key_outside_of_secrets_is_an_error(project: Path) -> None:
    lines = refused(up(project, secret_keys=("scalr-agents:secrets", "scalr-agents:agents")))
    assert [line.partition(" belong ")[0] for line in lines] == ["  error: scalr-agents:agents: secrets"]


def test_an_encrypted_value_outside_of_secrets_is_found_in_the_stack_file(project: Path) -> None:
    content = "config:\n  scalr-agents:agents:\n    runs:\n      values: {agent: {token: {secure: v1:xyz}}}\n"
    (project / "stacks" / "Pulumi.test.yaml").write_text(content)
    agents = {"runs": {"kind": "agent-job", "namespace": "scalr", "values": {"agent": {"token": TOKEN}}}}
    lines = refused(up(project, agents=agents, secret_keys=("scalr-agents:secrets", "scalr-agents:agents")))
    place = f"  {project}/stacks/Pulumi.test.yaml:4:24: error: scalr-agents:agents.runs.values.agent.token: "
    assert lines[0].startswith(f"{place}secrets belong under scalr-agents:secrets")
    assert lines[1].startswith(f"{place}a token in plain text")
    assert TOKEN not in "".join(lines)


def test_findings_have_stack_file_paths(project: Path) -> None:
    (project / "stacks" / "values.yaml").write_text("agent: {replicaCount: two}\n")
    agent = {
        "kind": "agent-job",
        "namespace": "scalr",
        "valuesFiles": ["values.yaml"],
        "values": {"task": {"jobs": {}, **DEADLINE["task"]}},
        "nodes": {"selector": 1},
    }
    lines = refused(up(project, agents={"runs": agent}, common={"url": "acme", "urls": 1, "agentVersion": "0.57.0"}, agent={}))
    assert lines == [
        "  error: scalr-agents:agent: unknown key 'agent'; did you mean 'agents'?",
        "  error: scalr-agents:common.urls: unknown key 'urls'; did you mean 'url'?",
        "  error: scalr-agents:agents.runs.nodes.selector: expected a map, given a number",
        "  values.yaml: error: agent.replicaCount: expected a whole number, given 'two'",
        "  error: scalr-agents:agents.runs.values.task.jobs: unknown key 'jobs'; did you mean 'job'?",
        "  error: scalr-agents:common.url: not a URL with scheme and host, for instance https://acme.scalr.io",
    ]


def test_warnings_are_logged_once_and_do_not_stop(project: Path) -> None:
    recording = up(project, common={"url": "http://acme.scalr.io", "agentVersion": "0.57.0"})
    assert recording.error is None
    assert recording.log == [("warning", "scalr-agents:common.url: http:// sends the agent's token unencrypted; use https://")]


def test_rules_are_registered_for_each_agent(project: Path) -> None:
    recording = up(project, common={**CONFIG["common"], "observability": {"prometheusRules": True, "labels": {"release": "prometheus"}}})
    assert recording.error is None
    rule = recording["runs-alerts"]
    assert (rule.type, rule.parent, rule.provider) == ("kubernetes:monitoring.coreos.com/v1:PrometheusRule", "scalr-agents-test", "cluster")
    metadata = rule.inputs["metadata"]
    assert (metadata["namespace"], metadata["name"]) == ("scalr", "runs-agent-job-alerts")
    assert metadata["labels"]["release"] == "prometheus"
    assert "namespace-scalr" in recording.depends("runs-alerts")
