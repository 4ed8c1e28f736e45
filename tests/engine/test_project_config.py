"""What projects share with their stacks, as the engine itself reads it: the table is that of our own reader."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from pulumi import automation

from tests.stack.project_configs import ACCEPTED, CIPHERTEXT, FOREIGN, OWN, REFUSED, Accepted, Refused

_PROGRAM = "no language plugin 'pulumi-language-none'"
"""The engine has accepted the configuration when it looks for something to run the program with."""


class Stack:
    """A stack whose files are replaced from case to case."""

    def __init__(self, directory: Path, command: str) -> None:
        self.directory = directory
        self._command = command
        (directory / "backend").mkdir()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")},
            "PULUMI_HOME": str(directory / "home"),
            "PULUMI_BACKEND_URL": (directory / "backend").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "correct horse",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }
        for name in (OWN, FOREIGN):
            self._project(name, "{}")
            self._file.write_text("")
            assert self.run("stack", "init", "dev").returncode == 0
        assert self.run("config", "set", "--secret", "aws:a", "s3cr3t").returncode == 0
        lines = self._file.read_text().splitlines()
        self._salt = next(line for line in lines if line.startswith("encryptionsalt:"))
        self._ciphertext = next(line for line in lines if "secure:" in line).partition("secure:")[2].strip()

    @property
    def _file(self) -> Path:
        return self.directory / "Pulumi.dev.yaml"

    def _project(self, name: str, config: str) -> None:
        (self.directory / "Pulumi.yaml").write_text(f"name: {name}\nruntime: none\nconfig: {config}\n")

    def become(self, case: Accepted | Refused) -> None:
        self._project(case.name, case.project.replace(CIPHERTEXT, self._ciphertext))
        self._file.write_text(f"{self._salt}\nconfig: {case.stack.replace(CIPHERTEXT, self._ciphertext)}\n")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [self._command, "--non-interactive", "--stack=dev", *words] if words[0] != "stack" else [self._command, *words]
        return subprocess.run(command, cwd=self.directory, env=self._environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def stack(command: automation.PulumiCommand, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    return Stack(tmp_path_factory.mktemp("shared"), command.command)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: f"{case.project} {case.stack}")
def test_the_engine_accepts_what_we_accept(stack: Stack, case: Accepted) -> None:
    stack.become(case)
    listed = stack.run("config", "--json", "--show-secrets")
    read = {key.removeprefix("scalr-agents:"): value for key, value in json.loads(listed.stdout).items() if key.startswith("scalr-agents:")}
    assert {name: value.get("objectValue", value["value"]) for name, value in read.items()} == case.config
    assert _PROGRAM in stack.run("preview").stderr


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case.project} {case.stack}")
def test_the_engine_refuses_what_we_refuse(stack: Stack, case: Refused) -> None:
    stack.become(case)
    done = stack.run("preview")
    assert done.returncode != 0
    assert _PROGRAM not in done.stdout + done.stderr
