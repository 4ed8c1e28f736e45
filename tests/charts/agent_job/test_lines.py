"""The two lines of agent-job: what differs between them, and what only one of them knows."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.charts.shared import crds
from scalr_agents.charts.shared.inputs import Inputs, Network
from scalr_agents.model.maps import merge

from tests.charts.agent_job.nodes import NAMES
from tests.helpers.agent_job import CURRENT, LEGACY, LINES, MINIMUM, objects
from tests.helpers.agent_local import CERTIFICATE, KEY
from tests.helpers.changes import changes
from tests.helpers.validated import validate

DIFFERENCES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "line_differences.yaml").read_text())
VERSION_LABEL = ".metadata.labels.app.kubernetes.io/version"


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


@pytest.mark.parametrize(
    ("version", "given", "effects"),
    [
        (LEGACY, {"agent": {"resources": {"limits": {"cpu": None}}}}, {"controller: resources.limits.cpu": None}),
        (LEGACY, {"task": {"worker": {"resources": None}}}, {"worker: resources": None}),
        (CURRENT, {"task": {"worker": {"resources": {"limits": {"cpu": "3"}}}}}, {"worker: resources.limits.cpu": "3"}),
    ],
)
def test_values_are_merged_with_the_defaults_of_the_line(version: str, given: dict[str, Any], effects: dict[str, Any]) -> None:
    assert changes(objects(MINIMUM, version=version), objects(merge(MINIMUM, given), version=version)) == effects


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
def test_full_names(release: str, override: str, legacy: str, current: str) -> None:
    names = [
        charts.names("agent-job", release, "scalr", values={"nameOverride": override}, agent_version=each) for each in (LEGACY, CURRENT)
    ]
    assert [each.deployment for each in names] == [legacy, current]


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
    assert {f"runs-{NAMES[version]}-{policy}-network-policy" for policy in ("ingress", "controller")} < set(announced)


@pytest.mark.parametrize(
    ("base", "version", "names"),
    [
        ("", CURRENT, "runs-scalr-agent-run-.+"),
        ("web", CURRENT, "web-run-.+"),
        ("a.b", CURRENT, "a[.]b-run-.+"),
        ("", LEGACY, "atask-.+"),
    ],
)
def test_names_of_jobs(base: str, version: str, names: str) -> None:
    agent = validate("agent-job", merge(MINIMUM, {"task": {"job": {"basename": base}}} if base else {}), agent_version=version)
    assert agent.runs is not None
    assert agent.runs.names == names
