"""Agents of all kinds and lines start with the permissions and volumes of their objects, and execute runs."""

from collections.abc import Mapping

import pytest

from tests.cluster.client import Client
from tests.node.agents import AGENT_K8S_HOME, Agent
from tests.node.conftest import LongRuns
from tests.node.tour import CACHE, CACHED, DATA, LOOP, RUN_WRITES, WORKER_WRITES, Tour

READ_ONLY = "read-only file system"
DENIED = "permission denied"
NO_RIGHTS = {
    "Uid": "1000 1000 1000 1000",
    "Gid": "1000 1000 1000 1000",
    "Groups": "1000",
    "CapEff": "0000000000000000",
    "CapBnd": "0000000000000000",
    "NoNewPrivs": "1",
    "Seccomp": "2",
}
"""The effects of PodSecurity `restricted` on a process, as the kernel reports them."""
GENERATIONS = ("legacy", "current")


def test_agents_and_runs_run_restricted(tour: Tour) -> None:
    ran = tour.results["identity"]
    found = {event["container"]: event["result"] for event in tour.agent.events(event="started")}
    if tour.agent.line.chart == "agent-k8s":
        assert {name: each["CapEff"] for name, each in found.items()} == dict.fromkeys(("controller", "worker"), NO_RIGHTS["CapEff"])
    elif tour.agent.line.chart == "agent-local":
        assert found == {"local": {**NO_RIGHTS, "root": DENIED}}
        assert ran == found["local"]
    else:
        assert found["controller"] == found["worker"] == {**NO_RIGHTS, "root": DENIED}
        assert ran == {**NO_RIGHTS, "root": READ_ONLY}


def test_runs_and_workers_write_only_to_their_directories(tour: Tour) -> None:
    paths = [*RUN_WRITES[tour.agent.line.chart]]
    if tour.agent.line.chart == "agent-job":
        paths += [*WORKER_WRITES, *CACHED[tour.agent.line.generation]]
    assert tour.results["write"] == dict.fromkeys(paths, "ok")


@pytest.mark.parametrize("generation", GENERATIONS)
def test_runs_cannot_change_files_of_the_agent(generation: str, tours: Mapping[str, Tour]) -> None:
    """The cache, and on the current line the agent itself, which comes as an image volume."""
    tour = tours[f"agent-job-{generation}"]
    cached = CACHED[generation].values()
    results = tour.results
    assert results["read"] == dict.fromkeys(cached, tour.pod["metadata"]["name"])
    assert results["remove"] == dict.fromkeys([*cached, *([LOOP] if generation == "current" else [])], READ_ONLY)


@pytest.mark.parametrize("chart", ["agent-job", "agent-k8s"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_controllers_write_only_to_their_directories(chart: str, generation: str, everyone: Mapping[str, Agent]) -> None:
    directories = {"agent-job": [DATA, CACHE, "/tmp"], "agent-k8s": [AGENT_K8S_HOME]}[chart]
    paths = [f"{directory}/made/file" for directory in directories]
    run = everyone[f"{chart}-{generation}"].run({"in": "controller", "do": "write", "paths": paths})
    assert run.results()["write"] == dict.fromkeys(paths, "ok")


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_finished_run_is_deleted_with_its_job(
    generation: str, everyone: Mapping[str, Agent], tours: Mapping[str, Tour], cluster: Client
) -> None:
    agent = everyone[f"agent-job-{generation}"]
    run = agent.run({"do": "identity"})
    assert run.end() == "Complete CompletionsReached"
    agent.wait(lambda: not cluster.find("Job", run.job, agent.namespace), "the time to live of the Job")
    pod = tours[f"agent-job-{generation}"].pod["metadata"]["name"]
    agent.wait(lambda: not cluster.find("Pod", pod, agent.namespace), "the garbage collector")


@pytest.mark.parametrize("generation", GENERATIONS)
def test_probes_pass(generation: str, long_runs: LongRuns) -> None:
    assert long_runs["healthy", generation].result() == {"slept": "awake", "end": "Complete CompletionsReached"}


@pytest.mark.parametrize(("what", "probe"), [("never started", "startup"), ("not healthy", "liveness")])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_runner_without_its_health_file_is_stopped(what: str, probe: str, generation: str, long_runs: LongRuns) -> None:
    assert long_runs[what, generation].result() == {
        "told": [f"Unhealthy: {probe.capitalize()} probe failed:", f"Killing: Container runner failed {probe} probe"]
    }
