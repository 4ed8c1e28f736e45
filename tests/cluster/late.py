"""Programs that start late, so that others must wait for them."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.cluster.processes import Processes

_SECONDS = 10


def start_late(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make a program sleep before it does anything."""
    start = Processes.start

    def later(processes: Processes, started: str, command: Sequence[str], **options: Any) -> int:
        slept = ["/bin/sh", "-c", f'sleep {_SECONDS}; exec "$@"', "sh", *command]
        return start(processes, started, slept if started == name else command, **options)

    monkeypatch.setattr(Processes, "start", later)
