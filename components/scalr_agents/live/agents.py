"""What the agents of a stack do, out of a snapshot of the cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.charts.shared.pods import claims_of, containers, template_of, templates
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Hidden, Json
from scalr_agents.live import reasons
from scalr_agents.live.snapshot import Snapshot
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import COMPONENT

FAILURES = 5
"""How many failures of an agent are listed, the last ones."""
_VERSION = "app.kubernetes.io/version"
_RUNS = "task"
_JOB = ("batch.kubernetes.io/job-name", "job-name")
_ENDS_OF_JOBS = ("BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy")


@dataclass(frozen=True, kw_only=True)
class Pods:
    """The pods of a workload."""

    what: str
    ready: int
    desired: int
    reason: str
    """Why not all are ready."""
    needed: bool
    """Whether the agent works only if they are ready."""


@dataclass(frozen=True, kw_only=True)
class Run:
    name: str
    phase: str
    """`running` or `pending`."""
    seconds: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Failure:
    name: str
    reason: str
    seconds: int
    """How long ago."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    name: str
    phase: str
    size: str
    used: int | None
    """Bytes; `None` if no kubelet tells them."""
    capacity: int | None


@dataclass(frozen=True, kw_only=True)
class Status:
    """What an agent does."""

    name: str
    kind: str
    namespace: str
    version: Mapping[str, str | None]
    """In the `cluster`, if it is there, and in the `stack` file."""
    pods: Sequence[Pods] | None
    """`None` if they cannot be seen."""
    runs: Sequence[Run] | None
    """`None` if they cannot be seen, or have no pods of their own."""
    failures: Sequence[Failure]
    claims: Sequence[Claim]
    differences: Sequence[str]

    @property
    def ready(self) -> bool:
        """Whether all pods that it needs are known to be ready."""
        return self.pods is not None and all(each.ready >= each.desired for each in self.pods if each.needed)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ready": self.ready}


def of(agents: Sequence[AnyAgent], now: Snapshot) -> list[Status]:
    """What each of these agents does."""
    return [_status(agent, now, alone=sum(agent.release.namespace == each.release.namespace for each in agents) == 1) for agent in agents]


def _status(agent: AnyAgent, now: Snapshot, *, alone: bool) -> Status:
    namespace = agent.release.namespace
    made = [(what, maker, template, now.makers.get(paths.path(maker, [agent]))) for what, maker, template in templates(agent.objects)]
    workloads = [(what, maker, found) for what, maker, _, found in made if maker["kind"] in WORKLOADS]
    found = next((found for _, _, found in workloads if isinstance(found, dict)), None)
    kept = [pod for _, maker, _ in workloads for pod in pods_of(maker, now)]
    of_runs = list(pods_of_runs(agent, now.items("pods", namespace), now.items("jobs.batch", namespace)))
    mounted = {name for _, _, template, _ in made for name in claims_of(template["spec"])}
    mounted |= {name for pod in (*kept, *of_runs) for name in claims_of(pod["spec"])}
    return Status(
        name=agent.name,
        kind=agent.chart.name,
        namespace=namespace,
        version={"cluster": _version(found) if found else None, "stack": agent.release.version},
        pods=None if any(isinstance(found, Hidden) for *_, found in workloads) else [_pods(*each, now) for each in workloads],
        runs=_runs(agent, of_runs, now),
        failures=_failures(agent, kept, of_runs, now, alone=alone),
        claims=[_claim(item, now) for item in now.items("persistentvolumeclaims", namespace) if item["metadata"]["name"] in mounted],
        differences=[text for _, maker, template, found in made for text in _differences(maker, template, found)],
    )


def pods_of(maker: Manifest, now: Snapshot) -> list[Json]:
    """The pods of a workload."""
    selected = maker["spec"]["selector"]["matchLabels"]
    return [pod for pod in now.items("pods", maker["metadata"]["namespace"]) if _has(pod, selected)]


def is_needed(maker: Manifest) -> bool:
    """Whether an agent works only with the pods of a workload. Placeholders give way to runs, and runs can pull their images."""
    labels: Mapping[str, str] = maker["spec"]["template"]["metadata"]["labels"]
    return labels.get(COMPONENT) not in contract.IDLE


