"""Provider network mirrors and their tokens: findings, and the agent's configuration, for the kinds that support them."""

import json
from typing import Any

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.network.settings import Network
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


def errors(chart: str, mirrors: Any, **inputs: Any) -> list[tuple[str, str]]:
    return [(finding.path, finding.message) for finding in findings.errors(load(chart, mirrors, Inputs(**inputs)).findings)]


@every_kind
@pytest.mark.parametrize(
    ("mirrors", "tokens", "path", "message"),
    [
        (MIRRORS, {"b.acme": "x"}, r"mirror_tokens.b\.acme", "no mirror has this host; did you mean 'b.acme:8443'?"),
        (MIRRORS, {"a.acme:1": "x"}, r"mirror_tokens.a\.acme:1", "no mirror has this host; did you mean 'a.acme'?"),
        (MIRRORS, {"A.acme": "x"}, r"mirror_tokens.A\.acme", "no mirror has this host; did you mean 'a.acme'?"),
        (MIRRORS, {"example": "x"}, "mirror_tokens.example", "no mirror has this host; allowed: a.acme, b.acme:8443"),
        ([], {"a": "x"}, "mirror_tokens.a", "no mirror has this host; allowed: none"),
        (MIRRORS, {"a.acme": ""}, r"mirror_tokens.a\.acme", "empty: set the token of the mirror, or remove the entry"),
        (
            [MIRRORS[1], MIRRORS[0] | {"token": "y"}],
            {"a.acme": "x"},
            f"{PLACE}[1].token",
            "given together with mirror_tokens for a.acme; keep one of them",
        ),
    ],
)
def test_misplaced_mirror_tokens_are_errors(chart: str, mirrors: Any, tokens: dict[str, str], path: str, message: str) -> None:
    assert errors(chart, mirrors, mirror_tokens=tokens) == [(path, message)]


@every_kind
def test_tokens_with_a_list_variable_are_errors(chart: str) -> None:
    reason = "would replace the list of mirrors and its tokens; keep one of them"
    assert errors(chart, MIRRORS, mirror_tokens={"a.acme": "x"}, secret_env={VARIABLE: "[]"}) == [(f"secret_env.{VARIABLE}", reason)]
    assert errors(chart, MIRRORS, secret_env={VARIABLE: "[]"}) == []


@every_kind
@pytest.mark.parametrize("mirrors", ["x", [{"url": 5}], [{"uri": "https://a.acme/"}], ["https://a.acme/"]], ids=str)
def test_invalid_mirrors_have_no_token_findings(chart: str, mirrors: Any) -> None:
    found = errors(chart, mirrors, mirror_tokens={"a.acme": "x"})
    assert [path.startswith(PLACE) for path, _ in found] in ([True], [True, True])


@every_kind
def test_output_mirrors_must_be_known(chart: str) -> None:
    assert errors(chart, [{"url": "https://a.acme/", "token": object()}]) == [
        (
            f"{PLACE}[0].token",
            "must be known before deployment, because the list of mirrors is one string; set it in mirror_tokens, by host",
        )
    ]
    assert errors(chart, [{"url": object(), "token": "x"}]) == [
        (f"{PLACE}[0].url", "must be known before deployment, because the list of mirrors is one string")
    ]
    assert errors(chart, MIRRORS, mirror_tokens={"a.acme": object()}) == []


@every_kind
def test_output_mirrors_of_agents_that_do_not_support_them(chart: str) -> None:
    given = {"agent": {"token": "x", "url": "https://acme.scalr.io", "providerNetworkMirrors": [{"url": object()}]}}
    inputs = Inputs(network=Network.model_validate({"egress": {"enforcedBy": "cilium"}}))
    found = findings.errors(validate(chart, given, agent_version="0.62.0", inputs=inputs).findings)
    assert [finding.path for finding in found] == [PLACE]


@every_kind
def test_a_password_in_the_address_is_an_error(chart: str) -> None:
    for url, warned in (("https://u:s3cr3t@a.acme/", True), ("https://u:$(PASSWORD)@a.acme/", False), ("https://t0ken@a.acme/", True)):
        found = [finding for finding in load(chart, [{"url": url}], Inputs()).findings if finding.path.startswith(PLACE)]
        reason = "contains a password in plain text; use a token for the mirror instead, which becomes a Secret"
        assert [(finding.severity, finding.path, finding.message) for finding in found] == (
            [("warning", f"{PLACE}[0].url", reason)] if warned else []
        )


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
