"""Which containers `logs` prints, and how."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from kubernetes.client import ApiClient, Configuration
from scalr_agents.cluster.answers import Hidden
from scalr_agents.cluster.api import Api, ClusterError, RefusedError
from scalr_agents.cluster.objects import Pod
from scalr_agents.day2 import logs
from scalr_agents.day2.logs import LogsError, Source

from tests.helpers.answers_of_cluster import NAMESPACE, OF_AGENTS, OF_RUNS, agent, job, pod, snapshot

CONTROLLER = pod("controller-x", OF_AGENTS)
PLACEHOLDER = pod("placeholder-x", OF_RUNS | {"app.kubernetes.io/component": "buffer"})
PLAN = pod("atask-run-v0abc-plan-x7", OF_RUNS, job="atask-run-v0abc-plan")
PODS = [CONTROLLER, PLACEHOLDER, PLAN]
OF_PLAN = [Source(NAMESPACE, "atask-run-v0abc-plan-x7", container) for container in ("runner", "worker")]


def test_an_agents_logs_are_those_of_its_own_pods() -> None:
    one = agent(values={"task": {"buffer": {"replicas": 1}}})
    assert logs.sources(one, "", snapshot(one, pods=PODS)) == [Source(NAMESPACE, "controller-x", "agent")]


@pytest.mark.parametrize("run", ["run-v0abc", "run-V0ABC", "atask-run-v0abc-plan", "atask-run-v0abc-plan-x7"])
def test_a_run_is_found_by_its_id_its_job_or_its_pod(run: str) -> None:
    one = agent()
    assert logs.sources(one, run, snapshot(one, pods=PODS, jobs=[job("atask-run-v0abc-plan")])) == OF_PLAN


SOON = "(deleted 60 seconds after the end: task.job.ttlSecondsAfterFinished)"


@pytest.mark.parametrize(
    ("run", "of_agent", "pods", "message"),
    [
        ("", {}, [PLAN], "agent runs has no pods; scalr-agents status says why"),
        ("run-v0", {}, PODS, f"no pod of run run-v0 is there {SOON}; the log of the run is in Scalr. Runs with pods: atask-run-v0abc-plan"),
        ("run-x", {}, [], f"no pod of run run-x is there {SOON}; the log of the run is in Scalr. Runs with pods: none"),
        ("run-v0abc", {}, [CONTROLLER], "run run-v0abc has no pod now; scalr-agents status says why"),
        ("run-x", {"kind": "agent-k8s"}, [], "no pod of run run-x is there; the log of the run is in Scalr. Runs with pods: none"),
        ("x", {"kind": "agent-local"}, [], "runs of agent-local are processes in its pods; print the logs of these, without --run"),
    ],
)
def test_what_has_no_log_says_why(run: str, of_agent: dict[str, Any], pods: list[dict[str, Any]], message: str) -> None:
    one = agent(**of_agent)
    jobs = [job("atask-run-v0abc-plan")] if run != "run-x" else []
    with pytest.raises(LogsError) as refused:
        logs.sources(one, run, snapshot(one, pods=pods, jobs=jobs))
    assert str(refused.value) == message


def test_pods_that_cannot_be_seen_are_a_sentence() -> None:
    one = agent()
    hidden = replace(snapshot(one), lists={(Pod, NAMESPACE): Hidden("why")})
    with pytest.raises(LogsError, match=r"^pods in namespace scalr: cannot be seen: why$"):
        logs.sources(one, "", hidden)


class Answering(Api):
    """An API whose logs are these lines, or refusals, one for each time that it is asked."""

    def __init__(self, **answers: list[list[str] | Exception]) -> None:
        super().__init__(ApiClient(Configuration()), "the cluster")
        self.answers = answers
        self.asked: list[Sequence[tuple[str, str]]] = []

    def lines(self, path: str, query: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
        self.asked.append(query)
        answer = self.answers[dict(query)["container"]].pop(0)
        if isinstance(answer, Exception):
            raise answer
        yield from answer


def test_lines_of_several_containers_are_named() -> None:
    assert list(logs.printed(Answering(runner=[["a"]]), OF_PLAN[:1], follow=False)) == ["a"]
    api = Answering(runner=[["a", "b"]], worker=[["c"]])
    name = "atask-run-v0abc-plan-x7"
    assert list(logs.printed(api, OF_PLAN, follow=False)) == [f"{name}/runner: a", f"{name}/runner: b", f"{name}/worker: c"]
    assert api.asked == [[("container", "runner")], [("container", "worker")]]


def test_who_follows_waits_for_containers_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    waits = RefusedError('container "runner" in pod "x" is waiting to start: ContainerCreating')
    api = Answering(runner=[waits, waits, ["a"]], worker=[["b"]])
    assert sorted(line.partition(": ")[2] for line in logs.printed(api, OF_PLAN, follow=True)) == ["a", "b"]
    assert [("container", "runner"), ("follow", "true")] in api.asked
    assert pauses == [1, 1]


def test_a_container_without_a_log_does_not_hide_the_others() -> None:
    api = Answering(runner=[RefusedError("container is waiting to start")], worker=[["b"]])
    message = [line.partition(": ")[2] for line in logs.printed(api, OF_PLAN, follow=False)]
    assert message == ["(no log: container is waiting to start)", "b"]


def test_a_cluster_that_goes_away_ends_what_follows_it() -> None:
    with pytest.raises(ClusterError, match=r"^away$"):
        list(logs.printed(Answering(runner=[ClusterError("away")], worker=[["b"]]), OF_PLAN, follow=True))


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("\x1b[32mApply complete!\x1b[0m\r", "Apply complete!"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("50%\rdone", "50%\\rdone"),
        ("a\u202eb", "a\\u202eb"),
        ("│ \tä", "│ \tä"),
    ],
)
def test_lines_cannot_move_the_cursor(line: str, printed: str) -> None:
    assert logs.harmless(line) == printed
