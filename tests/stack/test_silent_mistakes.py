"""Mistakes that a cluster or a cloud would accept, or refuse much later: each is reported at its place."""

from pathlib import Path
from typing import Any

import botocore.session
import pytest
from scalr_agents import charts
from scalr_agents.model.aws import AWS_REGIONS
from scalr_agents.stack import source

from tests.helpers.kinds import Kind, every_kind
from tests.helpers.kinds import load as load_kind
from tests.helpers.plain import findings

RUNS = "scalr-agents:agents.runs"


@pytest.mark.parametrize("namespace", ["kube-system", "kube-public", "kube-node-lease", "default"])
def test_system_namespaces_are_warnings(namespace: str) -> None:
    message = f"{namespace!r} exists in every cluster, and others use it too; give agents a namespace of their own"
    assert findings({"agents": {"runs": {"namespace": namespace}}}) == [("warning", f"{RUNS}.namespace", message)]


@pytest.mark.parametrize("kind", ["requests", "limits"])
def test_millions_of_cpus_are_a_warning(kind: str) -> None:
    values = {"agent": {"resources": {kind: {"cpu": "500M"}}}}
    message = "500M is more CPUs than a node has; m means thousandths, write 500m"
    found = findings({"agents": {"runs": {"values": values}}})
    assert ("error", f"{RUNS}.values.agent.resources.{kind}.cpu", message) in found
    assert findings({"agents": {"runs": {"values": {"agent": {"resources": {"limits": {"cpu": "128"}}}}}}}) == []


def test_an_empty_context_is_a_warning() -> None:
    message = "empty, so each user deploys to their current context; set a context"
    assert findings({"kubernetes": {"context": ""}}) == [("warning", "scalr-agents:kubernetes.context", message)]
    assert findings({"kubernetes": {"qps": 5}}) == []


@pytest.mark.parametrize(("endpoint", "warned"), [("otel:4317", True), ("otel.acme", True), ("http://otel:1", False), ("$(OTEL)", False)])
@every_kind
def test_a_collector_without_a_scheme_is_a_warning(kind: Kind, endpoint: str, *, warned: bool) -> None:
    found = [each for each in load_kind(kind, {"common": {"otel": {"endpoint": endpoint}}}).findings if "no scheme" in each.message]
    assert [(each.severity, each.path) for each in found] == ([("warning", "scalr-agents:common.otel")] if warned else [])


@pytest.mark.parametrize("section", [("persistence", "cache"), ("agent", "providerCache")])
def test_a_quoted_switch_is_found_despite_the_cache(section: tuple[str, str]) -> None:
    given: dict[str, Any] = {
        "caches": {"shared": {"claim": {"name": "shared"}}},
        "agents": {"runs": {"cache": "shared", "values": {section[0]: {section[1]: {"enabled": "true"}}}}},
    }
    message = "expected true or false, given 'true'; write it without quotes, as true or false"
    assert ("error", f"{RUNS}.values.{'.'.join(section)}.enabled", message) in findings(given)


@pytest.mark.parametrize(
    ("region", "message"),
    [
        ("eu-wst-1", "not a known AWS region; did you mean 'eu-west-1'?"),
        ("eu-west-1", None),
        ("cn-north-1", None),
    ],
)
def test_unknown_regions_are_warnings(tmp_path: Path, region: str, message: str | None) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text(f"config:\n  aws:region: {region}\n")
    found = [(each.severity, each.path, each.message) for each in source.unknown_region(source.read(tmp_path, "dev"))]
    assert found == ([("warning", "aws:region", message)] if message else [])


def test_known_regions_match_the_sdk() -> None:
    session = botocore.session.get_session()
    known = {region for partition in session.get_available_partitions() for region in session.get_available_regions("ec2", partition)}
    assert set(AWS_REGIONS) == known


@pytest.mark.parametrize(
    ("changed", "path", "who"),
    [
        ({}, f"{RUNS}.agentVersion", "'runs' (agent-job)"),
        (
            {"agents": {"two": {"kind": "agent-job", "namespace": "b"}}},
            "scalr-agents:common.agentVersion",
            "'runs', 'two' (agent-job)",
        ),
        ({"agents": {"runs": {"agentVersion": "0.57.0"}}}, None, ""),
        ({"common": {"agentVersion": "0.57.0"}}, None, ""),
    ],
)
def test_agents_without_a_version_are_warned_of(changed: dict[str, Any], path: str | None, who: str) -> None:
    changed = {"common": {"agentVersion": ""}, **changed}
    found = [each for each in findings(changed) if each[1].endswith("agentVersion")]
    said = charts.find("agent-job").versions.default_version_notice()
    assert found == ([("warning", path, f"not set: {who} get {said}")] if path else [])
