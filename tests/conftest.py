"""What holds for all tests: how Hypothesis draws, what Python compiles, and a project for stack files."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples every time in CI, new ones on every run elsewhere; a cold or busy machine is no failure.
settings.register_profile("here", max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Tests and the processes that they start find their modules compiled, as where the package is installed; else each compiles all of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What is imported and collected stays until the end: the collector of garbage need not look through all of it again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without stacks."""
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    return tmp_path
