"""Runs above their limits, killed workers, and hanging runs, as users see them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from tests.cluster.client import Manifest
from tests.helpers.validated import LINES
from tests.node.agents import Run, at_once
from tests.node.conftest import Start
from tests.node.node import NodeCluster
from tests.node.world import Step

KILLED = 128 + 9
TIGHT = {
    "persistence": {"data": {"emptyDir": {"sizeLimit": "16Mi"}}},
    "task": {
        "job": {"activeDeadlineSeconds": 25, "ttlSecondsAfterFinished": 600},
        "runner": {"resources": {"requests": {"memory": "64Mi"}, "limits": {"memory": "64Mi"}}},
        "worker": {"resources": {"limits": {"ephemeral-storage": "64Mi"}}},
    },
}
CASES: Mapping[str, list[Step]] = {
    "hangs": [{"do": "hang"}],
    "worker is killed": [{"do": "hang"}],
    "memory": [{"in": "loop", "do": "allocate", "megabytes": 200}, {"do": "hang"}],
    "full": [{"do": "write", "paths": ["/opt/data/large"], "megabytes": 48}, {"do": "hang"}],
    "disk": [{"in": "worker", "do": "write", "paths": ["/tmp/large"], "megabytes": 300}, {"do": "hang"}],
}

Seen = Mapping[tuple[str, str], Mapping[str, Any]]


@pytest.fixture(scope="module")
def seen(start: Start, node: NodeCluster) -> Seen:
    """What is seen of a run of each case on each line. They run at the same time."""
    agents = at_once(lambda line: start(line, values=TIGHT), [line for line in LINES if line.chart == "agent-job"])
    runs = {(case, agent.line.generation): agent.run(*CASES[case]) for agent in agents for case in CASES}
    look: dict[str, Callable[[Run], Mapping[str, Any]]] = {
        "hangs": see_the_end,
        "worker is killed": partial(kill_worker, node),
        "memory": see_the_runner,
        "full": see_the_eviction,
        "disk": see_the_eviction,
    }
    return dict(zip(runs, at_once(lambda key: look[key[0]](runs[key]), runs), strict=True))


def see_the_end(run: Run) -> Mapping[str, Any]:
    return {"end": run.end(), "result": run.wait_for("run ended")["result"]}


def kill_worker(node: NodeCluster, run: Run) -> Mapping[str, Any]:
    run.wait_for("step begun")
    run.agent.wait(lambda: _have_ids(run.pod()), "the ids of the containers")
    node.kill(run.pod(), "worker")
    return {"worker": terminated(run, "worker")["exitCode"], "phase": run.pod()["status"]["phase"], "end": run.end()}


def _have_ids(pod: Manifest) -> bool:
    """Whether the kubelet has reported the containers of a pod, which it does after they have started."""
    states = pod["status"].get("containerStatuses", ())
    return bool(states) and all("containerID" in each for each in states)


def see_the_runner(run: Run) -> Mapping[str, Any]:
    end = terminated(run, "runner")
    return {"reason": end["reason"], "exit code": end["exitCode"], "end": run.end()}


def see_the_eviction(run: Run) -> Mapping[str, Any]:
    def evicted() -> Manifest | None:
        status: Manifest = run.pod()["status"]
        return status if status["phase"] == "Failed" else None

    status = run.agent.wait(evicted, "the eviction") or {}
    return {"reason": status["reason"], "message": status["message"], "end": run.end().partition(" ")[0]}


def terminated(run: Run, container: str) -> Manifest:
    """How a container of the run's pod has ended."""

    def found() -> Manifest:
        states = {each["name"]: each["state"] for each in run.pod()["status"].get("containerStatuses", ())}
        state: Manifest = states.get(container, {}).get("terminated", {})
        return state

    return run.agent.wait(found, f"the end of {container}")


EXPECTED: Mapping[str, Mapping[str, Any]] = {
    # The run that fills the disk is on the same node at the same time: the limit of its worker is that of its pod alone.
    "hangs": {"end": "Failed DeadlineExceeded", "result": "terminated"},
    # The stub's runner waits for its worker, which is not restarted: the Job fails when all containers have ended.
    "worker is killed": {"worker": KILLED, "phase": "Running", "end": "Failed DeadlineExceeded"},
    "memory": {"reason": "OOMKilled", "exit code": KILLED, "end": "Failed DeadlineExceeded"},
    "full": {"reason": "Evicted", "message": 'Usage of EmptyDir volume "data-dir" exceeds the limit "16Mi". ', "end": "Failed"},
    "disk": {
        "reason": "Evicted",
        "message": "Pod ephemeral local storage usage exceeds the total limit of containers 64Mi. ",
        "end": "Failed",
    },
}


@pytest.mark.parametrize("generation", ["legacy", "current"])
@pytest.mark.parametrize("case", EXPECTED)
def test_what_is_seen_of_a_run_above_its_limits(case: str, generation: str, seen: Seen) -> None:
    assert seen[case, generation] == EXPECTED[case]
