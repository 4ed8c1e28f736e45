"""The two lines of agent-job: what differs between them, and what only one of them knows."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import crds
from scalr_agents.charts.shared.network.settings import Network
from scalr_agents.model.merge import lookup, merge

from tests.helpers.agent_job import CURRENT, LEGACY, LINES, MINIMUM, objects
from tests.helpers.agent_local import CERTIFICATE, KEY
from tests.helpers.changes import changes

DIFFERENCES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "line_differences.yaml").read_text())
VERSION_LABEL = ".metadata.labels.app.kubernetes.io/version"


def _pods(made: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    return made["deployment"]["spec"]["template"], made["task-template"]["spec"]["jobTemplate"]["spec"]["template"]


def test_differences_between_the_lines() -> None:
    given = merge(MINIMUM, {"nameOverride": "agent-job"})
    found = changes(objects(given, version=LEGACY), objects(given, version=CURRENT))
    versions = {path: value for path, value in found.items() if path.endswith(VERSION_LABEL)}
    assert {path: value for path, value in found.items() if path not in versions} == DIFFERENCES
    assert versions == {f"{role}{VERSION_LABEL}": "1.4.0" for role in objects(given)}


@pytest.mark.parametrize(
    ("generation", "names", "properties"),
    [
        ("legacy", ("AgentTask", "atasks", "atask", "at"), ["jobTemplate"]),
        ("current", ("AgentTaskTemplate", "agenttasktemplates", "agenttasktemplate", "att"), ["basename", "jobTemplate"]),
    ],
)
def test_definitions_of_the_lines(generation: str, names: tuple[str, str, str, str], properties: list[str]) -> None:
    kind, plural, singular, short = names
    (definition,) = crds.objects(LINES[generation]).values()
    assert definition["metadata"] == {"name": f"{plural}.scalr.io"}
    spec = definition["spec"]
    assert (spec["group"], spec["scope"]) == ("scalr.io", "Namespaced")
    assert spec["names"] == {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": singular, "shortNames": [short]}
    (version,) = spec["versions"]
    assert (version["name"], version["served"], version["storage"], version["subresources"]) == ("v1", True, True, {"status": {}})
    content = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert content["required"] == ["jobTemplate"]
    assert sorted(content["properties"]) == properties
    assert content["properties"]["jobTemplate"]["x-kubernetes-preserve-unknown-fields"] is True


def _resources(given: dict[str, Any], version: str) -> dict[str, Any]:
    controller, task = _pods(objects(merge(MINIMUM, given), version=version))
    containers = (*controller["spec"]["containers"], *task["spec"]["containers"])
    return {container["name"]: container.get("resources") for container in containers}


def test_defaults_depend_on_the_line() -> None:
    given = {"agent": {"resources": {"limits": {"cpu": None}}}, "task": {"worker": {"resources": None}}}
    assert _resources(given, LEGACY)["controller"]["limits"] == {"memory": "256Mi"}
    assert _resources(given, LEGACY)["worker"] is None
    assert _resources({"task": {"worker": {"resources": {"limits": {"cpu": "3"}}}}}, CURRENT)["worker"] == {
        "requests": {"cpu": "250m", "memory": "256Mi"},
        "limits": {"cpu": "3", "memory": "1024Mi"},
    }


SCOPED = {
    "deployment": "FN",
    "service_account": "FN",
    "token_secret": "FN",
    "env_secret": "FN-env",
    "ca_bundle_secret": "FN-ca-bundle",
    "network_policy": "FN-network-policy",
    "ingress_policy": "FN-ingress-network-policy",
    "controller_policy": "FN-controller-network-policy",
    "data_claim": "FN-data",
    "cache_claim": "FN-cache",
    "role": "FN-role",
    "role_binding": "FN-role-binding",
    "cluster_role": "scalr.FN-clusterrole",
    "cluster_role_binding": "scalr.FN-clusterrole-binding",
    "controller_budget": "FN",
    "task_budget": "FN-task",
    "buffer": "FN-buffer",
    "buffer_priority": "scalr.FN-buffer",
    "pre_pull": "FN-pre-pull",
}
OF_CURRENT = {
    "task_template": "FN-task-template",
    "client_cert_secret": "FN-client-cert",
    "cache_preparation": "FN-cache-preparation",
}
NAMES: dict[tuple[str, str], dict[str, str]] = {
    (LEGACY, "scoped"): {**SCOPED, "task_template": "FN-task"},
    (LEGACY, "chart"): {
        **SCOPED,
        "deployment": "scalr-agent",
        "task_template": "scalr-agent-task",
        "network_policy": "FN-task-network-policy",
        "cluster_role": "FN-clusterrole",
        "cluster_role_binding": "FN-clusterrole-binding",
        "controller_budget": "FN-agent",
    },
    (CURRENT, "scoped"): {**SCOPED, **OF_CURRENT},
    (CURRENT, "chart"): {
        **SCOPED,
        **OF_CURRENT,
        "cluster_role": "scalr-FN-clusterrole",
        "cluster_role_binding": "scalr-FN-clusterrole-binding",
    },
}


@pytest.mark.parametrize(
    ("release", "override", "legacy", "current"),
    [
        ("runs", "", "runs-agent-job", "runs-scalr-agent"),
        ("scalr-agent", "", "scalr-agent-agent-job", "scalr-agent"),
        ("agent-job", "", "agent-job", "agent-job-scalr-agent"),
        ("runs", "agent-job", "runs-agent-job", "runs-agent-job"),
        ("runs", "pool", "runs-pool", "runs-pool"),
    ],
)
@pytest.mark.parametrize("naming", ["scoped", "chart"])
def test_names(release: str, override: str, legacy: str, current: str, naming: Any) -> None:
    for version, full in ((LEGACY, legacy), (CURRENT, current)):
        given = {"nameOverride": override}
        found = charts.names("agent-job", release, "scalr", values=given, agent_version=version, naming=naming)
        expected = {role: name.replace("FN", full) for role, name in NAMES[version, naming].items()}
        assert {role: name for role, name in asdict(found).items() if name} == expected


NETWORK = Network.model_validate({"ingress": "deny", "egress": {"enforcedBy": "cilium"}})


@pytest.mark.parametrize("naming", ["scoped", "chart"])
@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_objects_have_the_documented_names(version: str, naming: Any) -> None:
    tls = {"caBundle": CERTIFICATE, **({"clientCert": CERTIFICATE, "clientKey": KEY} if version == CURRENT else {})}
    given = {
        "global": {"tls": tls},
        "agent": {"replicaCount": 2},
        "task": {"buffer": {"replicas": 1}},
        "persistence": {"data": {"enabled": True}, "cache": {"enabled": True}},
    }
    made = objects(merge(MINIMUM, given), Inputs(secret_env={"A": "b"}, network=NETWORK, pre_pull=True), naming, version)
    names = charts.names("agent-job", "runs", "scalr", agent_version=version, naming=naming)
    announced = sorted(name for name in asdict(replace(names, cache_preparation="")).values() if name)  # that goes without a claim
    assert sorted(manifest["metadata"]["name"] for manifest in made.values()) == announced
    controller, task = _pods(made)
    template = lookup(made, "task-template", "metadata", "name")
    assert template in [variable.get("value") for variable in controller["spec"]["containers"][0]["env"]]
    for pod in (controller, task):
        claims = {volume["name"]: lookup(volume, "persistentVolumeClaim", "claimName") for volume in pod["spec"]["volumes"]}
        assert claims["cache-dir"] == names.cache_claim
