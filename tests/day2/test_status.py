"""What status says of an agent, out of objects of the API."""

from dataclasses import replace
from typing import Any

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import templates
from scalr_agents.cluster.answers import Hidden, understood
from scalr_agents.cluster.objects import Summary
from scalr_agents.cluster.paths import path
from scalr_agents.cluster.view import View
from scalr_agents.day2 import status as agents
from scalr_agents.day2.status import Claim, Failure, Run, Status
from scalr_agents.model.maps import Values, merge

from tests.helpers.answers_of_cluster import (
    BASE,
    NAMESPACE,
    OF_AGENTS,
    OF_RUNS,
    agent,
    deployed,
    ended,
    event,
    item,
    job,
    pod,
    snapshot,
    workloads,
)
from tests.helpers.samples import load

FAILED = {"type": "Failed", "status": "True", "lastTransitionTime": "2026-05-01T11:59:00Z"}


def status(one: AnyAgent, now: View) -> Status:
    [found] = agents.of([one], now)
    return found


def seen(**lists: list[dict[str, Any]]) -> Status:
    one = agent()
    return status(one, snapshot(one, **lists))


def waiting(reason: str, **more: str) -> dict[str, Any]:
    """The status of a pod with a container that does not start."""
    return {"phase": "Pending", "containerStatuses": [{"name": "runner", "state": {"waiting": {"reason": reason, **more}}}]}


def unscheduled(message: str) -> dict[str, Any]:
    return {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}


@pytest.mark.parametrize(
    ("kind", "version", "values", "what"),
    [
        ("agent-job", "0.57.0", {}, {"controller": True}),
        ("agent-job", "1.4.0", {"task": {"buffer": {"replicas": 2}}}, {"controller": True, "placeholder": False}),
        ("agent-job", "1.4.0", {"task": {"buffer": {"replicas": None}}}, {"controller": True, "placeholder": False}),
        ("agent-local", "0.59.0", {}, {"agent": True}),
        ("agent-local", "1.4.0", {"workload": {"kind": "StatefulSet"}}, {"agent": True}),
        ("agent-k8s", "1.4.0", {}, {"controller": True, "worker": True}),
    ],
)
def test_an_agent_as_in_the_stack_file(kind: str, version: str, values: Values, what: dict[str, bool]) -> None:
    one = agent(kind=kind, agentVersion=version, values=values)
    found = status(one, snapshot(one))
    assert {each.what: each.needed for each in found.pods or ()} == what
    assert all(each.ready == each.desired and not each.reason for each in found.pods or ())
    assert (found.ready, found.version, found.differences) == (True, {"cluster": version, "stack": version}, [])
    assert found.runs == (None if kind == "agent-local" else [])


def test_an_agent_works_without_the_pods_that_keep_images() -> None:
    one = agent(prePull=True)
    assert {each.needed for each in status(one, snapshot(one)).pods or ()} == {True, False}


def test_objects_are_read_where_they_are() -> None:
    paths = {maker["kind"]: path(maker) for _, maker, _ in templates(agent().objects)}
    assert paths["AgentTaskTemplate"] == "/apis/scalr.io/v1/namespaces/scalr/agenttasktemplates/runs-scalr-agent-task-template"
    assert paths["Deployment"].startswith("/apis/apps/v1/namespaces/scalr/deployments/runs-scalr-agent")


PULLING = {"name": "before", "state": {"waiting": {"reason": "ErrImagePull", "message": "away"}}}


def a_waiting_pod(content: dict[str, Any]) -> dict[str, Any]:
    events = [event("plan-x", "FailedMount", "no such claim"), event("another", "FailedScheduling", "of another pod")]
    return {"jobs": [job("plan")], "pods": [{**pod("plan-x", OF_RUNS, job="plan"), "status": content}], "events": events}


