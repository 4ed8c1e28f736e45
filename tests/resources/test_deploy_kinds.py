"""A stack with agents of all kinds and both lines becomes resources and outputs."""

import json
from typing import Any

import pytest
import scalr_agents

from tests.helpers import programs
from tests.helpers.recording import Recording, Secret

TOKEN = "s3cr3t-token"
CA = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END PRIVATE KEY-----\n"
MIRRORS = {"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/providers/"}]}}


def on(pool: str, **agent: Any) -> dict[str, Any]:
    """An agent with nodes of its own."""
    return {"namespace": "scalr", "nodes": {"selector": {"pool": pool}}, **agent}


AGENTS: dict[str, dict[str, Any]] = {
    "runs": on("runs", kind="agent-job"),
    "next": on("runs", kind="agent-job", agentVersion="1.4.0", values=MIRRORS),
    "vcs": on("vcs", kind="agent-local", role="vcs"),
    "vcs-next": on("vcs", kind="agent-local", role="vcs", agentVersion="1.4.0", values={"agent": {"tls": {"clientCert": CA}}}),
    "old": on("old", kind="agent-k8s", values={"agent": {"data_home": "/var/lib/old"}}),
    "old-next": on("old", kind="agent-k8s", agentVersion="1.4.0", values={"agent": {"data_home": "/var/lib/old-next"}}),
}
SECRETS: dict[str, Any] = {
    **{name: {"token": f"{TOKEN}-{name}", "env": {"TF_TOKEN_acme": f"hidden-{name}"}} for name in AGENTS},
    "next": {"token": f"{TOKEN}-next", "mirrorTokens": {"a.acme": "hidden-mirror"}},
    "vcs-next": {"token": f"{TOKEN}-vcs-next", "clientKey": KEY},
}
WORKLOADS = {
    "runs": ["runs-controller-deployment"],
    "next": ["next-controller-deployment"],
    "vcs": ["vcs-deployment"],
    "vcs-next": ["vcs-next-deployment"],
    "old": ["old-deployment", "old-daemon-set"],
    "old-next": ["old-next-deployment", "old-next-daemon-set"],
}
DEFINITIONS = {"agent-crds-atasks", "agent-crds-agenttasktemplates"}


def up(**changed: Any) -> Recording:
    """Deploy the configuration with some words changed."""
    words = {
        "kubernetes": {"context": "kind-kind"},
        "common": {"url": "https://acme.scalr.io"},
        "namespaces": {"scalr": {"podSecurity": "privileged"}},
        "agents": AGENTS,
        "secrets": SECRETS,
        **changed,
    }
    recording = programs.deployed(words)
    assert recording.error is None, recording.error
    return recording


@pytest.fixture(scope="module")
def deployed() -> Recording:
    return up()


def test_agents_and_shared_objects_have_separate_providers(deployed: Recording) -> None:
    objects = [r for r in deployed.resources if r.type.startswith("kubernetes:")]
    assert {r.name for r in objects if r.provider == "cluster-shared"} == {"namespace-scalr"}
    assert {r.provider for r in objects} == {"cluster", "cluster-shared"}
    assert {r.name for r in objects if r.retain} == {"namespace-scalr", *DEFINITIONS}


def test_definitions_of_both_lines_are_registered_once(deployed: Recording) -> None:
    made = deployed.of_type("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch")
    assert sorted(r.name for r in made) == sorted(DEFINITIONS)
    assert deployed.outputs["agent-crds"] == {"crdNames": ["atasks.scalr.io", "agenttasktemplates.scalr.io"]}


@pytest.mark.parametrize(
    ("agents", "definitions"),
    [
        (["runs", "vcs-next"], {"agent-crds-atasks"}),
        (["next", "vcs"], {"agent-crds-agenttasktemplates"}),
        (["vcs", "old-next"], set()),
    ],
)
def test_only_required_definitions_are_installed(agents: list[str], definitions: set[str]) -> None:
    some = up(agents={name: AGENTS[name] for name in agents}, secrets={name: SECRETS[name] for name in agents})
    assert {name for name in some.names if name.startswith("agent-crds-")} == definitions


@pytest.mark.parametrize("name", AGENTS)
def test_agent_objects_depend_on_namespace_and_definitions(deployed: Recording, name: str) -> None:
    own = [r for r in deployed.resources if r.custom and r.name.startswith(f"{name}-") and _owner(r.name) == name]
    assert {r.name for r in own} >= set(WORKLOADS[name])
    for resource in own:
        assert {"namespace-scalr", *DEFINITIONS} <= deployed.depends(resource.name)


