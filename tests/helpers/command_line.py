"""The command line, and the stack files that tests give it."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner
from scalr_agents.cli import main

REPOSITORY = Path(__file__).parents[2]
TOKEN = "s3cr3t-token"
DEADLINE = "task.job.activeDeadlineSeconds"
"""The warning of every agent-job without a deadline."""
STACK = """\
config:
  common: {url: "https://acme.scalr.io", agentVersion: 0.57.0}
  scalr-agents:agents: {runs: {kind: agent-job, namespace: scalr, values: {task: {job: {activeDeadlineSeconds: 14400}}}}}
  scalr-agents:secrets: {runs: {token: {secure: v1:xyz}}}
"""

Done = subprocess.CompletedProcess[str]


def cli(*args: object, directory: Path = REPOSITORY, stdin: str = "") -> Done:
    """Run a command in this process, which is ten times as fast as a new one. An unexpected exception fails the test."""
    words = [str(arg) for arg in args]
    with contextlib.chdir(directory), _stdin(stdin):
        done = CliRunner().invoke(main, words, prog_name="scalr-agents", catch_exceptions=False)
    return Done(words, done.exit_code, done.stdout, done.stderr)


@contextlib.contextmanager
def _stdin(text: str) -> Iterator[None]:
    """Commands open /dev/stdin, so it is the descriptor that has to be another one."""
    before = os.dup(0)
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


def process(*args: object, directory: Path = REPOSITORY, stdin: str = "") -> Done:
    """Run a command as users do: a process with arguments, two streams and an exit code."""
    command = [sys.executable, "-m", "scalr_agents", *map(str, args)]
    return subprocess.run(command, cwd=directory, input=stdin, capture_output=True, text=True, check=False)


def stack(project: Path, content: str, name: str = "dev") -> None:
    """Write the file of a stack into a project."""
    (project / "stacks" / f"Pulumi.{name}.yaml").write_text(content)