@pytest.mark.parametrize(
    ("lists", "reason"),
    [
        (a_waiting_pod(unscheduled("0/3 nodes are available")), "Unschedulable: 0/3 nodes are available"),
        (a_waiting_pod(waiting("ImagePullBackOff", message="Back-off pulling")), "ImagePullBackOff in runner: Back-off pulling"),
        (a_waiting_pod({"initContainerStatuses": waiting("ErrImagePull")["containerStatuses"]}), "ErrImagePull in runner"),
        (a_waiting_pod(waiting("ContainerCreating")), "FailedMount: no such claim"),
        (a_waiting_pod(waiting("PodInitializing") | {"initContainerStatuses": [PULLING]}), "ErrImagePull in before: away"),
        (a_waiting_pod(waiting("ImagePullBackOff") | {"initContainerStatuses": [PULLING]}), "ErrImagePull in before: away"),
        ({"jobs": [job("plan")], "events": [event("plan", "FailedCreate", "exceeded quota", "Job")]}, "FailedCreate: exceeded quota"),
        ({"jobs": [job("plan", spec={"suspend": True})]}, "Suspended"),
        ({"jobs": [job("plan")]}, "no pod yet"),
    ],
)
def test_a_run_that_waits_says_why(lists: dict[str, Any], reason: str) -> None:
    found = seen(**lists)
    assert (found.runs, found.ready) == ([Run(name="plan", phase="pending", seconds=1800, reason=reason)], True)


def test_runs_are_those_of_the_agent() -> None:
    other = OF_RUNS | {"app.kubernetes.io/instance": "other"}
    jobs = [job("plan"), job("theirs", other)]
    found = seen(jobs=jobs, pods=[pod("plan-x", OF_RUNS, job="plan"), pod("theirs-x", other, job="theirs")])
    assert found.runs == [Run(name="plan", phase="running", seconds=1800, reason="")]


def test_a_run_that_its_worker_has_left_is_told() -> None:
    left = pod("plan-x", OF_RUNS, job="plan", status={"containerStatuses": [ended("worker", exitCode=137)]})
    assert [run.reason for run in seen(jobs=[job("plan")], pods=[left]).runs or ()] == ["exit code 137 in worker"]


def test_a_run_is_what_its_last_pod_does_also_if_clocks_differ() -> None:
    status = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}
    first = pod("plan-x", OF_RUNS, job="plan", metadata={"creationTimestamp": "2026-05-01T12:00:01Z"})
    last = pod("plan-y", OF_RUNS, job="plan", metadata={"creationTimestamp": "2026-05-01T12:00:02Z"}, status=status)
    assert [run.reason for run in seen(jobs=[job("plan")], pods=[last, first]).runs or ()] == ["Unschedulable"]


@pytest.mark.parametrize("labels", [{}, {"team": "payments"}, OF_RUNS | {"app.kubernetes.io/name": "agent-k8s"}])
def test_runs_of_agent_k8s_are_pods_that_nothing_owns(labels: dict[str, str]) -> None:
    one = agent(kind="agent-k8s")
    owned = pod("worker-x", {}, metadata={"ownerReferences": [{"kind": "DaemonSet", "name": "another"}]})
    done = pod("done", labels, status={"phase": "Succeeded"})
    found = status(one, snapshot(one, pods=[pod("run-1", labels), owned, done]))
    assert [run.name for run in found.runs or ()] == ["run-1"]


@pytest.mark.parametrize(
    ("of_job", "of_pod", "reason"),
    [
        ({"reason": "BackoffLimitExceeded"}, {"containerStatuses": [ended("worker"), ended("runner", reason="OOMKilled", exitCode=137)]},
         "OOMKilled in runner"),
        ({"reason": "BackoffLimitExceeded"}, {"reason": "Evicted", "message": "low on disk"}, "Evicted: low on disk"),
        ({"reason": "PodFailurePolicy"}, {"containerStatuses": [ended("runner", exitCode=3)]}, "exit code 3 in runner"),
        ({"reason": "PodFailurePolicy"}, {"initContainerStatuses": [ended("before", exitCode=2)], "containerStatuses": [ended("runner")]},
         "exit code 2 in before"),
        ({"reason": "BackoffLimitExceeded", "message": "too often"}, {"containerStatuses": []}, "BackoffLimitExceeded: too often"),
        ({"reason": "DeadlineExceeded", "message": "too long"}, {"containerStatuses": [ended("runner")]}, "DeadlineExceeded: too long"),
    ],
)  # fmt: skip
def test_a_run_that_failed_says_why(of_job: dict[str, str], of_pod: dict[str, Any], reason: str) -> None:
    done = pod("plan-x", OF_RUNS, job="plan", status={"phase": "Failed", **of_pod})
    found = seen(jobs=[job("plan", status={"conditions": [{**FAILED, **of_job}]})], pods=[done])
    assert (found.runs, found.failures) == ([], [Failure(name="plan", reason=reason, seconds=60)])