def _owner(resource: str) -> str:
    return max((name for name in AGENTS if resource.startswith(f"{name}-")), key=len)


@pytest.mark.parametrize("name", AGENTS)
def test_workloads_depend_only_on_their_own_agent(deployed: Recording, name: str) -> None:
    own = {r.name for r in deployed.resources if r.custom and r.name.startswith(f"{name}-") and _owner(r.name) == name}
    last = WORKLOADS[name][-1]
    assert deployed.depends(last) == {"namespace-scalr", *DEFINITIONS, *own} - {last}


def test_outputs_have_names_and_selectors_of_every_agent(deployed: Recording) -> None:
    exported = deployed.exports["agents"]
    assert list(deployed.exports) == ["agents"]
    assert {name: agent["deploymentName"] for name, agent in exported.items()} == {
        "runs": "runs-agent-job",
        "next": "next-scalr-agent",
        "vcs": "vcs-agent-local",
        "vcs-next": "vcs-next-agent-local",
        "old": "old-agent-k8s-controller",
        "old-next": "old-next-agent-k8s-controller",
    }
    job = {"namespace", "deploymentName", "serviceAccountName", "taskTemplateName", "controllerPodSelector", "taskPodSelector"}
    local = {"namespace", "deploymentName", "serviceAccountName", "podSelector"}
    k8s = {"namespace", "deploymentName", "daemonSetName", "serviceAccountName", "controllerPodSelector", "workerPodSelector"}
    shapes = {"agent-job": job, "agent-local": local, "agent-k8s": k8s}
    assert {name: set(agent) for name, agent in exported.items()} == {name: shapes[agent["kind"]] for name, agent in AGENTS.items()}
    for name, agent in exported.items():
        for workload in WORKLOADS[name]:
            selector = "podSelector" if "podSelector" in agent else "workerPodSelector" if "daemon" in workload else "controllerPodSelector"
            assert deployed[workload].inputs["spec"]["selector"]["matchLabels"] == agent[selector]


def test_secrets_are_only_in_secrets(deployed: Recording) -> None:
    assert deployed["vcs-next-client-cert-secret"].inputs["stringData"] == {"tls.crt": Secret(CA), "tls.key": Secret(KEY)}
    assert deployed["old-token-secret"].inputs["stringData"] == {"token": Secret(f"{TOKEN}-old")}
    assert deployed["vcs-env-secret"].inputs["stringData"] == {"TF_TOKEN_acme": Secret("hidden-vcs")}
    (mirrors,) = deployed["next-controller-env-secret"].inputs["stringData"].values()
    assert json.loads(mirrors.value) == [{"url": "https://a.acme/providers/", "token": "hidden-mirror"}]
    assert [word for word in (TOKEN, "hidden", "PRIVATE KEY") if word in deployed.readable] == []


def test_rollouts_of_every_kind_follow_the_stack() -> None:
    recording = up(kubernetes={"awaitRollout": False, "rolloutTimeoutSeconds": 45})
    for name in (name for names in WORKLOADS.values() for name in names):
        assert recording[name].inputs["metadata"]["annotations"]["pulumi.com/skipAwait"] == "true"
        assert dict(recording[name].timeouts)["create"] == "45s"


@pytest.mark.parametrize("version", ["0.59.0", "1.4.0"])
def test_an_agent_local_waits_for_the_claim_of_its_cache(version: str) -> None:
    agent = on("vcs", kind="agent-local", agentVersion=version, cache="shared")
    caches = {"shared": {"efs": {"fileSystemId": "fs-00000a1b"}}}
    recording = up(agents={"vcs": agent}, caches=caches, secrets={"vcs": {"token": TOKEN}})
    (claim,) = recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert claim.name in recording.depends("vcs-deployment")
    volumes = recording["vcs-deployment"].inputs["spec"]["template"]["spec"]["volumes"]
    assert {"name": "cache-dir", "persistentVolumeClaim": {"claimName": claim.inputs["metadata"]["name"]}} in volumes


def test_errors_of_all_kinds_are_reported_at_once() -> None:
    agents = {name: {**agent, "values": {"agent": {"nope": 1}}} for name, agent in AGENTS.items()}
    recording = programs.deployed({"agents": agents, "secrets": SECRETS})
    assert isinstance(recording.error, scalr_agents.ArgsError)
    assert recording.names == []
    places = {finding.path for finding in recording.error.findings}
    assert places >= {f"scalr-agents:agents.{name}.values.agent.nope" for name in AGENTS}
    assert TOKEN not in str(recording.error)
