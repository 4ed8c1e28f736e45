"""Measurements of the tests, printed at their end. No test depends on it."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from statistics import median
from typing import Any

from tests.cluster.client import Manifest


class Figures:
    """Seconds that something took, each time."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.counts: defaultdict[str, int] = defaultdict(int)

    @contextmanager
    def measured(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[what].append(time.monotonic() - began)

    def pods(self, pods: list[Manifest]) -> None:
        """Note how long pods took from their creation until all of their containers ran."""
        for pod in pods:
            started = [
                _time(state["startedAt"]) for state in map(_state, pod["status"].get("containerStatuses", ())) if "startedAt" in state
            ]
            if started:
                self.seconds["pod from its creation until its containers run"].append(
                    max(started) - _time(pod["metadata"]["creationTimestamp"])
                )

    def lines(self) -> Iterator[str]:
        for what, seconds in self.seconds.items():
            times = f", {len(seconds)} times, longest {max(seconds):.0f} s" if len(seconds) > 1 else ""
            yield f"{what}: {median(seconds):.0f} s{times}"
        for what, number in self.counts.items():
            yield f"{what}: {number}"


def _state(container: Manifest) -> Any:
    [state] = container["state"].values()
    return state


def _time(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
