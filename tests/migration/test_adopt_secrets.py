"""Secrets in the values of a release: none is printed, and each has its command."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings, strategies as st
from scalr_agents.migration import adopt
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import Values, merge

from tests.helpers.command_line import TOKEN
from tests.helpers.releases import KEPT, KEY, MIRROR, URL, loaded, of_values, printed

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "secret_cases.yaml").read_text())


def each(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: str(case["given"]))


@each("extracted")
def test_secrets_are_extracted(case: dict[str, Any]) -> None:
    chart, version = case.get("chart", "agent-job"), case.get("version")
    adopted = of_values(case["given"], chart, version)
    assert errors(adopted.findings) == []
    kept = merge(KEPT.get((chart, version or ""), {}), merge({"agent": {"url": URL}}, case["rest"]))
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"] == kept
    assert adopted.secrets == [f"pulumi config set --secret --path 'scalr-agents:secrets.runs.{key}'" for key in case["secrets"]]
    text = printed(adopted)
    assert [secret for secret in (TOKEN, "hidden", "hid", "PRIVATE") if secret in text] == []
    assert errors(loaded(adopted).findings) == []


@each("refused")
def test_unsupported_secrets_are_refused(case: dict[str, Any]) -> None:
    adopted = of_values(case["given"], version="1.4.0")
    assert [(finding.path, case["words"] in finding.message) for finding in errors(adopted.findings)] == [(case["path"], True)]
    assert (adopted.stack, adopted.secrets, adopted.before, adopted.after) == ({}, [], [], [])
    assert "hidden" not in "".join(map(str, adopted.findings))


@each("warned")
def test_probable_secrets_are_warnings(case: dict[str, Any]) -> None:
    findings = of_values(case["given"]).findings
    assert [(finding.severity, finding.path) for finding in findings] == [("warning", case["path"])]
    assert "seems to contain a secret in plain text" in findings[0].message
    assert "hidden" not in findings[0].message


@each("accepted")
def test_values_that_resemble_secrets_are_accepted(case: dict[str, Any]) -> None:
    adopted = of_values(case["given"], case.get("chart", "agent-job"))
    assert adopted.findings == []
    assert [note for note in adopted.notes if "plain text" in note] == []


@pytest.mark.parametrize("dsn", ["https://public@sentry.io/5", "https://public:hidden@sentry.io/5"])
def test_the_sentry_address_is_not_changed(dsn: str) -> None:
    adopted = of_values({"agent": {"sentryDsn": dsn}}, version="1.4.0")
    assert [(finding.severity, finding.path) for finding in adopted.findings] == [("warning", "agent.sentryDsn")]
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"]["agent"]["sentryDsn"] == dsn
    key = of_values({"agent": {"sentryDsn": KEY}}, version="1.4.0")
    assert ("error", "agent.sentryDsn") in [(finding.severity, finding.path) for finding in key.findings]


@pytest.mark.parametrize(
    ("chart", "version", "section"),
    [("agent-local", "1.4.0", "global"), ("agent-local", None, "agent"), ("agent-job", "1.4.0", "agent"), ("agent-job", None, "global")],
)
def test_a_client_key_of_an_unsupported_kind_is_refused(chart: str, version: str | None, section: str) -> None:
    adopted = of_values({section: {"tls": {"clientKey": KEY}}}, chart, version)
    (finding,) = errors(adopted.findings)
    assert f"{section}.tls.clientKey".startswith(finding.path)
    assert "unknown key" in finding.message or "no value" in finding.message, finding
    assert "PRIVATE KEY" not in printed(adopted)


@pytest.mark.parametrize(
    ("chart", "given_values", "names"),
    [
        (
            "agent-job",
            {"global": {"proxy": {"httpProxy": "http://u:$(PROXY_P)@p:1"}}, "agent": {"extraEnv": {"PROXY_P": "hid"}}},
            ["PROXY_P"],
        ),
        (
            "agent-local",
            {"extraEnv": {"HTTP_PROXY": "http://$(U):$(P)@p:1", "U": "hid", "P": "$(Q)", "Q": "$(R)", "R": "hidden"}},
            ["U", "R"],
        ),
        ("agent-local", {"extraEnv": {"A_TOKEN": "$(B)", "B": "hidden", "C": "$(D)", "D": "e"}}, ["B"]),
        ("agent-local", {"extraEnv": {"CURLED": "Authorization: Bearer $(B)", "B": "hidden"}}, ["B"]),
    ],
)
def test_parts_of_secrets_are_secret(chart: str, given_values: Values, names: list[str]) -> None:
    adopted = of_values({"task": {}} | given_values if chart == "agent-job" else given_values, chart)
    assert errors(adopted.findings) == []
    assert adopted.secrets[1:] == [f"pulumi config set --secret --path 'scalr-agents:secrets.runs.env.{name}'" for name in names]
    assert "hid" not in printed(adopted)
    assert errors(loaded(adopted).findings) == []


def test_secrets_with_references_are_warnings() -> None:
    given = {"allowMetadataService": True, "extraEnv": {"A_TOKEN": "hid$(B)den", "B_TOKEN": "x"}}
    adopted = of_values(given, "agent-local")
    assert [finding.path for finding in adopted.findings if "does not expand $(NAME)" in finding.message] == ["extraEnv.A_TOKEN"]
    assert "den" not in printed(adopted).replace("identifier", "")


VARIABLES = {"A_TOKEN": "x"}
ITEMS = [{"name": "A_TOKEN", "value": "x"}]


@pytest.mark.parametrize(
    ("chart", "given_values", "who"),
    [
        ("agent-job", {"agent": {"extraEnv": VARIABLES}}, "runs"),
        ("agent-job", {"agent": {"controller": {"extraEnv": ITEMS}}}, "workers and runs"),
        ("agent-job", {"task": {"worker": {"extraEnv": VARIABLES}}}, "controllers and runs"),
        ("agent-job", {"task": {"runner": {"extraEnv": VARIABLES}}}, "controllers and workers"),
        ("agent-job", {"agent": {"extraEnv": VARIABLES}, "task": {"runner": {"extraEnv": VARIABLES}}}, ""),
        ("agent-job", {"agent": {"extraEnv": {"SCALR_TOKEN": "x"}}}, ""),
        ("agent-local", {"extraEnv": VARIABLES}, ""),
    ],
)
def test_new_readers_of_a_variable_are_named(chart: str, given_values: Values, who: str) -> None:
    warned = [finding.message for finding in of_values(given_values, chart).findings if "becomes a secret variable" in finding.message]
    assert warned == ([f"becomes a secret variable of the stack, which {who} then get too"] if who else [])


@pytest.mark.parametrize("container", ["runner", "worker"])
def test_variables_missing_in_the_deployment_are_not_patched(container: str) -> None:
    task = {"task": {container: {"extraEnv": VARIABLES}}}
    assert of_values(task).before == []
    assert len(of_values(merge(task, {"agent": {"controller": {"extraEnv": ITEMS}}})).before) == 1


def test_variables_that_become_secret_are_patched_first() -> None:
    given_values = {"agent": {"extraEnv": {"A_TOKEN": "x"}, "providerNetworkMirrors": [MIRROR | {"token": "x"}]}}
    step, budget = of_values(given_values, version="1.4.0").before
    patch = json.loads(step.command.partition(" -p '")[2].removesuffix("'"))
    (container,) = patch["spec"]["template"]["spec"]["containers"]
    assert step.command.startswith("kubectl patch deployment runs-scalr-agent -n scalr --type=strategic -p '{")
    assert container == {
        "name": "controller",
        "env": [
            {
                "name": name,
                "value": None,
                "valueFrom": {"secretKeyRef": {"name": "runs-scalr-agent-env", "key": name, "optional": False}},
            }
            for name in ("A_TOKEN", "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")
        ],
    }
    assert "poddisruptionbudget" in budget.command


KEYS = [
    "agent",
    "global",
    "task",
    "runner",
    "tls",
    "extraEnv",
    "A_TOKEN",
    "token",
    "clientKey",
    "providerNetworkMirrors",
    "name",
    "value",
    "url",
    "",
]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "http://a:b@c", "https://[", KEY]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(
    given_values=st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=4), chart=st.sampled_from(["agent-job", "agent-local", "agent-k8s"])
)
@example(given_values={"extraEnv": [{"name": []}]}, chart="agent-local")
@settings(deadline=None, max_examples=150)
def test_any_secret_is_taken_over_or_refused(given_values: Values, chart: str) -> None:
    adopted = adopt.take_over(given_values, chart=chart, release="runs", namespace="scalr", agent_version="1.4.0")
    assert bool(adopted.stack) != bool(errors(adopted.findings))
    text = printed(adopted)
    assert "PRIVATE KEY" not in text
    assert "a:b@c" not in text
