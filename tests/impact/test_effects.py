"""What happens to runs, out of what happens to objects."""

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.cluster.answers import Hidden
from scalr_agents.impact import command, effects
from scalr_agents.impact.changes import Change, What
from scalr_agents.impact.command import Impact
from scalr_agents.impact.effects import Effect
from scalr_agents.live.snapshot import Snapshot
from scalr_agents.model.manifests import Key, key_of
from scalr_agents.model.merge import Values, merge

from tests.live.objects import NAMESPACE, NOW, OF_RUNS, agent, job, pod, snapshot

_GRACE = {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 60}}}}


def _status(pods: int) -> Values:
    return {"status": {"replicas": pods, "desiredNumberScheduled": pods}}


def _effect(of: AnyAgent, what: What, now: Snapshot, *others: Change, pods: int = 2) -> Effect:
    """What happens to an agent whose workloads all change in this way. Each has this number of pods."""
    workloads = [merge(manifest, _status(pods)) for manifest in of.objects if manifest["kind"] in WORKLOADS]
    found = [Change(key=key_of(each), what=what, live={} if what in ("created", "unknown") else each) for each in workloads]
    [effect] = effects.of([of], [*found, *others], now)
    return effect


@pytest.mark.parametrize(
    ("words", "what", "then", "seconds"),
    [
        ({"kind": "agent-job"}, "restarted", "continue", 0),
        ({"kind": "agent-job"}, "unknown", "continue", 0),
        ({"kind": "agent-local"}, "unchanged", "continue", 0),
        ({"kind": "agent-local"}, "created", "continue", 0),
        ({"kind": "agent-local"}, "unknown", "unknown", None),
        ({"kind": "agent-local"}, "rejected", "continue", 0),
        ({"kind": "agent-local"}, "restarted", "end", 120),
        ({"kind": "agent-local"}, "scaled-in", "end", 120),
        ({"kind": "agent-local", "values": {"agent": {"shutdownMode": "force"}}}, "replaced", "end", 120),
        ({"kind": "agent-local", "values": {"agent": {"shutdownMode": "drain"}}}, "restarted", "wait", 120),
        ({"kind": "agent-k8s"}, "restarted", "wait", 2 * 3660),
        ({"kind": "agent-k8s"}, "replaced", "wait", 3660),
        ({"kind": "agent-k8s", "values": {"agent": {"worker_on_stop_action": "force-shutdown"}}}, "restarted", "end", 2 * 3660),
        ({"kind": "agent-k8s"}, "unknown", "unknown", None),
    ],
)
def test_what_runs_do(words: Values, what: What, then: str, seconds: int | None) -> None:
    of = agent(**words)
    found = _effect(of, what, snapshot(of))
    assert (found.then, found.longest_wait_seconds) == (then, seconds)
    assert found.pods == ((1 if what == "scaled-in" else 2) if then in ("wait", "end") else 0)


def test_no_run_ends_where_no_pod_is() -> None:
    of = agent(kind="agent-local")
    assert _effect(of, "restarted", snapshot(of), pods=0).then == "continue"


@pytest.mark.parametrize(
    ("kind", "what", "update", "seconds"),
    [
        ("Deployment", "restarted", {}, 60),
        ("StatefulSet", "replaced", {}, 60),
        ("StatefulSet", "restarted", {}, 300),
        ("DaemonSet", "restarted", {"maxUnavailable": 2}, 180),
        ("DaemonSet", "restarted", {"maxUnavailable": "50%"}, 120),
        ("DaemonSet", "restarted", {"maxUnavailable": 0, "maxSurge": 1}, 300),
    ],
)
def test_the_longest_end_of_five_pods(kind: str, what: What, update: Values, seconds: int) -> None:
    live = merge(_GRACE, {"spec": {"updateStrategy": {"rollingUpdate": update}}})
    assert effects.longest_end_seconds(Change(key=Key(kind, "", "a"), what=what, live=live), 5) == seconds


