"""Commands and stacks to start from, as the documents show them: they exist, and give the warnings that the page names."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from scalr_agents.cli import main

from tests.helpers.command_line import REPOSITORY, cli

FOLDERS = [REPOSITORY / name for name in ("docs", "examples")]
PAGES = sorted([*REPOSITORY.glob("*.md"), *(page for folder in FOLDERS for page in folder.rglob("*.md") if "venv" not in page.parts)])


def _stack_files(page: Path) -> dict[str, str]:
    """The stack files that a page shows as a whole, by the name of the stack."""
    return dict(re.findall(r"^```yaml\n# stacks/Pulumi\.([\w-]+)\.yaml\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL))


def _commands(page: Path) -> list[list[str]]:
    """The calls of scalr-agents in the scripts of a page, without what follows a redirection or a pipe. It is a plugin's name too."""
    scripts = re.findall(r"^ *```sh\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL)
    calls = re.findall(r"(?:^|(?<!resource)[ (/])scalr-agents +([a-z][^#|<>)\n]*)", "".join(scripts).replace("\\\n", " "), re.MULTILINE)
    return [shlex.split(call) for call in calls]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_commands_in_scripts_exist(page: Path) -> None:
    for name, *arguments in _commands(page):
        options = {option for parameter in main.commands[name].params for option in parameter.opts}
        assert [argument for argument in arguments if re.match("--?[a-z]", argument) and argument not in options] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_machines_in_scripts_exist(page: Path) -> None:
    samples = {file.name.split(".")[1]: file.read_text() for file in (REPOSITORY / "stacks").glob("Pulumi.*.yaml")}
    stacks = samples | _stack_files(page)
    named = [arguments[:2] for name, *arguments in _commands(page) if name == "machine"]
    assert [name for name, stack in named if name not in yaml.safe_load(stacks[stack])["config"]["scalr-agents:machines"]] == []


@pytest.mark.parametrize(("page", "warned"), [("README.md", []), ("docs/choosing.md", ["scalr-agents:agents.data.values.securityContext"])])
def test_starter_stacks_have_only_the_documented_warnings(tmp_path: Path, page: str, warned: list[str]) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\n")
    shutil.copytree(REPOSITORY / "stacks" / "certs", tmp_path / "certs")
    ((name, content),) = _stack_files(REPOSITORY / page).items()
    (tmp_path / f"Pulumi.{name}.yaml").write_text(content)
    found = json.loads(cli("check", name, "--output", "json", directory=tmp_path).stdout)["findings"]
    assert [finding["path"] for finding in found if finding["severity"] == "warning"] == warned
    missing = [finding["path"] for finding in found if finding["severity"] == "error"]
    assert missing == [f"scalr-agents:secrets.{agent}.token" for agent in yaml.safe_load(content)["config"]["scalr-agents:agents"]]


@pytest.mark.parametrize("page", [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))], ids=lambda page: page.name)
def test_starter_stacks_set_the_version(page: Path) -> None:
    """A stack that is copied has no warning about its version, and stays what it is when the defaults change."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    stacks = [block for block in blocks if "config:" in block and "kind: agent-" in block]
    assert [block for block in stacks if "agentVersion" not in block] == []