def pods_of_runs(agent: AnyAgent, pods: Iterable[Json], jobs: Iterable[Json]) -> Iterator[Json]:
    """The pods of an agent's runs. Those of agent-k8s have our labels only if a policy selects them; otherwise nothing owns them."""
    if not agent.chart.starts_pods:
        return
    names = {job["metadata"]["name"] for job in jobs_of(agent, jobs)}
    for pod in pods:
        labels, owners = pod["metadata"].get("labels", {}), pod["metadata"].get("ownerReferences")
        is_bare = not agent.release.line.task_resource and not owners and COMPONENT not in labels
        if job_name(pod) in names or _has(pod, agent.release.selector(_RUNS)) or is_bare:
            yield pod


def jobs_of(agent: AnyAgent, jobs: Iterable[Json]) -> list[Json]:
    """The Jobs of an agent's runs: their pods have its labels."""
    selected = agent.release.selector(_RUNS)
    return [job for job in jobs if _has(job["spec"]["template"], selected)]


def job_name(pod: Json) -> str:
    labels = pod["metadata"].get("labels", {})
    return next((str(labels[label]) for label in _JOB if label in labels), "")


def _has(item: Json, selected: Mapping[str, str]) -> bool:
    labels: Mapping[str, str] = item["metadata"].get("labels", {})
    return selected.items() <= labels.items()


def _version(item: Json) -> str | None:
    version: str | None = item["metadata"].get("labels", {}).get(_VERSION)
    return version


def _pods(what: str, maker: Manifest, found: Json | Hidden | None, now: Snapshot) -> Pods:
    build = partial(Pods, what=what.removesuffix("pods").strip() or "agent", needed=is_needed(maker))
    name = f"{maker['kind']} {maker['metadata']['name']}"
    if not isinstance(found, dict):
        return build(ready=0, desired=maker["spec"].get("replicas", 1), reason=f"{name} does not exist")
    spec, status = found["spec"], found.get("status", {})
    of_nodes = maker["kind"] == "DaemonSet"
    desired = status.get("desiredNumberScheduled", 0) if of_nodes else spec.get("replicas", 1)
    ready = status.get("numberReady", 0) if of_nodes else status.get("readyReplicas", 0)
    return build(ready=ready, desired=desired, reason=_unready(maker, found, now) if ready < desired else "")


def _unready(maker: Manifest, found: Json, now: Snapshot) -> str:
    """Why a workload has too few ready pods: what its controller could not create, or the first pod that is not ready."""
    events = now.items("events", maker["metadata"]["namespace"])
    refused = reasons.condition(found, "ReplicaFailure")
    if refused and refused["status"] == "True":
        return f"{refused.get('reason')}: {refused.get('message')}"
    for pod in pods_of(maker, now):
        ready = reasons.condition(pod, "Ready")
        if not ready or ready["status"] != "True":
            return f"pod {pod['metadata']['name']}: {reasons.pending(pod, events)}"
    return reasons.last_warning(found, events)


def _runs(agent: AnyAgent, pods: Sequence[Json], now: Snapshot) -> list[Run] | None:
    """The runs in progress, the oldest first."""
    namespace, through_jobs = agent.release.namespace, agent.release.line.task_resource is not None
    if not agent.chart.starts_pods or not now.sees("pods", namespace) or (through_jobs and not now.sees("jobs.batch", namespace)):
        return None
    events = now.items("events", namespace)
    if not through_jobs:
        found = [_run(pod, [pod], events, now.at) for pod in pods if not _has_ended(pod)]
    else:
        jobs = [job for job in jobs_of(agent, now.items("jobs.batch", namespace)) if not _has_ended(job)]
        found = [_run(job, [pod for pod in pods if job_name(pod) == job["metadata"]["name"]], events, now.at) for job in jobs]
    return sorted(found, key=lambda run: -run.seconds)


def _has_ended(item: Json) -> bool:
    ends = (reasons.condition(item, kind) for kind in ("Complete", "Failed"))
    return item.get("status", {}).get("phase") in ("Succeeded", "Failed") or any(end and end["status"] == "True" for end in ends)


