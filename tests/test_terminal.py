"""The command line on a terminal, and in a shell that completes its words."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scalr_agents import printing
from scalr_agents.cli import main

from tests.helpers import command_line
from tests.helpers.command_line import cli, stack

STACK = """\
config:
  scalr-agents:common: {url: "https://acme.scalr.io", agentVerison: "1.4.0"}
  scalr-agents:agents:
    web: {kind: agent-job, namespace: scalr, values: {agent: {replicaCount: x}}}
    data: {kind: agent-local, namespace: scalr, values: {replicaCoutn: 2}}
  scalr-agents:caches: {shared: {claim: {}}}
"""
RED, YELLOW = "\x1b[31merror\x1b[0m", "\x1b[33mwarning\x1b[0m"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    stack(tmp_path, STACK)
    return tmp_path


def on_a_terminal(*args: object, directory: Path, **environment: str) -> str:
    """What a process prints whose streams are a terminal."""
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-m", "scalr_agents", *map(str, args)],
        cwd=directory,
        env={**clean, "TERM": "xterm", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    printed = b""
    while chunk := _read(ours):
        printed += chunk
    os.close(ours)
    process.wait()
    return printed.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # what Linux answers when the other side is closed
        return b""


def plain(text: str) -> str:
    """Without colours, and without the line that shows up where the machine is slow."""
    return re.sub(r"[^\n]*\r\x1b\[K|\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("command", ["check", "render"])
def test_findings_are_coloured_and_grouped(command: str, project: Path) -> None:
    printed = on_a_terminal(command, "dev", directory=project)
    lines = plain(printed).splitlines()
    subjects = [line for line in lines if line in ("common", "web", "data", "cache shared")]
    assert subjects == ["cache shared", "common", "data", "web"]
    assert RED in printed
    below = lines[lines.index("data") + 1 : lines.index("web")]
    assert below
    assert all(line.startswith("  stacks/Pulumi.dev.yaml") and ".data." in line for line in below)


def test_warnings_have_their_own_colour(project: Path) -> None:
    stack(project, command_line.STACK.replace("https", "http"))
    printed = on_a_terminal("check", "dev", directory=project)
    assert YELLOW in printed
    assert RED not in printed


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_gets_plain_text(environment: dict[str, str], project: Path) -> None:
    piped = cli("check", "dev", directory=project)
    assert "\x1b" not in piped.stdout + piped.stderr
    assert on_a_terminal("check", "dev", directory=project, **environment) == piped.stdout + piped.stderr
    assert plain(piped.stdout).splitlines()[0].startswith("stacks/Pulumi.dev.yaml:")


class _Timer:
    """A timer whose time is up at once."""

    def __init__(self, seconds: float, work: Any) -> None:
        assert seconds == 1
        self.start = work

    def cancel(self) -> None: ...

    def join(self) -> None: ...


@pytest.mark.parametrize(("terminal", "shown"), [(True, "reading ...\r\x1b[K"), (False, "")])
def test_long_operations_show_progress(
    terminal: bool, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(printing, "Timer", _Timer)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with printing.progress("reading"):
        pass
    assert capsys.readouterr().err == shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (61, "1m1s"), (3600, "1h"), (3661, "1h1m"), (86399, "23h59m"), (86400, "1d"), (90061, "1d1h")],
)
def test_a_duration_has_its_largest_unit_and_the_next(seconds: int, text: str) -> None:
    assert printing.age(seconds) == text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_of_each_shell(shell: str) -> None:
    done = CliRunner().invoke(main, [], env={"_SCALR_AGENTS_COMPLETE": f"{shell}_source"}, prog_name="scalr-agents")
    assert (done.exit_code, "_SCALR_AGENTS_COMPLETE=" in done.stdout) == (0, True)


def test_commands_and_stacks_are_completed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)

    def completed(*words: str) -> list[str]:
        environment = {
            "_SCALR_AGENTS_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["scalr-agents", *words]),
            "COMP_CWORD": str(len(words)),
        }
        done = CliRunner().invoke(main, [], env=environment, prog_name="scalr-agents", catch_exceptions=False)
        return [word for line in done.stdout.splitlines() if (word := line.partition(",")[2])]

    stack(project, STACK, "prod")
    assert completed("adop") == ["adopt"]
    assert completed("render", "") == ["dev", "prod"]
    assert completed("check", "p") == ["prod"]
    (project / "Pulumi.yaml").write_text("a: [")
    assert completed("check", "") == []
