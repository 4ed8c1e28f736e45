"""Secrets in plain text among the values of a stack's agents: named with the command that moves them, and never repeated."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import stack
from scalr_agents.model.findings import Finding

from tests.helpers.agent_job import nested
from tests.helpers.agent_local import CERTIFICATE
from tests.helpers.kinds import JOB, K8S, LOCAL, load, of_one

HERE = Path(__file__).parent
HIDDEN = "Kx7q9Zt4w2Lm8v3"
SIGNED = f"https://acme.blob.core.windows.net/state?sv=2024-11-04&sp=rl&sig={HIDDEN}%3D"
SECRETS = {
    "GITHUB_TOKEN": HIDDEN,
    "DATABASE_URL": f"postgres://me:{HIDDEN}@db.acme.internal/state",
    "STATE_URL": SIGNED,
    "NAME.WITH-DOTS.TOKEN": HIDDEN,
}
NOT_OF_RUNS = ("agent.extraEnv", "task.worker.extraEnv")
COMMAND = "pulumi config set --secret --path 'scalr-agents:secrets.one."


def said(chart: str, given: dict[str, Any], directory: Path = Path()) -> dict[str, str]:
    """Findings on the values of an agent, without those of an agent without values."""
    kind = (chart, "current")
    before = {finding.path for finding in load(kind, {}).findings}
    found = [finding for finding in load(kind, of_one(**given), directory).findings if finding.path not in before]
    assert {finding.severity for finding in found} <= {"warning"}
    assert [finding for finding in found if HIDDEN in str(finding)] == []
    assert len({place_of(finding) for finding in found}) == len(found)
    return {place_of(finding): finding.message for finding in found}


def place_of(finding: Finding) -> str:
    path = finding.path.removeprefix("scalr-agents:agents.one.")
    return f"{finding.position.file}: {path}" if finding.position else path


def moved(name: str, *, wider: bool = False) -> str:
    word = f"env.{name}" if name.isidentifier() else f'env["{name}"]'
    return f"seems to contain a secret in plain text; remove it and run: {COMMAND}{word}'{' (runs then get it too)' if wider else ''}"


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    ("chart", "section"),
    [(JOB, "agent.extraEnv"), (JOB, "task.runner.extraEnv"), (JOB, "task.worker.extraEnv"), (LOCAL, "extraEnv"), (K8S, "extraEnv")],
)
def test_a_secret_variable_gets_the_command_to_move_it(chart: str, section: str, name: str) -> None:
    place = f'values.{section}["{name}"]' if "." in name else f"values.{section}.{name}"
    assert said(chart, {"values": nested(section, {name: SECRETS[name]})}) == {place: moved(name, wider=section in NOT_OF_RUNS)}


def test_lists_of_variables_and_values_files(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(yaml.safe_dump(nested("agent.extraEnv", {"A": "x", "GITHUB_TOKEN": HIDDEN})))
    listed = [
        {"name": "A", "value": "x"},
        {"name": "B_TOKEN", "value": HIDDEN},
        {"name": "C_TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
    ]
    given = {"valuesFiles": ["base.yaml"], "values": nested("agent.controller.extraEnv", listed)}
    assert said(JOB, given, tmp_path) == {
        "base.yaml: agent.extraEnv.GITHUB_TOKEN": moved("GITHUB_TOKEN", wider=True),
        "values.agent.controller.extraEnv[1].value": moved("B_TOKEN", wider=True),
    }


def test_secret_variables_of_the_agent_do_not_reach_runs() -> None:
    assert said(JOB, {"values": nested("agent.extraEnv", {"SCALR_TOKEN_OF_X": HIDDEN})}) == {
        "values.agent.extraEnv.SCALR_TOKEN_OF_X": moved("SCALR_TOKEN_OF_X")
    }
    (message,) = said(JOB, {"values": nested("task.runner.extraEnv", {"SCALR_TOKEN": HIDDEN})}).values()
    place = "scalr-agents:secrets.one.env"
    assert message.endswith(f"; runs get no secret variables named SCALR_*; rename it, and set it under {place}")


def test_a_variable_used_in_a_secret_is_a_secret() -> None:
    given = {"PROXY_USER": "me", "WORD": HIDDEN, "CACHE": "http://$(PROXY_USER):$(WORD)@cache.acme.internal"}
    assert said(LOCAL, {"values": nested("extraEnv", given)}) == {f"values.extraEnv.{name}": moved(name) for name in ("PROXY_USER", "WORD")}


def test_secrets_in_other_places_get_other_advice() -> None:
    sidecar = {"name": "s", "image": "x", "env": [{"name": "A_TOKEN", "value": HIDDEN}], "args": [f"--token={HIDDEN}"]}
    given = {
        "global": {"podAnnotations": {"acme.io/api-key": HIDDEN, "acme.io/state": SIGNED}},
        "task": {
            "sidecars": [sidecar],
            "extraVolumes": [{"name": "v", "csi": {"driver": "d", "volumeAttributes": {"a": f"http://me:{HIDDEN}@x"}}}],
        },
    }
    assert said(JOB, {"values": given}) == {
        'values.global.podAnnotations["acme.io/api-key"]': "seems to contain a secret in plain text; put it into a Secret and refer to it",
        'values.global.podAnnotations["acme.io/state"]': (
            f"a URL that grants access to whoever knows it; write $(NAME) in its place, and run: {COMMAND}env.NAME'"
        ),
        "values.task.sidecars[0].env[0].value": "A_TOKEN contains a secret; put it into a Secret and refer to it with valueFrom",
        "values.task.sidecars[0].args[0]": "seems to contain a secret in plain text; put it into a Secret and refer to it",
        "values.task.extraVolumes[0].csi.volumeAttributes.a": (
            f"a URL with a password; write $(NAME) in its place, and run: {COMMAND}env.NAME'"
        ),
    }


@pytest.mark.parametrize(
    ("chart", "given"),
    [
        (JOB, nested("agent.extraEnv", {"SCALR_AGENT_TOKEN": HIDDEN})),
        (JOB, nested("global.proxy", {"enabled": True, "httpsProxy": f"http://me:{HIDDEN}@p:1", "noProxy": "10.0.0.0/8"})),
        (JOB, nested("agent.providerNetworkMirrors", [{"url": f"https://me:{HIDDEN}@m.acme/"}])),
        (LOCAL, nested("agent.url", f"https://me:{HIDDEN}@acme.scalr.io")),
        (K8S, nested("extraEnv", {"HTTPS_PROXY": f"http://me:{HIDDEN}@p:1", "NO_PROXY": "10.0.0.0/8"})),
    ],
)
def test_findings_are_not_repeated(chart: str, given: dict[str, Any]) -> None:
    assert len(said(chart, {"values": given})) == 1


def test_secrets_with_their_own_key_are_only_errors() -> None:
    key = f"-----BEGIN PRIVATE KEY-----\n{HIDDEN}\n-----END PRIVATE KEY-----\n"
    tls = {"clientCert": CERTIFICATE, "clientKey": key}
    given = {"agent": {"token": f"eyJhbGciOiJI.{HIDDEN}", "tls": tls}, "allowMetadataService": False}
    found = load((LOCAL, "current"), of_one(values=given)).findings
    paths = [finding.path for finding in found if "agents.one.values" in finding.path]
    assert sorted(paths) == [f"scalr-agents:agents.one.values.agent.{path}" for path in ("tls.clientKey", "token")]
    assert HIDDEN not in str(found)


def test_the_sentry_address_is_accepted() -> None:
    assert said(JOB, {"values": nested("agent.sentryDsn", f"https://{HIDDEN}@sentry.acme.io/5")}) == {}


def test_plain_values_are_no_secrets() -> None:
    rows = yaml.safe_load((HERE.parent / "charts" / "agent_job" / "values_table.yaml").read_text())
    agents = {
        f"case-{index}": {"kind": JOB, "namespace": "scalr", "values": nested(row["value"], row["set"])} for index, row in enumerate(rows)
    }
    found = stack.load({"agents": agents}, directory=HERE).findings
    assert [finding for finding in found if "secret in plain" in finding.message or "into a Secret" in finding.message] == []
