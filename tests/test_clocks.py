"""No test of `make test` uses a clock, because a busy machine is slow and that must not be a failure."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SLOWER = {HERE / "clouds", HERE / "cluster", HERE / "engine", HERE / "node"}
"""These wait for other programs, which may never answer."""
TESTS = sorted(file for file in HERE.rglob("*.py") if SLOWER.isdisjoint(file.parents) and file.name not in ("bench.py", "build.py"))
CLOCKS = {"time", "sched", "signal", "timeit"}


def clocks(source: str) -> Iterator[str]:
    """Modules for time, and calls with a timeout."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in CLOCKS)
        elif isinstance(node, ast.ImportFrom) and node.module in CLOCKS:
            yield node.module
        elif isinstance(node, ast.Call):
            yield from (word.arg for word in node.keywords if word.arg in ("timeout", "deadline") and ast.unparse(word.value) != "None")


@pytest.mark.parametrize("file", TESTS, ids=lambda file: str(file.relative_to(HERE)))
def test_no_test_uses_a_clock(file: Path) -> None:
    assert list(clocks(file.read_text(encoding="utf-8"))) == []


def test_uses_of_clocks_are_detected() -> None:
    program = "import time\nfrom signal import alarm\nsubprocess.run([], timeout=60)\nsettings(deadline=None)\nsettings(deadline=200)\n"
    assert sorted(clocks(program)) == ["deadline", "signal", "time", "timeout"]