def _run(of: Json, pods: Sequence[Json], events: Iterable[Json], at: datetime) -> Run:
    """A run: its Job, or its pod."""
    build = partial(Run, name=of["metadata"]["name"], seconds=_seconds(of["metadata"]["creationTimestamp"], at))
    current = sorted(pods, key=lambda pod: (not _has_ended(pod), pod["metadata"]["creationTimestamp"]))
    if not current:
        suspended = "Suspended" if of["spec"].get("suspend") else ""
        return build(phase="pending", reason=suspended or reasons.last_warning(of, events) or "no pod yet")
    pod = current[-1]
    if pod["status"].get("phase", "Pending") == "Pending":
        return build(phase="pending", reason=reasons.pending(pod, events))
    return build(phase="running", reason=reasons.failed(pod) or ("terminating" if "deletionTimestamp" in pod["metadata"] else ""))


def _failures(agent: AnyAgent, kept: Iterable[Json], of_runs: Sequence[Json], now: Snapshot, *, alone: bool) -> list[Failure]:
    """The last failures, each run once. Of runs that are gone, only events are left, which do not say whose they are."""
    namespace = agent.release.namespace
    found: dict[str, tuple[str, str]] = {}
    for job in jobs_of(agent, now.items("jobs.batch", namespace)):
        name = job["metadata"]["name"]
        if reason := reasons.of_job(job, [pod for pod in of_runs if job_name(pod) == name]):
            found[name] = reason, (reasons.condition(job, "Failed") or {}).get("lastTransitionTime") or ""
    for pod in (*of_runs, *kept):
        if pod["status"].get("phase") == "Failed" and (reason := reasons.failed(pod)):
            found.setdefault(job_name(pod) or pod["metadata"]["name"], (reason, _ended_at(pod)))
    found |= {pod["metadata"]["name"]: failure for pod in kept for failure in reasons.restarted(pod)}
    for event in now.items("events", namespace) if alone and agent.release.line.task_resource else ():
        about = event["involvedObject"]
        if about["kind"] == "Job" and event.get("reason") in _ENDS_OF_JOBS:
            found.setdefault(about["name"], (f"{event['reason']}: {event.get('message', '')}", reasons.when(event)))
    listed = [Failure(name=name, reason=reason, seconds=_seconds(time, now.at)) for name, (reason, time) in found.items()]
    return sorted(listed, key=lambda failure: failure.seconds)[:FAILURES]


def _ended_at(pod: Json) -> str:
    ends = [each.get("state", {}).get("terminated") or {} for each in pod["status"].get("containerStatuses") or ()]
    return max((end["finishedAt"] for end in ends if end.get("finishedAt")), default=str(pod["metadata"]["creationTimestamp"]))


def _claim(item: Json, now: Snapshot) -> Claim:
    metadata, status = item["metadata"], item.get("status", {})
    mine = {"name": metadata["name"], "namespace": metadata["namespace"]}
    stats = (stats for stats in now.stats.values() if isinstance(stats, dict))
    volumes = (volume for each in stats for pod in each.get("pods") or () for volume in pod.get("volume") or ())
    found: Json = next((volume for volume in volumes if volume.get("pvcRef") == mine), {})
    size = status.get("capacity", {}).get("storage") or item["spec"]["resources"]["requests"]["storage"]
    return Claim(
        name=mine["name"], phase=status.get("phase", ""), size=size, used=found.get("usedBytes"), capacity=found.get("capacityBytes")
    )


def _differences(maker: Manifest, template: Manifest, found: Json | Hidden | None) -> Iterator[str]:
    """What was deployed differently from the stack file: version, replicas, images."""
    what = f"{maker['kind']} {maker['metadata']['name']}"
    if found is None:
        yield f"{what} does not exist"
    if not isinstance(found, dict):
        return
    pairs: list[tuple[str, Any, Any]] = [("version", _version(found), _version(maker))]
    if "replicas" in maker["spec"]:
        pairs.append(("replicas", found["spec"].get("replicas"), maker["spec"]["replicas"]))
    there = {each["name"]: each["image"] for each in containers(template_of(found)["spec"])}
    wanted_images = {each["name"]: each["image"] for each in containers(template["spec"]) if isinstance(each["image"], str)}
    pairs += [(f"image of {name}", there.get(name), image) for name, image in wanted_images.items()]
    for field, here, wanted in pairs:
        if here != wanted:
            yield f"{what}: {field} is {'not set' if here is None else here} in the cluster, {wanted} in the stack file"


def _seconds(since: str, until: datetime) -> int:
    """Clocks may differ, so that something seems to come from the future."""
    return max(0, int((until - datetime.fromisoformat(since)).total_seconds())) if since else 0
