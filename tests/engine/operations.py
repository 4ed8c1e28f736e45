"""Operations of the engine, each in a process of its own, as those of users are.

A program outlives its engine where that fails or is killed, for a moment. In the process of the tests its threads would report this to
the next engine, which fails then.
"""

import multiprocessing
import os
import signal
import warnings
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from unittest.mock import patch

from pulumi import automation

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(
    ["pytest", "tests.engine.operations", "tests.engine.stacks", "pulumi_aws.ec2", "pulumi_aws.efs", "pulumi_gcp.filestore"]
)
_SUMMARY = automation.UpdateSummary("update", datetime.now(UTC), "", {}, {}, "succeeded")


class Done(NamedTuple):
    """The CLI's output of an operation."""

    failed: bool
    lines: list[str]
    """On stdout and stderr."""
    events: list[automation.EngineEvent]


class Operation:
    """An operation that is going on, `up` for instance, on a stack of a workspace. It is killed if its block ends first."""

    def __init__(self, stack: str, workspace: dict[str, Any], operation: str, **options: Any) -> None:
        self._answer, theirs = _PROCESSES.Pipe(duplex=False)
        self._process = _PROCESSES.Process(target=_operate, args=(theirs, stack, workspace, partial(_call, operation, options)))
        self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.kill()
        self._answer.close()

    def result(self) -> Done:
        """The outcome, after its end."""
        try:
            done: Done = self._answer.recv()
        except EOFError:
            self._process.join()
            raise AssertionError(f"the program's process ended with {self._process.exitcode}") from None
        self._process.join()
        return done

    def has_ended(self) -> bool:
        return self._answer.poll()

    def kill(self) -> bool:
        """Kill the CLI, the program and their plugins, which would continue otherwise. Returns whether any process was left."""
        was_alive = self._process.is_alive()
        if was_alive and self._process.pid:
            os.killpg(self._process.pid, signal.SIGKILL)
            while left := _session(self._process.pid):
                for process in left:
                    with suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
        self._process.join()
        return was_alive


def _session(leader: int) -> list[int]:
    """The processes of a session that still run, without its leader. Plugins have process groups of their own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # after the name, which may contain anything: state, parent, process group, session
            state, _, _, session, *_ = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(session) == leader and state != "Z" and entry.parent.name != str(leader):
                found.append(int(entry.parent.name))
    return found


def _call(operation: str, options: dict[str, Any], stack: automation.Stack, done: Done) -> None:
    getattr(stack, operation)(
        on_output=done.lines.append, on_error=done.lines.append, on_event=done.events.append, color="never", **options
    )


def _operate(answer: Connection, name: str, workspace: dict[str, Any], call: "partial[None]") -> None:
    os.setsid()
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", r".* has been deprecated in favor of", DeprecationWarning)  # from the clouds' SDKs' own imports
    done = Done(failed=False, lines=[], events=[])
    with (
        # What the Automation API asks after an operation takes longer than that, and tests read the state.
        patch.object(automation.Stack, "outputs", lambda stack: {}),
        patch.object(automation.Stack, "info", lambda stack, show_secrets: _SUMMARY),
    ):
        try:
            call(automation.Stack.select(name, automation.LocalWorkspace(**workspace)), done)
        except automation.CommandError:
            done = done._replace(failed=True)
    answer.send(done)
