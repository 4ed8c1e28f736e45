"""Findings as JSON, for programs that read them."""

import json
import re
from pathlib import Path
from typing import Any

from scalr_agents.model.findings import Position, error, warning

from tests.helpers.command_line import REPOSITORY, STACK, TOKEN, cli, stack


def test_findings_are_printed_as_json(project: Path) -> None:
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


def test_annotations_match_the_documentation_of_github(project: Path) -> None:
    page = (REPOSITORY / "docs" / "operations.md").read_text()
    [command] = re.findall(r"^scalr-agents (check prod -o .*)$", page.partition("## Checking in CI")[2].partition("\n## ")[0], re.MULTILINE)
    stack(project, STACK.replace("https", "http").replace("{token: {secure: v1:xyz}}", "{}"))
    annotations = cli(*command.replace("prod", "dev").split(), directory=project).stdout.splitlines()
    token, url = "scalr-agents:secrets.runs.token", "scalr-agents:common.url"
    assert annotations == [
        f"::error file=stacks/Pulumi.dev.yaml,line=4,col=26::{token}: missing; run: pulumi config set --secret --path '{token}'",
        f"::warning file=stacks/Pulumi.dev.yaml,line=2,col=12::{url}: http:// sends the agent's token unencrypted; use https://",
    ]


def test_annotations_escape_their_content() -> None:
    """As the toolkit of GitHub Actions encodes data and properties."""
    found = error(("a", "b\n::add-mask::x"), "100 %: \r\n\u2028", position=Position("a,b:c%.yaml", 3))
    assert found.as_github() == "::error file=a%2Cb%3Ac%25.yaml,line=3::a.b\\n::add-mask::x: 100 %25: \\r\\n\\u2028"
    assert warning("", "x").as_github() == "::warning::x"


def test_json_without_findings(project: Path) -> None:
    stack(project, STACK)
    done = cli("check", "dev", "-o", "json", directory=project)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"findings": [], "errors": 0, "warnings": 0})


def test_json_for_an_unreadable_file(project: Path) -> None:
    stack(project, "config: [\n")
    done = cli("check", "dev", "-o", "json", directory=project)
    [finding] = json.loads(done.stdout)["findings"]
    assert (done.returncode, finding["line"], finding["column"], finding["path"]) == (1, 2, 1, None)
