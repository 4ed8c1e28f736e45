"""Programs that run until they are stopped, and end with the process that started them."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.tools import binary

_LAUNCHER = Path(__file__).with_name("launcher.py")
_OUTSIDE = 0
"""What a process is told of a parent that is in another namespace of processes."""
_LAST_LINES = 20


class Processes:
    """Running programs, each with a log in one directory.

    Start them from a thread that lives as long: Linux ends the programs with the thread that started them.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, name: str, *arguments: str, within: Sequence[str] = (), pass_fds: Sequence[int] = ()) -> None:
        """Start a program that `tests.tools` has built; `within` is a command that runs others, in namespaces of their own."""
        command = [str(binary(name)), *arguments]
        if within:
            command = [*within, *_ending_with(_OUTSIDE), *command]
        with self.log(name).open("ab") as log:
            # A session of its own: an interrupt at the terminal is for the tests, which then stop everything.
            self._running[name] = subprocess.Popen(
                [*_ending_with(os.getpid()), *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=pass_fds,
            )

    def log(self, name: str) -> Path:
        return self._directory / f"{name}.log"

    def pids(self) -> list[int]:
        return [process.pid for process in self._running.values()]

    def kill(self, name: str) -> None:
        """End a program at once, in the middle of whatever it does."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End all programs at once, the last one first. Their logs stay."""
        for name in reversed([*self._running]):
            self.kill(name)

    def demand_alive(self) -> None:
        """Raise a `RuntimeError` if a program has ended, with the last it has said."""
        for name, process in self._running.items():
            if process.poll() is not None:
                last = "\n".join(self.log(name).read_text(errors="replace").splitlines()[-_LAST_LINES:])
                raise RuntimeError(f"{name} ended with {process.returncode}:\n{last}")


def _ending_with(parent: int) -> list[str]:
    """What makes a program end with its parent."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), str(parent)]
