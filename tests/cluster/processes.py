"""Programs that run until they are stopped, and end with the process that started them."""

import os
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cluster.client import wait
from tests.tools import binary

READY_SECONDS = 90
_LAUNCHER = Path(__file__).with_name("launcher.py")
_OUTSIDE = 0
"""The parent's process id that a process sees if its parent is in another PID namespace."""
_LAST_LINES = 20
_STOP_SECONDS = 30
_CONNECT = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)"


class Running(ABC):
    """Something that runs until its context ends."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    @abstractmethod
    def stop(self) -> None: ...


class Processes:
    """Running programs, each with a log in one directory.

    Start them from a thread that lives as long: Linux ends the programs with the thread that started them.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def run(
        self,
        name: str,
        *arguments: str,
        within: Sequence[str] = (),
        pass_fds: Sequence[int] = (),
        until: Callable[[], object] | None = None,
    ) -> None:
        """Start a program that `tests.tools` has built; `within` is a command that runs others, in namespaces of their own.

        Returns when `until` is true, so that whatever needs the program can be started next.
        """
        self.start(name, [str(binary(name)), *arguments], within=within, pass_fds=pass_fds, until=until)

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        within: Sequence[str] = (),
        pass_fds: Sequence[int] = (),
        until: Callable[[], object] | None = None,
    ) -> int:
        """Start any command in the same way. Returns its process id."""
        inside = [*within, *_ending_with(_OUTSIDE), *command] if within else command
        with self.log(name).open("ab") as log:
            # A session of its own: an interrupt at the terminal is for the tests, which then stop everything.
            process = self._running[name] = subprocess.Popen(
                [*_ending_with(os.getpid()), *inside],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=pass_fds,
            )
        if until:
            self.wait(until, name, name)
        return process.pid

    def wait(self, condition: Callable[[], object], what: str, *names: str) -> None:
        """Wait until a condition is true. Raises `RuntimeError` with the end of the logs if a program ends, or if it takes too long.

        `names` are the programs whose logs tell why it takes so long; without any, all.
        """

        def met() -> object:
            self._demand_alive()
            return condition()

        try:
            wait(met, what)
        except TimeoutError as problem:
            logs = "\n".join(f"{name}:\n{self._end_of_log(name)}" for name in names or self._running)
            raise RuntimeError(f"{problem}; the end of the logs:\n{logs}") from None

    def log(self, name: str) -> Path:
        return self._directory / f"{name}.log"

    def pids(self) -> list[int]:
        return [process.pid for process in self._running.values()]

    def kill(self, name: str) -> None:
        """Kill a program."""
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def end(self, name: str) -> None:
        """Ask a program to end, and wait until it has."""
        self._running[name].terminate()
        self._running.pop(name).wait(_STOP_SECONDS)

    def stop(self) -> None:
        """End all programs at once, the last one first. Their logs stay."""
        for name in reversed([*self._running]):
            self.kill(name)

    def _demand_alive(self) -> None:
        """Raise a `RuntimeError` if a program has ended, with the end of its log."""
        for name, process in self._running.items():
            if process.poll() is not None:
                raise RuntimeError(f"{name} ended with {process.returncode}:\n{self._end_of_log(name)}")

    def _end_of_log(self, name: str) -> str:
        return "\n".join(self.log(name).read_text(errors="replace").splitlines()[-_LAST_LINES:])


def accepts(address: int | Path, within: Sequence[str] = ()) -> bool:
    """Whether a process accepts connections at a port of loopback, in the namespaces of `within`, or at a socket's path."""
    if isinstance(address, Path):
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(address)) == 0
    if within:
        command = [*within, sys.executable, "-I", "-S", "-c", _CONNECT, str(address)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", address)) == 0


def _ending_with(parent: int) -> list[str]:
    """What makes a program end with its parent."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), str(parent)]
