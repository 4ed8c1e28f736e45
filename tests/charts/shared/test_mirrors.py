"""Provider network mirrors and their tokens: findings, and the agent's configuration, for the kinds that support them."""

import json
from typing import Any

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.inputs import Inputs, Network
from scalr_agents.model import findings
from scalr_agents.stack.source import Sealed

from tests.helpers.validated import LINES, validate

VERSIONS = {line.chart: line.default_version for line in LINES if line.generation == "current"}
VARIABLE = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"
MIRRORS: list[dict[str, Any]] = [
    {"url": "https://a.acme/providers/", "include": ["*/acme"]},
    {"url": "https://b.acme:8443/x/"},
    {"url": "https://a.acme/y/"},
]
PLACE = "agent.providerNetworkMirrors"

every_kind = pytest.mark.parametrize("chart", ["agent-job", "agent-local"])


def load(chart: str, mirrors: Any, inputs: Inputs) -> AnyAgent:
    given = {"agent": {"token": "x", "url": "https://acme.scalr.io", "providerNetworkMirrors": mirrors}}
    return validate(chart, given, release="it", namespace="scalr", agent_version=VERSIONS[chart], inputs=inputs)


@every_kind
def test_output_mirrors_of_agents_that_do_not_support_them(chart: str) -> None:
    given = {"agent": {"token": "x", "url": "https://acme.scalr.io", "providerNetworkMirrors": [{"url": object()}]}}
    inputs = Inputs(network=Network.model_validate({"egress": {"enforcedBy": "cilium"}}))
    found = findings.errors(validate(chart, given, agent_version="0.62.0", inputs=inputs).findings)
    assert [finding.path for finding in found] == [PLACE]


def held(chart: str, inputs: Inputs) -> dict[str, Any]:
    return dict(load(chart, MIRRORS, inputs).secret_data["env"])


@every_kind
def test_every_mirror_of_a_host_gets_its_token(chart: str) -> None:
    filled = [MIRRORS[0] | {"token": "t"}, MIRRORS[1], MIRRORS[2] | {"token": "t"}]
    assert json.loads(held(chart, Inputs(mirror_tokens={"a.acme": "t"}))[VARIABLE]) == filled
    assert held(chart, Inputs()) == {}


@every_kind
def test_an_output_list_is_carried_unchanged(chart: str) -> None:
    token: Any = object()
    composed: Any = object()
    assert held(chart, Inputs(mirror_tokens={"a.acme": token}, network_mirrors=composed)) == {VARIABLE: composed}
    sealed = Sealed("a")
    assert held(chart, Inputs(mirror_tokens={"a.acme": sealed})) == {VARIABLE: sealed}
