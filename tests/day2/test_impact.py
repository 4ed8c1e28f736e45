"""What happens to runs, out of what happens to objects."""

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.cluster.answers import Hidden, Listed, understood
from scalr_agents.cluster.objects import Job, Pod, Workload
from scalr_agents.cluster.view import View
from scalr_agents.day2 import impact
from scalr_agents.day2.changes import Change, What
from scalr_agents.day2.impact import Effect, Impact
from scalr_agents.model.manifests import Key, key_of
from scalr_agents.model.maps import Values, merge

from tests.helpers.answers_of_cluster import NAMESPACE, NOW, OF_RUNS, agent, job, pod, snapshot

_GRACE = {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 60}}}}


def live(item: Values) -> Workload:
    """A workload as it is read."""
    found, odd = understood(Workload, item)
    assert found
    assert not odd
    return found


def _status(pods: int) -> Values:
    return {"status": {"replicas": pods, "desiredNumberScheduled": pods}}


def _effect(of: AnyAgent, what: What, now: View, *others: Change, pods: int = 2) -> Effect:
    """What happens to an agent whose workloads all change in this way. Each has this number of pods."""
    workloads = [merge(manifest, _status(pods)) for manifest in of.objects if manifest["kind"] in WORKLOADS]
    found = [Change(key=key_of(each), what=what, live=None if what in ("created", "unknown") else live(each)) for each in workloads]
    [effect] = impact.effects([of], [*found, *others], now)
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
    workload = live(merge(_GRACE, {"metadata": {"name": "a"}, "spec": {"updateStrategy": {"rollingUpdate": update}}}))
    assert impact.longest_end_seconds(Change(key=Key(kind, "", "a"), what=what), workload, 5) == seconds


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
    [found] = impact.effects([new], [Change(key=key_of(workload), what="replaced", live=live(merge(workload, _status(1))))], now)
    assert [run.name for run in found.runs or ()] == ["plan"]


def test_a_workload_of_another_kind_that_the_agent_had_ends_its_runs() -> None:
    old, new = agent(kind="agent-local"), agent()
    [workload] = [manifest for manifest in old.objects if manifest["kind"] == "Deployment"]
    now, removed = snapshot(new), [Change(key=key_of(workload), what="removed", live=live(merge(workload, _status(1))))]
    [found] = impact.effects([new], removed, now)
    assert (found.then, found.pods) == ("end", 1)
    [beside, owner] = impact.effects([new, old], removed, now)
    assert (beside.then, owner.then) == ("continue", "end")


def _impact(*changes: Change, then: impact.Then = "continue") -> Impact:
    workload = Change(key=Key("Deployment", NAMESPACE, "runs"), what="restarted")
    effect = Effect(
        name="runs", kind="agent-local", namespace=NAMESPACE, workloads=[workload], runs=None, then=then, pods=2, longest_wait_seconds=120
    )
    return Impact(agents=[effect], changes=changes, notes=["a note"])


