"""Waiting for programs until they respond, and errors if they do not."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import processes
from tests.cluster.late import start_late
from tests.cluster.processes import Processes
from tests.cluster.simulated import SimulatedCluster


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.stop()


@pytest.mark.parametrize("name", ["etcd", "kube-apiserver", "kube-controller-manager", "kwok"])
def test_a_cluster_tolerates_slow_programs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_late(monkeypatch, name)
    with SimulatedCluster(tmp_path) as cluster, cluster.client() as client:
        assert cluster.is_working(client)


def test_an_unresponsive_program_is_reported_with_its_log(running: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "READY_SECONDS", 1)
    with pytest.raises(RuntimeError, match=re.escape("silent: not there after 1 s; the end of the logs:\nsilent:\nfirst\nlast")):
        running.start("silent", ["sh", "-c", "echo first; echo last >&2; exec sleep 60"], until=lambda: False)


def test_an_exited_program_is_reported_with_its_log(running: Processes) -> None:
    with pytest.raises(RuntimeError, match=re.escape("broken ended with 3:\nno such socket")):
        running.start("broken", ["sh", "-c", "echo no such socket; exit 3"], until=lambda: False)