GONE = "runs-scalr-agent-run-v0abc-plan"


def test_events_tell_of_runs_that_are_gone() -> None:
    reported = event(GONE, "DeadlineExceeded", "Job was active longer than specified deadline", "Job")
    gone = Failure(name=GONE, reason="DeadlineExceeded: Job was active longer than specified deadline", seconds=600)
    later = event(f"{GONE}-x7abc", "FailedKillPod", "of its pod") | {"lastTimestamp": "2026-05-01T11:55:00Z"}
    assert seen(events=[reported, later]).failures == [gone]


@pytest.mark.parametrize(
    ("about", "kind", "lists", "reasons"),
    [
        (f"{GONE}-x7abc", "Pod", {}, ["gone before it started: FailedScheduling: no node"]),
        (GONE, "Job", {}, ["gone before it started: FailedScheduling: no node"]),
        (GONE, "Job", {"started": [event(f"{GONE}-x7abc", "Started", "")]}, []),
        (GONE, "Job", {"jobs": [job(GONE)]}, []),
        ("another-run-v0abc-plan", "Job", {}, []),
        (GONE, "Node", {}, []),
    ],
)
def test_a_run_that_its_agent_gave_up_is_told(about: str, kind: str, lists: dict[str, Any], reasons: list[str]) -> None:
    found = seen(events=[event(about, "FailedScheduling", "no node", kind)], **lists)
    assert [(each.name, each.reason) for each in found.failures] == [(GONE, reason) for reason in reasons]


def test_names_say_whose_a_run_was() -> None:
    agents_of_both = load(merge(BASE, {"agents": {"more": BASE["agents"]["runs"]}})).agents
    now = snapshot(agents_of_both[0], events=[event(GONE, "DeadlineExceeded", "too long", "Job")])
    assert [[failure.name for failure in each.failures] for each in agents.of(agents_of_both, now)] == [[GONE], []]


def test_runs_that_any_of_two_agents_may_have_had_are_told_of_none() -> None:
    older = {"kind": "agent-job", "agentVersion": "0.57.0", "namespace": NAMESPACE}
    agents_of_both = load({"common": BASE["common"], "agents": {"runs": older, "more": older}}).agents
    now = snapshot(agents_of_both[0], events=[event("atask-v0abc", "DeadlineExceeded", "too long", "Job")])
    assert [each.failures for each in agents.of(agents_of_both, now)] == [[], []]


def test_a_controller_that_restarts_is_a_failure() -> None:
    last = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-05-01T11:59:30Z"}
    restarts = {"containerStatuses": [{"name": "agent", "restartCount": 4, "state": {"running": {}}, "lastState": {"terminated": last}}]}
    found = seen(pods=[pod("controller-x", OF_AGENTS, status=restarts)])
    assert found.failures == [Failure(name="controller-x", reason="OOMKilled in agent; restarts: 4", seconds=30)]


def test_only_the_last_failures_are_told() -> None:
    times = [f"2026-05-01T11:{minute}:00Z" for minute in range(10, 20)]
    jobs = [
        job(f"plan-{time}", status={"conditions": [{**FAILED, "reason": "DeadlineExceeded", "lastTransitionTime": time}]}) for time in times
    ]
    assert [each.name for each in seen(jobs=jobs).failures] == [f"plan-{time}" for time in reversed(times[-agents.FAILURES :])]


REFUSED = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}


