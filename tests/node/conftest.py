"""One node for tests of a run, and the agents that are on it from the start."""

import itertools
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import pytest
from scalr_agents.model.maps import Values
from scalr_agents.model.release import Line

from tests.cluster.agents import line_id
from tests.cluster.client import Client, wait
from tests.helpers.validated import LINES
from tests.node import network, probes
from tests.node.agents import Agent, at_once, deploy, wait_until_ready
from tests.node.machine import Machine, MachineError, left_behind, missing
from tests.node.node import NodeCluster
from tests.node.tour import Tour, tour as take_tour
from tests.node.world import World
from tests.tools import NotBuiltError, binary


class Start(Protocol):
    """Deploys an agent in a namespace of its own."""

    def __call__(self, line: Line, *, values: Values | None = None) -> Agent: ...


LongRuns = Mapping[tuple[str, str], Future[Mapping[str, Any]]]
"""Results of runs that take more than a minute, by case and line."""

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    if reason := missing():
        pytest.skip(reason)
    try:
        made = _connected(tmp_path_factory.mktemp("machine"))
    except MachineError as problem:
        pytest.skip(f"no node can be made here: {problem}")
    with made:
        namespace = made.namespace
        yield made
    wait(lambda: not left_behind(made.cgroup, namespace), "the end of the machine")


def _connected(directory: Path) -> Machine:
    """A machine with its networks, in which a container has run."""
    made = Machine(directory)
    try:
        network.connect(made)
        made.run_container(directory / "first", binary("stub-agent"))
    except BaseException:
        made.stop()
        raise
    return made


@pytest.fixture(scope="session")
def world(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    try:
        running = World(machine, tmp_path_factory.mktemp("world"))
    except NotBuiltError as problem:
        pytest.fail(str(problem), pytrace=False)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def node(machine: Machine, world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCluster]:
    with NodeCluster(tmp_path_factory.mktemp("node"), machine, world) as running:
        yield running


@pytest.fixture(scope="session")
def cluster(node: NodeCluster) -> Iterator[Client]:
    """The client of an administrator."""
    with node.client() as administrator:
        yield administrator


@pytest.fixture(scope="session")
def start(cluster: Client, world: World) -> Start:
    """Agents for tests."""

    def started(line: Line, *, values: Values | None = None) -> Agent:
        namespace = f"{line_id(line)}-{next(_numbers)}"
        level = "privileged" if line.chart == "agent-k8s" else "restricted"
        labels = {"pod-security.kubernetes.io/enforce": level}
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}})
        agent = deploy(cluster, world, line, namespace, values=values)
        wait_until_ready(agent)
        return agent

    return started


@pytest.fixture(scope="session")
def everyone(start: Start) -> dict[str, Agent]:
    """An agent of each line, by its id. They start at the same time."""
    return {line_id(agent.line): agent for agent in at_once(start, LINES)}


@pytest.fixture(scope="session")
def long_runs(everyone: dict[str, Agent]) -> Iterator[LongRuns]:
    watched = {(what, line.generation): everyone[line_id(line)] for what in probes.RUNS for line in LINES if line.chart == "agent-job"}
    threads = ThreadPoolExecutor(len(watched))
    yield {key: threads.submit(probes.watch, agent, key[0]) for key, agent in watched.items()}
    threads.shutdown(wait=False)  # they end when the API server does


@pytest.fixture(scope="session")
def tours(everyone: dict[str, Agent], long_runs: LongRuns) -> Mapping[str, Tour]:
    """A tour with each of them, by its id."""
    return dict(zip(everyone, at_once(take_tour, everyone.values()), strict=True))


@pytest.fixture(params=LINES, ids=line_id)
def tour(request: pytest.FixtureRequest, tours: Mapping[str, Tour]) -> Tour:
    """Each of them."""
    return tours[line_id(request.param)]