@pytest.mark.parametrize(("claim", "then", "seconds"), [("cache", "wait", 600 + 360 + 60), ("another", "continue", 0)])
def test_a_claim_that_goes_waits_for_the_runs_that_mount_it(claim: str, then: str, seconds: int) -> None:
    of = agent(values={"task": {"job": {"activeDeadlineSeconds": 600}}})
    volumes = {"spec": {"volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": claim}}]}}
    now = snapshot(of, jobs=[job("plan")], pods=[merge(pod("plan-x", OF_RUNS, job="plan"), volumes)])
    found = _effect(of, "replaced", now, Change(key=Key("PersistentVolumeClaim", NAMESPACE, "cache"), what="replaced"))
    assert (found.then, found.longest_wait_seconds) == (then, seconds)
    assert [run.name for run in found.runs or ()] == ["plan"]


def test_runs_are_found_by_the_labels_that_the_cluster_has() -> None:
    old, new = agent(values={"fullnameOverride": "runs"}), agent(values={"fullnameOverride": "runs", "nameOverride": "other"})
    [workload] = [manifest for manifest in old.objects if manifest["kind"] == "Deployment"]
    now = snapshot(new, jobs=[job("plan", labels=old.release.selector("task"))])
    [found] = effects.of([new], [Change(key=key_of(workload), what="replaced", live=merge(workload, _status(1)))], now)
    assert [run.name for run in found.runs or ()] == ["plan"]


def test_a_workload_of_another_kind_that_the_agent_had_ends_its_runs() -> None:
    old, new = agent(kind="agent-local"), agent()
    [workload] = [manifest for manifest in old.objects if manifest["kind"] == "Deployment"]
    now, removed = snapshot(new), [Change(key=key_of(workload), what="removed", live=merge(workload, _status(1)))]
    [found] = effects.of([new], removed, now)
    assert (found.then, found.pods) == ("end", 1)
    [beside, owner] = effects.of([new, old], removed, now)
    assert (beside.then, owner.then) == ("continue", "end")


def _impact(*changes: Change, then: effects.Then = "continue") -> Impact:
    workload = Change(key=Key("Deployment", NAMESPACE, "runs"), what="restarted")
    effect = Effect(
        name="runs", kind="agent-local", namespace=NAMESPACE, workloads=[workload], runs=None, then=then, pods=2, longest_wait_seconds=120
    )
    return Impact(agents=[effect], changes=changes, notes=["a note"])


def test_text_says_everything() -> None:
    fields = ["spec.a", "spec.b", "spec.c", "spec.d"]
    restarted = Change(key=Key("Deployment", NAMESPACE, "runs"), what="restarted", fields=fields)
    replaced = Change(key=Key("PersistentVolumeClaim", NAMESPACE, "cache"), what="replaced", fields=["spec"], reason="the new one is empty")
    assert command.as_text(_impact(restarted, replaced, then="end")) == [
        "AGENT  KIND         CONTROLLERS  RUNS  THEN          LONGEST WAIT",
        "runs   agent-local  restarted    -     end (2 pods)  2m",
        "Deployment scalr/runs restarts: spec.a, spec.b, spec.c and 1 more",
        "PersistentVolumeClaim scalr/cache is replaced: the new one is empty: spec",
        "note: a note",
    ]


@pytest.mark.parametrize(
    ("what", "then", "expected"),
    [("replaced", "end", True), ("rejected", "continue", False), ("unknown", "continue", False), ("restarted", "unknown", False)],
)
def test_what_counts_as_told(what: What, then: effects.Then, expected: bool) -> None:
    assert _impact(Change(key=Key("Role", NAMESPACE, "runs"), what=what), then=then).is_complete is expected


def test_runs_that_cannot_be_seen() -> None:
    of = agent()
    now = Snapshot(at=NOW, lists={("jobs.batch", NAMESPACE): Hidden("no"), ("pods", NAMESPACE): []})
    assert _effect(of, "restarted", now).runs is None