@pytest.mark.parametrize(
    ("conditions", "pods", "reason"),
    [
        ([REFUSED], [], "FailedCreate: exceeded quota"),
        ([], [pod("c", OF_AGENTS, status={"conditions": [], **unscheduled("no node")})], "pod c: Unschedulable: no node"),
        ([], [pod("c", OF_AGENTS) | {"status": {"phase": "Running", "conditions": []}}], "pod c: not ready"),
        ([], [], ""),
    ],
)
def test_pods_that_are_not_ready_say_why(conditions: list[Any], pods: list[dict[str, Any]], reason: str) -> None:
    one = agent()
    now = snapshot(one, pods=pods)
    found = status(one, replace(now, objects=workloads(deployed(one, status={"readyReplicas": 0, "conditions": conditions}))))
    assert found.pods is not None
    assert [(each.ready, each.desired, each.reason) for each in found.pods] == [(0, 1, reason)]
    assert not found.ready


def test_what_is_not_deployed_is_a_difference() -> None:
    one = agent()
    found = status(one, replace(snapshot(one), objects=dict.fromkeys(deployed(one))))
    assert found.differences == [
        "AgentTaskTemplate runs-scalr-agent-task-template does not exist",
        "Deployment runs-scalr-agent does not exist",
    ]
    assert (found.ready, found.version["cluster"]) == (False, None)
    assert [each.reason for each in found.pods or ()] == ["Deployment runs-scalr-agent does not exist"]


def test_version_replicas_and_images_are_compared() -> None:
    one, older = agent(values={"agent": {"replicaCount": 3}}), agent(agentVersion="1.3.0")
    found = status(one, replace(snapshot(one), objects=workloads(deployed(older))))
    deployment = "Deployment runs-scalr-agent"
    reported = [each.partition(": ")[2] for each in found.differences if each.startswith(deployment)]
    assert reported[:2] == ["version is 1.3.0 in the cluster, 1.4.0 in the stack file", "replicas is 1 in the cluster, 3 in the stack file"]
    assert [each for each in found.differences if "image of worker is" in each and each.startswith("AgentTaskTemplate ")] != []


CLAIM = {"persistence": {"cache": {"enabled": True}}}


@pytest.mark.parametrize(
    ("volume", "used"),
    [
        ({"pvcRef": {"name": "runs-scalr-agent-cache", "namespace": NAMESPACE}, "usedBytes": 5, "capacityBytes": 10}, (5, 10)),
        ({"pvcRef": {"name": "runs-scalr-agent-cache", "namespace": "elsewhere"}, "usedBytes": 5, "capacityBytes": 10}, (None, None)),
        ({"name": "tmp", "usedBytes": 5}, (None, None)),
    ],
)
def test_the_use_of_a_claim_is_what_a_kubelet_tells(volume: dict[str, Any], used: tuple[int | None, int | None]) -> None:
    one = agent(values=CLAIM)
    claims = [
        item(name, spec={"resources": {"requests": {"storage": "40Gi"}}}, status={"phase": "Bound"})
        for name in ("runs-scalr-agent-cache", "b")
    ]
    now = replace(
        snapshot(one, claims=claims),
        objects={"a": Hidden("why"), "b": None, "c": understood(Summary, {"pods": [{"volume": [volume]}, {}]})[0]},
    )
    mine = Claim(name="runs-scalr-agent-cache", phase="Bound", size="40Gi", used=used[0], capacity=used[1])
    assert status(one, now).claims == [mine]


def test_what_cannot_be_seen_is_a_note() -> None:
    one = agent()
    hidden = Hidden("your credential lacks the permission")
    now = replace(snapshot(one), lists=dict.fromkeys(snapshot(one).lists, hidden), objects=dict.fromkeys(deployed(one), hidden))
    found = status(one, now)
    assert (found.pods, found.runs, found.ready, found.differences) == (None, None, False, [])
    resources = ["pods", "jobs.batch", "events", "persistentvolumeclaims", "agenttasktemplates.scalr.io", "deployments.apps"]
    assert now.notes == [f"{each} in namespace scalr: cannot be seen: {hidden.reason}" for each in resources]
