"""What went is named as such, with what serves instead, wherever it is given."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents.model.gone import GONE

from tests.helpers.agent_job import nested
from tests.helpers.command_line import cli
from tests.helpers.plain import findings
from tests.helpers.programs import agent_job
from tests.helpers.recording import run

VALUES: dict[str, Any] = {
    "task.buffer.schedule": [{"from": "08:00", "to": "18:00", "replicas": 2}],
    "task.buffer.kubectlImage": {"tag": "v1.36.4"},
}
"""Rows on values of agent-job, and what they were given."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "scalr-agents alerts --format": ("alerts", "dev", "--format", "rules-file"),
    "scalr-agents check --format": ("check", "dev", "--format=json"),
    "scalr-agents doctor --format": ("doctor", "dev", "--format=json"),
    "scalr-agents hosts --format": ("hosts", "dev", "--format=json"),
    "scalr-agents impact --format": ("impact", "dev", "--format=json"),
    "scalr-agents machine --format": ("machine", "vcs", "dev", "--format", "systemd"),
    "scalr-agents render --format": ("render", "dev", "--format=json"),
    "scalr-agents status --format": ("status", "dev", "--format=json"),
    "scalr-agents template --format": ("template", "agent-job", "--format=json"),
    "scalr-agents completion": ("completion", "bash"),
    "scalr-agents adopt --kind": ("adopt", "web", "--kind=agent-job"),
    "scalr-agents graph -o": ("graph", "dev", "-o", "svg"),
    "scalr-agents graph --output": ("graph", "dev", "--output", "svg"),
    "scalr-agents images --digests": ("images", "dev", "--digests"),
    "scalr-agents template --set-file": ("template", "agent-job", "--set-file", "agent.token=token"),
    "scalr-agents template --set-json": ("template", "agent-job", "--set-json", "agent={}"),
}
"""Rows on commands, and how they were called."""


def test_every_row_has_a_test() -> None:
    assert GONE.keys() == VALUES.keys() | COMMANDS.keys()


@pytest.mark.parametrize("row", VALUES)
def test_a_value_that_went(row: str, tmp_path: Path) -> None:
    given, message = nested(row, VALUES[row]), f"removed; {GONE[row]}"
    assert findings({"agents": {"runs": {"values": given}}}) == [("error", f"scalr-agents:agents.runs.values.{row}", message)]
    assert f"values.{row}: {message}" in str(run(agent_job(values=given)).error)
    file = tmp_path / "values.yaml"
    file.write_text(yaml.safe_dump(given))
    done = cli("template", "agent-job", "-f", file, "--set", "agent.url=https://acme.scalr.io", "--set", "agent.token=t0k3n")
    assert (done.returncode, f"error: {row}: {message}" in done.stderr) == (1, True)


@pytest.mark.parametrize("row", COMMANDS)
def test_a_command_or_option_that_went(row: str) -> None:
    done = cli(*COMMANDS[row])
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"Error: {row.rpartition(' ')[2]}: removed; {GONE[row]}"


@pytest.mark.parametrize(
    ("row", "given", "path"),
    [
        ("defaults", {"defaults": {}}, "scalr-agents:defaults"),
        ("agents.*.replicas", {"agents": {"runs": {"replicas": 2}}}, "scalr-agents:agents.runs.replicas"),
        ("common.prePull", {"common": {"prePull": True}}, "scalr-agents:common.prePull"),
    ],
)
def test_a_key_that_went(row: str, given: dict[str, Any], path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one by which users could mean a value."""
    monkeypatch.setitem(GONE, row, "use another one")
    assert [each for each in findings(given) if each[0] == "error"] == [("error", path, "removed; use another one")]


def test_an_argument_that_went(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GONE, "minReplicas", "use another one")
    monkeypatch.setitem(GONE, "replicas", "use the values")
    text = str(run(agent_job(min_replicas=2, replicas=2)).error)
    assert "min_replicas: removed; use another one" in text
    assert "replicas: removed; use the values" in text


def test_other_keys_and_options_are_unknown_as_before() -> None:
    [(_, path, message)] = findings({"agents": {"runs": {"values": nested("task.buffer.scheduled", [])}}})
    assert (path, message.partition(";")[0]) == ("scalr-agents:agents.runs.values.task.buffer.scheduled", "unknown key 'scheduled'")
    for words in (("graph", "dev", "--out", "svg"), ("graph", "dev", "--format", "svg"), ("images", "dev", "--format=json")):
        assert cli(*words).stderr.splitlines()[-1].startswith("Error: No such option")
    assert cli("grap", "dev").stderr.splitlines()[-1].startswith("Error: No such command")
