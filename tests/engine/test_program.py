"""The deployable program, as users run it: by the language host, in a process that the engine interrupts when a resource fails."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.engine.stacks import REPOSITORY, Deployment
from tests.helpers.provider_errors import REASONS

_PROGRAM = REPOSITORY / "__main__.py"
_HOST = "pulumi-language-python"
_INTERRUPTED = f"""\
import os, runpy, signal
import scalr_agents.resources.deploy as module
module.deploy = lambda project: os.kill(os.getpid(), signal.SIGINT)
runpy.run_path({str(_PROGRAM)!r})
"""


@pytest.fixture
def stack(fresh: Callable[[str], Deployment]) -> Deployment:
    """A clone of the repository with a virtual environment, where the language host is installed."""
    host = shutil.which(_HOST)
    if host is None or shutil.which(f"{_HOST}-exec") is None:
        pytest.skip(f"{_HOST} and {_HOST}-exec are not on PATH: they come with the Pulumi CLI")
    made = fresh("local")
    shutil.copy(_PROGRAM, made.project)
    (made.project / ".venv").symlink_to(sys.prefix)
    made.set_secrets({"runs.token": "token-of-runs"})
    return made


def test_an_interrupt_ends_the_program_without_a_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_failed_rollout_shows_advice_and_reason_and_no_traceback(stack: Deployment) -> None:
    stack.cluster.unready = {"Deployment/runs-agent-job": REASONS["exit"]}
    failed = stack.cli("up", "--yes", "--skip-preview")
    printed = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert "The controllers of 'runs' did not become ready. A container starts and exits" in printed
    assert "[CrashLoopBackOff]" in printed
    assert "Traceback" not in printed
    assert "KeyboardInterrupt" not in printed
    stack.cluster.unready = {}
    repaired = stack.cli("up", "--yes", "--skip-preview")
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
