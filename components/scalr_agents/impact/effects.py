"""What happens to the runs of each agent, out of what happens to the objects.

How the pods of a run end is decided by what is in the cluster, not by what the stack file says: it applies to the pods after them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any, Literal

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.charts.shared.pods import claims_of
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.cluster.answers import Json
from scalr_agents.impact.changes import Change
from scalr_agents.live.agents import Run, Status, pods_of_runs
from scalr_agents.live.agents import of as status_of
from scalr_agents.live.snapshot import Snapshot
from scalr_agents.model.manifests import key_of
from scalr_agents.model.release import INSTANCE, NAME
from scalr_agents.observability.watched import workloads as own_workloads

Then = Literal["continue", "wait", "end", "unknown"]

_ENDING = ("scaled-in", "restarted", "replaced", "removed")
"""Changes that end pods."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What happens to an agent and its runs."""

    name: str
    kind: str
    namespace: str
    workloads: Sequence[Change]
    """Those that start runs or execute them."""
    runs: Sequence[Run] | None
    """The runs in progress; `None` if they cannot be seen, or have no pods of their own."""
    then: Then
    """`continue`: nothing stops them. `wait`: the deployment waits until they have finished. `end`: they are stopped."""
    pods: int
    """Pods that end with the runs in them, or that supervise runs."""
    longest_wait_seconds: int | None
    """How long the deployment takes at most because of runs; `None` if there is no limit, or it is not known."""

    def as_json(self) -> dict[str, Any]:
        found = {each.key.place: each.what for each in self.workloads}
        rest = {key: value for key, value in vars(self).items() if key not in ("workloads", "runs")}
        return {**rest, "workloads": found, "runs": None if self.runs is None else [asdict(run) for run in self.runs]}


def of(agents: Sequence[AnyAgent], changes: Sequence[Change], now: Snapshot) -> list[Effect]:
    """What happens to each of these agents."""
    of_workloads = [change for change in changes if change.key.kind in WORKLOADS]
    workloads = [[change for change in of_workloads if _is_of(change, agent, agents)] for agent in agents]
    deployed = list(map(_as_deployed, agents, workloads))
    statuses = status_of(deployed, now)
    return [_effect(agent, own, changes, status, now) for agent, own, status in zip(deployed, workloads, statuses, strict=True)]


def _as_deployed(agent: AnyAgent, own: Sequence[Change]) -> AnyAgent:
    """The agent with the name in its labels by which the cluster knows its pods, and those of its runs."""
    names = (change.live["metadata"].get("labels", {}).get(NAME) for change in own if change.live)
    name = next(names, None) or agent.release.base_name
    return replace(agent, release=agent.release._replace(base_name=name))


def _effect(agent: AnyAgent, own: Sequence[Change], changes: Sequence[Change], status: Status, now: Snapshot) -> Effect:
    ending = [(change, number) for change in own if (number := _ending_pods(change, agent)) and holds_runs(change.live)]
    then, seconds = _of_pods(ending)
    claims = {change.key for change in changes if change.key.kind == "PersistentVolumeClaim" and change.what in ("replaced", "removed")}
    if then == "continue" and any(_mounts(agent, key.name, now) for key in claims if key.namespace == agent.release.namespace):
        longest = agent.chart.longest_run_seconds
        then, seconds = "wait", longest(agent.values) if longest else None
    if then == "continue" and agent.release.line.task_resource is None and any(change.what == "unknown" for change in own):
        then, seconds = "unknown", None
    return Effect(
        name=agent.name,
        kind=agent.chart.name,
        namespace=agent.release.namespace,
        workloads=own,
        runs=status.runs,
        then=then,
        pods=sum(number for _, number in ending),
        longest_wait_seconds=seconds,
    )


def _is_of(change: Change, agent: AnyAgent, agents: Sequence[AnyAgent]) -> bool:
    """Whether a workload is of an agent: one that the stack has, or one that the agent's release has no longer.

    Agents of several kinds may have one release in a namespace; their names differ.
    """
    release, labels = agent.release, change.live.get("metadata", {}).get("labels", {})
    if change.what != "removed" or change.key.namespace != release.namespace:
        return change.key in map(key_of, own_workloads(agent))
    others = {each.release.base_name for each in agents if each.release.name == release.name} - {release.base_name}
    return labels.get(INSTANCE) == release.name and labels.get(NAME) not in others


def _ending_pods(change: Change, agent: AnyAgent) -> int:
    """How many pods of a workload end."""
    if change.what not in _ENDING:
        return 0
    status = change.live.get("status", {})
    number = int(status.get("desiredNumberScheduled" if change.key.kind == "DaemonSet" else "replicas", 0))
    if change.what != "scaled-in":
        return number
    [kept] = [manifest["spec"].get("replicas", 1) for manifest in agent.objects if key_of(manifest) == change.key]
    return max(0, number - int(kept))


def _of_pods(ending: Sequence[tuple[Change, int]]) -> tuple[Then, int | None]:
    """What pods do with their runs when they end, and how long that takes at most."""
    if not ending:
        return "continue", 0
    drain = all(_environment(change.live).get("SCALR_AGENT_WORKER_ON_STOP_ACTION") == "drain" for change, _ in ending)
    return "wait" if drain else "end", max(longest_end_seconds(change, number) for change, number in ending)


def holds_runs(workload: Json) -> bool:
    """Whether the pods of a workload execute runs, or supervise them on their node: their end reaches the runs."""
    variables = _environment(workload)
    return variables.get("SCALR_AGENT_DRIVER") == "local" or variables.get("SCALR_AGENT_KUBERNETES_MODE") == "worker"


def _environment(workload: Json) -> dict[str, Any]:
    containers = workload["spec"]["template"]["spec"]["containers"]
    return {variable["name"]: variable.get("value") for container in containers for variable in container.get("env", ())}


def longest_end_seconds(change: Change, pods: int) -> int:
    """How long all pods of a workload take to end at most: one after another where Kubernetes waits for each."""
    spec = change.live["spec"]
    grace = grace_seconds(spec["template"]["spec"].get("terminationGracePeriodSeconds"))
    if change.what != "restarted" or change.key.kind == "Deployment":
        return grace
    update = spec.get("updateStrategy", {}).get("rollingUpdate") or {}
    return grace * ceil(pods / max(1, _number(update.get("maxUnavailable", 1), pods)))


def _number(given: int | str, of: int) -> int:
    """A number of pods, given as such or as a percentage."""
    return ceil(of * int(given.removesuffix("%")) / 100) if isinstance(given, str) else given


def _mounts(agent: AnyAgent, claim: str, now: Snapshot) -> bool:
    """Whether a pod of a run mounts a claim: Kubernetes deletes it only when the pod is gone."""
    namespace = agent.release.namespace
    pods = pods_of_runs(agent, now.items("pods", namespace), now.items("jobs.batch", namespace))
    return any(claim in claims_of(pod["spec"]) for pod in pods)
