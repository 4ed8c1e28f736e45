"""A machine whose Docker daemon and clouds start late works."""

from pathlib import Path

import pytest

from tests.cluster.late import start_late
from tests.machines_for_real import machine


@pytest.mark.parametrize("name", ["space", "cloud", "dockerd"])
def test_a_machine_tolerates_slow_programs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := machine.missing():
        machine.without(reason)
    start_late(monkeypatch, name)
    with machine.running(tmp_path) as host:
        assert "scalr/agent" in host.output("docker", "images")
