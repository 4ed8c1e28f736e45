"""Runs whose pods are stopped: drains, SIGTERM and grace periods, as in the contract of each kind."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import NamedTuple

import pytest
from scalr_agents.model.maps import Values

from tests.cluster.client import Client, Manifest
from tests.helpers.validated import LINES
from tests.node.agents import Agent, Run, at_once
from tests.node.conftest import Start
from tests.node.world import Step

HANG: Step = {"do": "hang"}
STUBBORN: Step = {"do": "hang", "stubborn": True}
SHORT: Step = {"do": "sleep", "seconds": 15}


class Case(NamedTuple):
    """A run in progress when a pod is stopped."""

    chart: str
    values: Values
    step: Step
    stopped: Callable[[Run], Manifest]
    """The pod."""
    said: list[str]
    """Events of the agent in it from then on."""
    end: str | None
    """How the run ends; `None` if no process is left to report it."""


def own_pod(run: Run) -> Manifest:
    return run.pod()


def controller(run: Run) -> Manifest:
    return run.agent.pod()


def _local(mode: str, seconds: int) -> Values:
    return {"agent": {"shutdownMode": mode}, "terminationGracePeriodSeconds": seconds}


CASES = {
    "a controller waits for its runs": Case("agent-job", {}, SHORT, controller, ["stopping", "job ended", "stopped"], "succeeded"),
    "a worker hands SIGTERM on": Case("agent-job", {}, HANG, own_pod, ["stopping", "terminating", "run ended"], "terminated"),
    "the grace period of a run is over": Case(
        "agent-job", {"task": {"terminationGracePeriodSeconds": 4}}, STUBBORN, own_pod, ["stopping", "terminating"], None
    ),
    "graceful": Case(
        "agent-local", _local("graceful", 30), HANG, controller, ["stopping", "terminating", "run ended", "stopped"], "terminated"
    ),
    "drain": Case("agent-local", _local("drain", 120), SHORT, controller, ["stopping", "run ended", "stopped"], "succeeded"),
    "force": Case("agent-local", _local("force", 30), STUBBORN, controller, ["stopping", "killing", "run ended", "stopped"], "killed"),
}


class Stopped(NamedTuple):
    run: Run
    pod: Manifest


@pytest.fixture(scope="module")
def stopped(start: Start) -> Mapping[tuple[str, str], Stopped]:
    """All cases on both lines, at the same time."""

    def stop(key: tuple[str, str]) -> Stopped:
        name, generation = key
        case = CASES[name]
        [line] = [line for line in LINES if (line.chart, line.generation) == (case.chart, generation)]
        run = start(line, values=case.values).run(case.step)
        run.wait_for("step begun")
        pod = case.stopped(run)
        run.agent.cluster.delete("Pod", pod["metadata"]["name"], run.agent.namespace)
        return Stopped(run, pod)

    keys = [(name, generation) for name in CASES for generation in ("legacy", "current")]
    return dict(zip(keys, at_once(stop, keys), strict=True))


@pytest.mark.parametrize("generation", ["legacy", "current"])
@pytest.mark.parametrize("name", CASES)
def test_stopping_pods_follows_the_contract(name: str, generation: str, stopped: Mapping[tuple[str, str], Stopped]) -> None:
    case, (run, pod) = CASES[name], stopped[name, generation]
    agent, pod_name = run.agent, pod["metadata"]["name"]
    agent.wait(lambda: not agent.cluster.find("Pod", pod_name, agent.namespace), f"the end of {pod_name}")
    told = [each["event"] for each in agent.events(pod=pod_name) if each["container"] != "runner" and not each["event"].startswith("step")]
    said = told[told.index("stopping") :]
    assert said == case.said or (case.end is None and said == [*case.said, "killing"])  # the last moment is the kubelet's
    assert [event["result"] for event in run.events(event="run ended")] == ([case.end] if case.end else [])
    if case.chart == "agent-job":
        assert run.end().partition(" ")[0] == ("Complete" if case.end == "succeeded" else "Failed")


@pytest.mark.parametrize("generation", ["legacy", "current"])
def test_other_controllers_continue(generation: str, stopped: Mapping[tuple[str, str], Stopped]) -> None:
    run = stopped["a controller waits for its runs", generation].run.agent.run({"do": "identity"})
    assert run.wait_for("run ended")["result"] == "succeeded"


@pytest.mark.parametrize("generation", ["legacy", "current"])
def test_an_eviction_of_a_run_is_refused(generation: str, everyone: Mapping[str, Agent], cluster: Client) -> None:
    run = everyone[f"agent-job-{generation}"].run(SHORT)
    run.wait_for("step begun")
    assert cluster.evict(run.pod()["metadata"]["name"], run.agent.namespace) == HTTPStatus.TOO_MANY_REQUESTS
    assert run.wait_for("run ended")["result"] == "succeeded"


@pytest.mark.parametrize("generation", ["legacy", "current"])
def test_agent_k8s_runs_continue_without_their_controller(generation: str, everyone: Mapping[str, Agent], cluster: Client) -> None:
    agent = everyone[f"agent-k8s-{generation}"]
    run = agent.run(SHORT)
    run.wait_for("pod")
    pod = agent.pod()["metadata"]["name"]
    cluster.delete("Pod", pod, agent.namespace)
    agent.wait_for("stopped", pod=pod)
    assert agent.events(event="stopping", pod=pod, result="drain")
    agent.wait(lambda: cluster.get("Pod", run.name, agent.namespace)["status"]["phase"] == "Succeeded", "the end of the run")
