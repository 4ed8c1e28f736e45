"""Everything that a change must pass, in two lanes side by side: `.ci/run`, on a machine with Python 3.11, make and Go.

A lane that is free takes the next step. The first failure ends both lanes, and prints the whole log of its step. At the end there is a
table: for each step the seconds of wall and of processor, its tests, and why some were skipped.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[1]
LOGS = REPOSITORY / "build" / "ci"
CASES = [directory for name in ("", "published", "middle") if (directory := REPOSITORY.parent / "shared" / "parity" / name).is_dir()]
"""Where what Helm's charts render is at hand: the comparison with it, and taking all of it over."""
_SECONDS_TO_STOP = 20
_SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] \S+?(?::\d+)?: (.*)$", re.MULTILINE)


class Step(NamedTuple):
    """A command, and the steps that must have passed before it."""

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()


def _make(target: str, *needs: str) -> Step:
    return Step(target, ("make", target), needs)


def _with_charts() -> Iterator[Step]:
    if CASES:
        files = [str(file) for directory in CASES for file in sorted(directory.glob("*.json"))]
        yield Step("parity", (".venv/bin/python", str(CASES[0] / "compare.py"), *files), (".venv/.docs",))
        adoption = [f"tests/migration/test_adopt{name}.py" for name in ("", "_changes", "_defaults")]
        cases = f"SCALR_AGENTS_CHART_CASES={os.pathsep.join(map(str, CASES))}"
        yield Step("adoption", ("env", cases, ".venv/bin/python", "-m", "pytest", *adoption), (".venv/.docs",))


STEPS = (
    _make(".venv/.docs"),
    _make("control-plane"),
    _make("check", ".venv/.docs"),
    _make("test", ".venv/.docs"),
    _make("docs", ".venv/.docs"),
    *_with_charts(),
    _make("clouds", "control-plane"),  # one build after another: linking takes gigabytes of memory
    _make("node", "clouds"),
    _make("debian-packages"),
    _make("kubernetes-plugin", ".venv/.docs", "control-plane"),
    _make("test-clouds", ".venv/.docs", "clouds"),
    _make("test-node", ".venv/.docs", "node", "debian-packages"),
    _make("test-cluster", "kubernetes-plugin"),
    _make("test-engine", "kubernetes-plugin"),
    _make("test-package", ".venv/.docs"),
    _make("test-languages", "kubernetes-plugin"),
    _make("test-machines", ".venv/.docs", "control-plane", "debian-packages"),
)
"""What is built and what tells most at once comes first, then what takes long: what mostly waits beside what computes. Steps share no
directory, port or cache: tests take free ports and new directories."""
LANES = 2


class Result(NamedTuple):
    """How a step ended."""

    step: Step
    status: int
    wall: float
    processor: float
    log: str


class Run:
    """A run of all steps, in lanes."""

    def __init__(self) -> None:
        self.results: list[Result] = []
        self._waiting = list(STEPS)
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False
        self._changed = threading.Condition()

    def lane(self) -> None:
        """One step after another, until none is left or one has failed."""
        while step := self._next():
            result = self._step(step)
            with self._changed:
                if self._stopped:
                    return
                self.results.append(result)
                self._changed.notify_all()
            print(f"{time.strftime('%H:%M:%S')} {step.name}: {'failed' if result.status else 'passed'} in {result.wall:.0f} s", flush=True)
            if result.status:
                print(result.log, flush=True)
                self.stop()

    def _next(self) -> Step | None:
        """The first step that has not begun and has all that it needs, as soon as there is one."""
        with self._changed:
            while self._waiting and not self._stopped:
                ended = {result.step.name for result in self.results}
                for step in self._waiting:
                    if ended.issuperset(step.needs):
                        self._waiting.remove(step)
                        return step
                self._changed.wait()
        return None

    def _step(self, step: Step) -> Result:
        path = LOGS / f"{step.name.replace('/', '_')}.log"
        # The same generated examples every time, and no test is skipped that could run.
        environment = {**os.environ, "CI": "true", "PYTEST_ADDOPTS": "-rs"}
        started = time.monotonic()
        with path.open("wb") as log, self._changed:
            process = subprocess.Popen(
                step.command, cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
            self._running.add(process)
        _, status, usage = os.wait4(process.pid, 0)
        with self._changed:
            self._running.discard(process)
        wall = time.monotonic() - started
        return Result(step, status, wall, usage.ru_utime + usage.ru_stime, path.read_text(encoding="utf-8", errors="replace"))

    def stop(self) -> None:
        """End what still runs."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self._changed:
                for process in self._running:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
            deadline = time.monotonic() + _SECONDS_TO_STOP
            while self._running and time.monotonic() < deadline:
                time.sleep(0.2)


def table(results: list[Result]) -> str:
    """What each step took, its tests, and why some of them were skipped."""
    lines = [f"{'step':<20}{'wall':>8}{'processor':>11}{'tests':>8}{'skipped':>9}"]
    reasons = Counter[str]()
    for result in results:
        passed, skipped = (sum(map(int, re.findall(rf"(\d+) {word}", result.log))) for word in ("passed", "skipped"))
        lines.append(f"{result.step.name:<20}{result.wall:>6.0f} s{result.processor:>9.0f} s{passed or '':>8}{skipped or '':>9}")
        for count, reason in _SKIPPED.findall(result.log):
            reasons[f"{result.step.name}: {reason}"] += int(count)
    return "\n".join([*lines, "", *(f"{count} skipped in {reason}" for reason, count in reasons.items())])


def main() -> None:
    """Run all steps; exit 1 if one failed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    run, started = Run(), time.monotonic()
    threads = [threading.Thread(target=run.lane) for _ in range(LANES)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        run.stop()
        raise
    print(f"\n{table(run.results)}\n{(time.monotonic() - started) / 60:.0f} minutes")
    sys.exit(any(result.status for result in run.results))


if __name__ == "__main__":
    main()
