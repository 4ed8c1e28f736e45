"""Runs probes in a cluster: one Job for each agent, all at the same time, within a deadline. Nothing is left of them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from scalr_agents.cluster import objects, reasons
from scalr_agents.cluster.answers import Hidden
from scalr_agents.cluster.api import Api, ClusterError, RefusedError, below
from scalr_agents.cluster.objects import Event, Job
from scalr_agents.cluster.view import when
from scalr_agents.doctor import error, note, probe
from scalr_agents.doctor.facts import Access
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.model.findings import Finding, Findings

_POLL_SECONDS = 1.0
_JOBS = "/apis/batch/v1/namespaces/{}/jobs"
_NEEDED = (
    ("create", "batch", "jobs"),
    ("get", "batch", "jobs"),
    ("delete", "batch", "jobs"),
    ("list", "", "pods"),
    ("get", "", "pods/log"),
)
_NO_REASON = "no event says why"
_DEPLOY = "The probe uses what pulumi up creates (account, Secrets, claims, policy): deploy the stack first"


@dataclass
class _Running:
    """A probe in the cluster."""

    pod: Pod
    name: str
    path: str
    """Of its Job."""

    @property
    def subject(self) -> str:
        return f"probe of agent {self.pod.agent.name}"


def accesses(needs: Needs) -> list[Access]:
    """What running the probes takes."""
    namespaces = dict.fromkeys(agent.release.namespace for agent in needs.stack.agents)
    return [Access(verb, group, resource, namespace) for namespace in namespaces for verb, group, resource in _NEEDED]


def run(api: Api, needs: Needs, image: str, seconds: int) -> list[Finding]:
    """Run the probe of every agent and say what it found. The Jobs are deleted in any case, also on an interrupt."""
    running: list[_Running] = []
    found: list[Finding] = []
    try:
        for agent in needs.stack.agents:
            pod = needs.task_pod(agent)
            if pod:
                _start(api, pod, image, seconds, running, found)
        _await(api, running, seconds)
        for each in running:
            found += _findings(api, each)
    finally:
        found += _clean(api, running)
    return found


def _start(api: Api, pod: Pod, image: str, seconds: int, running: list[_Running], found: list[Finding]) -> None:
    jobs, manifest = _JOBS.format(pod.namespace), probe.job(pod, image, seconds)
    each = _Running(pod, manifest["metadata"]["name"], below(jobs, manifest["metadata"]["name"]))
    if not isinstance(manifest["spec"]["template"]["spec"]["containers"][0]["image"], str):
        found.append(error(each.subject, "its image is known only to Pulumi", "Name an image with --image"))
        return
    running.append(each)  # before it is created, so that an interrupt leaves nothing
    try:
        api.create(jobs, manifest)
    except RefusedError as problem:
        running.remove(each)
        found.append(error(each.subject, f"could not be started: {problem}", _DEPLOY))


def _await(api: Api, running: Sequence[_Running], seconds: int) -> None:
    """Wait until all probes have ended, at most until the deadline."""
    deadline = time.monotonic() + seconds
    waiting = list(running)
    while waiting and time.monotonic() < deadline:
        jobs = [(each, api.read(Job, each.path)[0]) for each in waiting]
        waiting = [each for each, job in jobs if isinstance(job, Job) and not job.has_ended]
        if waiting:
            time.sleep(_POLL_SECONDS)


def _findings(api: Api, each: _Running) -> Findings:
    namespace = below("/api/v1/namespaces", each.pod.namespace)
    pods = api.listed(objects.Pod, f"{namespace}/pods", [("labelSelector", f"job-name={each.name}")])
    if isinstance(pods, Hidden):
        yield error(each.subject, f"its pod cannot be seen: {pods.reason}", "Ask for the permission to list pods")
        return
    if not pods.items:
        yield error(each.subject, f"its pod was not created: {_last_warning(api, namespace, each.name) or _NO_REASON}", _DEPLOY)
        return
    pod = pods.items[-1]
    not_started = list(reasons.not_started(pod))
    if not_started or pod.phase == "Pending":
        told = filter(None, dict.fromkeys([*not_started, _last_warning(api, namespace, pod.name)]))
        yield error(each.subject, f"its pod did not start: {'; '.join(told) or _NO_REASON}", _DEPLOY)
        return
    yield note(each.subject, f"ran on node {pod.node or 'no node'}")
    results: dict[str, list[probe.Result]] = {}
    for container in pod.containers:
        log = api.text(below(f"{namespace}/pods", pod.name, "log"), [("container", container.name)])
        if isinstance(log, Hidden):
            yield error(each.subject, f"its log cannot be read: {log.reason}", "Ask for the permission to get pods/log")
            return
        results[container.name] = probe.parse(log or "")
    yield from probe.findings(each.subject, results, closed=not each.pod.may_reach_metadata_service)


def _last_warning(api: Api, namespace: str, name: str) -> str:
    """The last warning about an object, if there is one that may be seen."""
    events = api.listed(Event, f"{namespace}/events", [("fieldSelector", f"involvedObject.name={name},type=Warning")])
    found = [] if isinstance(events, Hidden) else sorted(events.items, key=when)
    return reasons.explained(found[-1]) if found else ""


def _clean(api: Api, running: Sequence[_Running]) -> Findings:
    """Delete all Jobs with their pods. What cannot be deleted now ends by itself."""
    for each in running:
        try:
            api.delete(each.path)
        except (RefusedError, ClusterError) as problem:
            yield error(
                each.subject,
                f"its Job {each.name} could not be deleted: {problem}",
                "Delete it; otherwise Kubernetes does after its deadline",
            )
