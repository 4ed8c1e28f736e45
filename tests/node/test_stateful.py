"""agent-local as a StatefulSet on a node: each agent keeps what its runs cached, also when it is gone for a while."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.cluster.client import Client
from tests.helpers.validated import LINES
from tests.node import node
from tests.node.agents import Agent, Run
from tests.node.conftest import Start
from tests.node.machine import Machine
from tests.node.tour import CACHE
from tests.node.world import Step

NAME = "runs-agent-local"
CLASS = "disks"
FILE = f"{CACHE}/made/by-a-run"
[_LINE] = [line for line in LINES if (line.chart, line.generation) == ("agent-local", "current")]


@pytest.fixture(scope="module")
def disks(machine: Machine, cluster: Client) -> Iterator[None]:
    """Two disks of the node, which belong to root, as new ones do."""
    names = [f"{CLASS}-{number}" for number in range(2)]
    place = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node.NAME]}
    for name in names:
        path = f"/var/lib/{name}"
        machine.run("mkdir", "-p", path)
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "90Gi"},
            "local": {"path": path},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [place]}]}},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": CLASS,
        }
        cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec})
    yield
    for name in names:
        cluster.delete("PersistentVolume", name)


@pytest.fixture(scope="module")
def agents(start: Start, disks: None) -> Agent:
    claim = {"storageClassName": CLASS}
    values: dict[str, Any] = {
        "replicaCount": 2,
        "workload": {"kind": "StatefulSet"},
        "persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}},
        "agent": {"shutdownMode": "drain"},
    }
    return start(_LINE, values=values)


def _pods(agents: Agent) -> list[str]:
    return sorted(str(pod["metadata"]["name"]) for pod in agents.pods())


def _claims(agents: Agent) -> Mapping[str, str]:
    found = agents.cluster.list("PersistentVolumeClaim", agents.namespace)
    return {claim["metadata"]["name"]: claim["spec"]["volumeName"] for claim in found if claim["status"]["phase"] == "Bound"}


def _scale(agents: Agent, replicas: int) -> None:
    agents.cluster.patch("StatefulSet", NAME, agents.namespace, {"spec": {"replicas": replicas}})


def _one_each(agents: Agent, *steps: Step) -> dict[str, Run]:
    """A run on each of the two agents at the same time, by the name of its pod: an agent does one after the other."""
    runs = [agents.run(*steps, {"do": "sleep", "seconds": 10}) for _ in range(2)]
    found = {str(run.wait_for("step begun")["pod"]): run for run in runs}
    assert sorted(found) == [f"{NAME}-0", f"{NAME}-1"]
    return found


def test_agents_keep_their_caches_and_finish_their_runs(agents: Agent) -> None:
    first, last = f"{NAME}-0", f"{NAME}-1"
    claims = _claims(agents)
    assert sorted(claims) == [f"cache-dir-{first}", f"cache-dir-{last}"]
    runs = _one_each(agents, {"do": "write", "paths": [FILE]})

    _scale(agents, 1)
    agents.wait_for("stopping", pod=last)
    assert not runs[last].events(event="run ended")
    agents.wait(lambda: _pods(agents) == [first], f"the end of {last}")
    for run in runs.values():
        assert run.wait_for("run ended")["result"] == "succeeded"
        assert run.results()["write"] == {FILE: "ok"}
    assert not agents.events(event="stopping", pod=first)
    assert _claims(agents) == claims

    _scale(agents, 2)
    agents.wait(lambda: len(agents.events(event="started", pod=last)) == 2, f"the return of {last}")
    again = _one_each(agents, {"do": "read", "paths": [FILE]})
    assert {pod: run.results()["read"] for pod, run in again.items()} == {pod: {FILE: pod} for pod in (first, last)}
    assert _claims(agents) == claims