def test_text_says_everything() -> None:
    fields = ["spec.a", "spec.b", "spec.c", "spec.d"]
    restarted = Change(key=Key("Deployment", NAMESPACE, "runs"), what="restarted", fields=fields)
    replaced = Change(key=Key("PersistentVolumeClaim", NAMESPACE, "cache"), what="replaced", fields=["spec"], reason="the new one is empty")
    assert impact.as_text(_impact(restarted, replaced, then="end")) == [
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
def test_what_counts_as_told(what: What, then: impact.Then, expected: bool) -> None:
    assert _impact(Change(key=Key("Role", NAMESPACE, "runs"), what=what), then=then).is_complete is expected


def test_runs_that_cannot_be_seen() -> None:
    of = agent()
    now = View(at=NOW, lists={(Job, NAMESPACE): Hidden("no"), (Pod, NAMESPACE): Listed()})
    assert _effect(of, "restarted", now).runs is None


def _removed(of: AnyAgent, *kinds: str) -> list[Change]:
    """The objects of some kinds that an agent had, which are removed. Its workloads have one pod."""
    made = [merge(manifest, _status(1)) if manifest["kind"] in WORKLOADS else manifest for manifest in of.objects]
    return [Change(key=key_of(each), what="removed", live=live(each)) for each in made if each["kind"] in kinds]


@pytest.mark.parametrize(
    ("words", "kind", "then", "seconds"),
    [
        ({"kind": "agent-local"}, "agent-local", "end", 120),
        ({"kind": "agent-local", "values": {"agent": {"shutdownMode": "drain"}}}, "agent-local", "wait", 120),
        ({"kind": "agent-k8s"}, "agent-k8s", "wait", 3660),
        ({"agentVersion": "1.4.0"}, "agent-job", "continue", 0),
        ({"agentVersion": "0.57.0"}, "agent-job", "continue", 0),
        ({"values": {"nameOverride": "payments"}}, "payments", "continue", 0),
    ],
)
def test_an_agent_that_the_stack_has_no_longer_is_a_row(words: Values, kind: str, then: str, seconds: int) -> None:
    of = agent(**words)
    [found] = impact.of_gone_agents([], _removed(of, *WORKLOADS), snapshot(of))
    assert (found.name, found.kind, found.namespace, found.then, found.longest_wait_seconds) == ("runs", kind, NAMESPACE, then, seconds)


def test_what_runs_of_an_agent_lose_that_is_renamed() -> None:
    of = agent(values={"serviceAccount": {"create": True}})
    removed = _removed(of, *WORKLOADS, "NetworkPolicy", "ServiceAccount", "PodDisruptionBudget", "Secret")
    [found] = impact.of_gone_agents([], removed, snapshot(of, jobs=[job("plan")]))
    assert [run.name for run in found.runs or ()] == ["plan"]
    assert {each.partition(" ")[0] for each in found.loses} == {"NetworkPolicy", "ServiceAccount", "PodDisruptionBudget"}
    [without_runs] = impact.of_gone_agents([], removed, snapshot(of))
    assert (without_runs.runs, without_runs.loses) == ([], ())


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"agentVersion": "0.57.0"}, {}, "NetworkPolicy runs-agent-job-network-policy"),
        ({}, {"kind": "agent-local"}, "NetworkPolicy runs-scalr-agent-network-policy"),
    ],
)
def test_what_runs_lose_when_their_agent_gets_another_line_or_kind(before: Values, after: Values, lost: str) -> None:
    old, new = agent(**before), agent(**after)
    now = snapshot(new, jobs=[job("plan", labels=old.release.selector("task"))])
    [found] = impact.effects([new], _removed(old, *WORKLOADS, "NetworkPolicy"), now)
    assert ([run.name for run in found.runs or ()], found.then, list(found.loses)) == (["plan"], "continue", [lost])


def test_a_policy_in_place_of_another_one_is_no_loss() -> None:
    of = agent()
    removed = _removed(of, "NetworkPolicy")
    assert impact.effects([of], removed, snapshot(of, jobs=[job("plan")]))[0].loses == []


def test_workloads_that_are_no_agents_are_no_rows() -> None:
    of = agent()
    item = {"metadata": {"name": "web", "namespace": NAMESPACE}, "spec": {"template": {"spec": {"containers": [{"name": "web"}]}}}}
    change = Change(key=Key("Deployment", NAMESPACE, "web"), what="removed", live=live(item))
    assert list(impact.of_gone_agents([], [change], snapshot(of))) == []


def test_what_cannot_be_judged_for_one_reason_is_one_line() -> None:
    unknown = [Change(key=Key("Role", namespace, "*"), what="unknown", reason="no") for namespace in "abcde"]
    one = Change(key=Key("Role", "a", "x"), what="unknown", reason="another")
    assert [line for line in impact.as_text(_impact(*unknown, one)) if line.startswith("Role")] == [
        "Role a/*, b/*, c/* and 2 more cannot be judged: no",
        "Role a/x cannot be judged: another",
    ]
