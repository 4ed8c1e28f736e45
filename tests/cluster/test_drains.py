"""Node drains: evicted pods, pods that block a drain, and its end. A drain evicts pods one by one through the eviction API."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus

import pytest
from scalr_agents.model.maps import Values
from scalr_agents.model.release import Line

from tests.cluster import agents, nodes, runs
from tests.cluster.client import ApiError, Client, Manifest, Manifests, wait
from tests.cluster.conftest import NewNamespace
from tests.helpers.validated import LINES

EVICTED, REFUSED = 201, 429
EVERY_POD = 2147483647
_numbers = itertools.count(1)
_JOB_LINES = [line for line in LINES if line.task_resource]
NewNode = Callable[[], str]
"""Creates a node for one test; its label `pool` is its name."""


each_job_line = pytest.mark.parametrize("line", _JOB_LINES, ids=agents.line_id)


@pytest.fixture
def new_node(cluster: Client) -> Iterator[NewNode]:
    made = []

    def new() -> str:
        name = f"drained-{next(_numbers)}"
        nodes.add(cluster, name, {"pool": name})
        made.append(name)
        wait(lambda: nodes.is_ready(cluster, name), f"node {name}")
        return name

    yield new
    for name in made:
        cluster.delete("Node", name)


def _apply(cluster: Client, line: Line, namespace: str, values: Values) -> Manifests:
    objects = agents.release(line, namespace, values=values)
    agents.apply(cluster, objects)
    agents.wait_for_rollout(cluster, objects)
    return objects


def _start(cluster: Client, objects: Manifests, run: str = "run-1") -> runs.Run:
    [task] = runs.tasks(objects)
    return runs.start(cluster, task, run)


def _names(pods: Manifests) -> list[str]:
    return [pod["metadata"]["name"] for pod in pods]


def _uids(pods: Manifests) -> set[str]:
    return {pod["metadata"]["uid"] for pod in pods}


def _component(cluster: Client, namespace: str, component: str) -> Manifests:
    return cluster.list("Pod", namespace, {"app.kubernetes.io/component": component})


def _evict(cluster: Client, pods: Manifests) -> list[int]:
    return [cluster.evict(pod["metadata"]["name"], pod["metadata"]["namespace"]) for pod in pods]


def _budgets(objects: Manifests) -> Manifests:
    return [manifest for manifest in objects if manifest["kind"] == "PodDisruptionBudget"]


def _status(cluster: Client, budget: Manifest, reason: str, healthy: int) -> Manifest:
    """The status of a budget when it is up to date: allowed disruptions, reason, and number of pods."""

    def settled() -> Manifest:
        current = cluster.current(budget)
        status: Manifest = current.get("status", {})
        reasons = [condition["reason"] for condition in status.get("conditions", ()) if condition["type"] == "DisruptionAllowed"]
        up_to_date = status.get("observedGeneration") == current["metadata"]["generation"]
        return status if up_to_date and reasons == [reason] and status["currentHealthy"] == healthy else {}

    status = wait(settled, f"{reason} of budget {budget['metadata']['name']} over {healthy} pods")
    return {key: status[key] for key in ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods")}


def _condition(conditions: Sequence[Manifest], kind: str) -> Manifest:
    [found] = [condition for condition in conditions if condition["type"] == kind]
    return found


@each_job_line
def test_no_run_in_progress_is_evicted(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    objects = _apply(cluster, line, new_namespace("restricted"), {})
    [budget] = _budgets(objects)
    started = [_start(cluster, objects, run) for run in ("run-1", "run-2")]
    pods = [pod for run in started for pod in run.pods()]
    assert len(pods) == 2
    assert _status(cluster, budget, "InsufficientPods", healthy=2) == {
        "currentHealthy": 2,
        "desiredHealthy": EVERY_POD,
        "disruptionsAllowed": 0,
        "expectedPods": 2,
    }
    assert _evict(cluster, pods) == [REFUSED, REFUSED]
    started[0].finish()
    assert _evict(cluster, pods) == [EVICTED, REFUSED]
    started[1].finish("failed")
    assert _evict(cluster, pods[1:]) == [EVICTED]


@each_job_line
def test_unready_runs_are_not_evicted(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    objects = _apply(cluster, line, new_namespace("restricted"), {})
    [budget] = _budgets(objects)
    pods = _start(cluster, objects).pods()
    [name] = _names(pods)
    unready = [{"type": kind, "status": "False"} for kind in ("Ready", "ContainersReady")]
    cluster.patch("Pod", name, pods[0]["metadata"]["namespace"], {"status": {"conditions": unready}}, subresource="status", strategic=True)
    _status(cluster, budget, "InsufficientPods", healthy=0)
    assert _evict(cluster, pods) == [REFUSED]


@each_job_line
def test_the_chart_s_budget_does_not_work(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    """Kubernetes counts `maxUnavailable` from the scale of what owns the pods. Jobs have none, so that ours is `minAvailable`."""
    namespace = new_namespace("restricted")
    objects = _apply(cluster, line, namespace, {"task": {"podDisruptionBudget": {"enabled": False}}})
    [task] = runs.tasks(objects)
    labels = task["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["labels"]
    spec = {"maxUnavailable": 0, "selector": {"matchLabels": labels}}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "chart", "namespace": namespace}, "spec": spec}
    cluster.create(budget)
    runs.start(cluster, task)

    def failed() -> bool:
        conditions = cluster.current(budget).get("status", {}).get("conditions", ())
        return any(condition["reason"] == "SyncFailed" for condition in conditions)

    wait(failed, "the failure of the budget")
    status = cluster.current(budget)["status"]
    assert _condition(status["conditions"], "DisruptionAllowed")["message"] == "jobs.batch does not implement the scale subresource"
    assert (status["currentHealthy"], status["expectedPods"]) == (0, 0)


@each_job_line
def test_one_controller_stays_until_the_other_is_back(line: Line, cluster: Client, new_namespace: NewNamespace, new_node: NewNode) -> None:
    namespace, node = new_namespace("restricted"), new_node()
    objects = _apply(cluster, line, namespace, {"agent": {"replicaCount": 2, "nodeSelector": {"pool": node}}})
    [budget, _] = _budgets(objects)
    assert _status(cluster, budget, "SufficientPods", healthy=2) == {
        "currentHealthy": 2,
        "desiredHealthy": 1,
        "disruptionsAllowed": 1,
        "expectedPods": 2,
    }
    one, other = _component(cluster, namespace, "agent")
    _cordon(cluster, node)
    assert _evict(cluster, [one, other, other]) == [EVICTED, REFUSED, REFUSED]
    wait(lambda: len(_waiting(cluster, namespace, "agent")) == 1, "a replacement without a node")
    assert _status(cluster, budget, "InsufficientPods", healthy=1)["disruptionsAllowed"] == 0
    assert _evict(cluster, [other]) == [REFUSED]
    cluster.patch("Node", node, None, {"spec": {"unschedulable": False}})
    _status(cluster, budget, "SufficientPods", healthy=2)
    assert _evict(cluster, [other]) == [EVICTED]


def _cordon(cluster: Client, node: str) -> None:
    cluster.patch("Node", node, None, {"spec": {"unschedulable": True}})

    def tainted() -> bool:
        """Controllers have seen it, and so has the scheduler."""
        return any(taint["key"] == "node.kubernetes.io/unschedulable" for taint in cluster.get("Node", node)["spec"].get("taints", ()))

    wait(tainted, f"the cordon of node {node}")


def _waiting(cluster: Client, namespace: str, component: str) -> Manifests:
    """Unschedulable pods."""

    def is_waiting(pod: Manifest) -> bool:
        return any(condition.get("reason") == "Unschedulable" for condition in pod["status"].get("conditions", ()))

    return [pod for pod in _component(cluster, namespace, component) if is_waiting(pod)]


@each_job_line
def test_a_hanging_run_blocks_a_drain_until_its_deadline(
    line: Line, cluster: Client, new_namespace: NewNamespace, new_node: NewNode
) -> None:
    namespace, node = new_namespace("restricted"), new_node()
    values = {"agent": {"nodeSelector": {"pool": node}}, "task": {"nodeSelector": {"pool": node}, "job": {"activeDeadlineSeconds": 600}}}
    objects = _apply(cluster, line, namespace, values)
    run = _start(cluster, objects)
    assert run.deadline_seconds() == 600
    cluster.patch("Node", node, None, {"spec": {"unschedulable": True}})
    [controller], hanging = _component(cluster, namespace, "agent"), run.pods()
    assert _evict(cluster, [controller, *hanging]) == [EVICTED, REFUSED]

    run.shorten(1)
    wait(lambda: _is_drained(cluster, namespace, node), "the end of the drain")
    assert wait(run.conditions, "the end of the Job") == {"FailureTarget", "Failed"}
    status = (run.job() or {})["status"]
    assert _condition(status["conditions"], "Failed")["reason"] == "DeadlineExceeded"
    assert (status["failed"], status.get("succeeded", 0), run.pods()) == (1, 0, [])


def _is_drained(cluster: Client, namespace: str, node: str) -> bool:
    """Try to evict the remaining pods of a node again, as `kubectl drain` does until there are none."""
    left = [pod for pod in cluster.list("Pod", namespace) if pod["spec"].get("nodeName") == node]
    for pod in left:
        try:
            _evict(cluster, [pod])
        except ApiError as problem:
            if problem.status != HTTPStatus.NOT_FOUND:  # it went by itself meanwhile
                raise
    return not left


@each_job_line
def test_a_task_displaces_a_placeholder(line: Line, cluster: Client, new_namespace: NewNamespace, new_node: NewNode) -> None:
    namespace, node = new_namespace("restricted"), new_node()
    room_for_two = {"allocatable": {"cpu": "1500m"}}  # a task asks for 750m
    cluster.patch_status("Node", node, None, room_for_two)
    objects = _apply(cluster, line, namespace, {"task": {"nodeSelector": {"pool": node}, "buffer": {"replicas": 2}}})
    placeholders = _component(cluster, namespace, "buffer")
    assert [pod["spec"]["nodeName"] for pod in placeholders] == [node, node]

    run = _start(cluster, objects)
    [task] = run.pods()
    assert task["spec"]["nodeName"] == node
    wait(lambda: len(_waiting(cluster, namespace, "buffer")) == 1, "a placeholder without a node")
    left = _component(cluster, namespace, "buffer")
    assert len(left) == 2
    assert len(_uids(left) & _uids(placeholders)) == 1
    preempted = [event for event in cluster.list("Event", namespace) if event["reason"] == "Preempted"]
    assert [event["involvedObject"]["uid"] for event in preempted] == list(_uids(placeholders) - _uids(left))

    run.finish()
    wait(lambda: not _waiting(cluster, namespace, "buffer"), "room for the placeholder")
    assert _uids(_component(cluster, namespace, "buffer")) == _uids(left)
