"""Findings are located in the files of a stack: the stack file, the project file with its defaults, values files."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.findings import by_severity, error
from scalr_agents.stack import positions, secrets, source

PROJECT = """\
name: scalr-agents
stackConfigDir: stacks
config:
  common:
    value:
      url: http://acme.scalr.io
  kubernetes: {value: {crds: maybe}}
"""
STACK = """\
config:
  scalr-agents:namespaces:
    Scalr: {}
  scalr-agents:agents:
    runs:
      kind: agent-job
      namespace: runs
      valuesFiles: [values/one.yaml, values/two.yaml, values/broken.yaml]
      values:
        agent: {replicaCount: two}
        task:
          tolerations:
            - {key: a}
            - wrong
      identity: {eks.amazonaws.com/role-arn: {secure: v1:x}}
  agents:
    runs: {kind: agent-job}
  scalr-agents:secrets.runs.token: x
  scalr-agents:labels: '{"a": 1}'
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "stacks" / "values").mkdir(parents=True)
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "stacks" / "values" / "one.yaml").write_text("# first\nagent:\n  debug: maybe\n  logFormat: xml\n")
    (tmp_path / "stacks" / "values" / "two.yaml").write_text("agent: {logFormat: yml}\n")
    (tmp_path / "stacks" / "values" / "broken.yaml").write_text("agent: {\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(project: Path, content: str) -> dict[str, str]:
    """Where findings stand, by their paths."""
    (project / "stacks" / "Pulumi.dev.yaml").write_text(content)
    read = source.read(project, "dev")
    loaded = stack.load(read.config, directory=read.directory)
    findings = positions.locate(by_severity([*secrets.misplaced(read.config), *loaded.findings]), read)
    return {finding.path or finding.message: str(finding.position) for finding in findings}


def test_every_finding_has_its_position(project: Path) -> None:
    without_second = STACK.replace("  agents:\n    runs: {kind: agent-job}\n", "")
    assert found(project, without_second) == {
        "did not find expected node content": "stacks/values/broken.yaml:2:1",
        "agent.debug": "stacks/values/one.yaml:3:3",
        "agent.logFormat": "stacks/values/two.yaml:1:9",
        'scalr-agents:agents.runs.identity["eks.amazonaws.com/role-arn"]': "stacks/Pulumi.dev.yaml:15:18",
        "scalr-agents:agents.runs.agentVersion": "stacks/Pulumi.dev.yaml:5:5",
        "scalr-agents:agents.runs.values.agent.replicaCount": "stacks/Pulumi.dev.yaml:10:17",
        "scalr-agents:agents.runs.values.task.job.activeDeadlineSeconds": "stacks/Pulumi.dev.yaml:11:9",
        "scalr-agents:agents.runs.values.task.tolerations[1]": "stacks/Pulumi.dev.yaml:14:15",
        "scalr-agents:common.url": "Pulumi.yaml:6:7",
        "scalr-agents:kubernetes.crds": "Pulumi.yaml:7:24",
        "scalr-agents:labels": "stacks/Pulumi.dev.yaml:17:3",
        "scalr-agents:namespaces.Scalr": "stacks/Pulumi.dev.yaml:3:5",
        "scalr-agents:secrets.runs.token": "stacks/Pulumi.dev.yaml:16:3",
    }


def test_the_last_of_two_equivalent_keys_is_located(project: Path) -> None:
    assert found(project, STACK)["scalr-agents:agents.runs.namespace"] == "stacks/Pulumi.dev.yaml:17:5"


@pytest.mark.parametrize(
    ("content", "path", "position"),
    [
        ("config:\n  agents: {runs: {kind: agent-job, namespace: scalr}}\n", "secrets.runs.token", "stacks/Pulumi.dev.yaml"),
        ("config: {}\n", "agents", "stacks/Pulumi.dev.yaml"),
        ('config:\n  agents: \'{"runs": {"kind": "agent-jobs", "namespace": "x"}}\'\n', "agents.runs.kind", "stacks/Pulumi.dev.yaml:2:3"),
    ],
    ids=["missing", "nothing", "json"],
)
def test_missing_values_have_the_line_of_their_section(project: Path, content: str, path: str, position: str) -> None:
    (project / "Pulumi.yaml").write_text("name: scalr-agents\nstackConfigDir: stacks\n")
    assert found(project, content)[f"scalr-agents:{path}"] == position


def test_without_findings_no_file_is_parsed_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compose(*_: Any) -> None:
        raise AssertionError

    (project / "Pulumi.yaml").write_text("name: scalr-agents\n")
    (project / "Pulumi.dev.yaml").write_text("config: {}\n")
    monkeypatch.setattr("scalr_agents.model.origins.yaml.compose", compose)
    read = source.read(project, "dev")
    assert positions.locate([], read) == []
    with pytest.raises(AssertionError):
        positions.locate([error("scalr-agents:agents", "x")], read._replace(origins={("agents",): source.Origin(read.file, ())}))


def test_a_deleted_file_has_no_lines(project: Path) -> None:
    (project / "stacks" / "Pulumi.dev.yaml").write_text(STACK)
    read = source.read(project, "dev")
    read.file.unlink()
    (located,) = positions.locate([error("scalr-agents:agents.runs", "x")], read)
    assert str(located.position) == "stacks/Pulumi.dev.yaml"
