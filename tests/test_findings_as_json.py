"""Findings as JSON, for programs that read them."""

import json
import re
from pathlib import Path
from typing import Any

import jq

from tests.command_line import REPOSITORY, STACK, TOKEN, cli, stack


def test_findings_as_json(project: Path) -> None:
    wrong = STACK.replace("https", "http").replace("{token: {secure: v1:xyz}}", "{}")
    stack(project, wrong.replace("values: {", f"values: {{agent: {{token: {TOKEN}}}, "))
    done = cli("check", "dev", "-o", "json", directory=project)
    assert (done.returncode, done.stderr) == (1, "dev: 2 errors, 1 warning\n")
    token, command = "agents.runs.values.agent.token", "pulumi config set --secret --path 'scalr-agents:secrets.runs.token'"

    def found(severity: str, line: int, column: int, path: str, message: str) -> dict[str, Any]:
        where = {"file": "stacks/Pulumi.dev.yaml", "line": line, "column": column, "path": path}
        return {"severity": severity, **where, "message": message}

    assert json.loads(done.stdout) == {
        "findings": [
            found("error", 3, 84, f"scalr-agents:{token}", f"a token in plain text; remove it and run: {command}"),
            found("error", 4, 26, "scalr-agents:secrets.runs.token", f"missing; run: {command}"),
            found("warning", 2, 12, "scalr-agents:common.url", "http:// sends the agent's token unencrypted; use https://"),
        ],
        "errors": 2,
        "warnings": 1,
    }
    assert TOKEN not in done.stdout


def test_the_annotations_of_the_documentation(project: Path) -> None:
    page = (REPOSITORY / "docs" / "operations.md").read_text()
    [program] = re.findall(r"jq -r '(.*)'$", page.partition("## Checking in CI")[2].partition("\n## ")[0], re.MULTILINE)
    stack(project, STACK.replace("https", "http").replace("{token: {secure: v1:xyz}}", "{}"))
    annotations = jq.compile(program).input_text(cli("check", "dev", "-o", "json", directory=project).stdout).all()
    assert [annotation.rpartition("::")[0] for annotation in annotations] == [
        "::error file=stacks/Pulumi.dev.yaml,line=4,col=26",
        "::warning file=stacks/Pulumi.dev.yaml,line=2,col=12",
    ]


def test_nothing_to_say_as_json(project: Path) -> None:
    stack(project, STACK)
    done = cli("check", "dev", "-o", "json", directory=project)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"findings": [], "errors": 0, "warnings": 0})


def test_a_broken_file_as_json(project: Path) -> None:
    stack(project, "config: [\n")
    done = cli("check", "dev", "-o", "json", directory=project)
    [finding] = json.loads(done.stdout)["findings"]
    assert (done.returncode, finding["line"], finding["column"], finding["path"]) == (1, 2, 1, None)
