"""The containers whose logs `logs` prints, and their lines as they come."""

import gc
import re
import time
from collections.abc import Iterator, Sequence
from queue import Queue
from threading import Thread
from typing import NamedTuple

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.charts.shared.pods import templates
from scalr_agents.cluster.answers import Hidden, Json
from scalr_agents.cluster.api import Api, ClusterError, RefusedError
from scalr_agents.live import agents
from scalr_agents.live.snapshot import Snapshot
from scalr_agents.model.characters import escaped

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_POLL_SECONDS = 1.0
_NOT_STARTED = "waiting to start"
"""What the API server says of a container that has no log yet."""


class LogsError(Exception):
    """There is no log to print. The text is one sentence that says why, and what to do."""


class Source(NamedTuple):
    """A container of a pod."""

    namespace: str
    pod: str
    container: str

    @property
    def name(self) -> str:
        return f"{self.pod}/{self.container}"

    @property
    def path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.pod}/log"


def sources(agent: AnyAgent, run: str, now: Snapshot) -> list[Source]:
    """The containers of an agent's own pods, or of the pods of a run. Raises `LogsError` if there are none."""
    namespace = agent.release.namespace
    listed = now.lists["pods", namespace]
    if isinstance(listed, Hidden):
        raise LogsError(f"pods in namespace {namespace}: cannot be seen: {listed.reason}")
    found = _of_run(agent, run, now) if run else _of_agent(agent, now)
    return [Source(namespace, pod["metadata"]["name"], each["name"]) for pod in found for each in pod["spec"]["containers"]]


def _of_agent(agent: AnyAgent, now: Snapshot) -> list[Json]:
    workloads = [maker for _, maker, _ in templates(agent.objects) if maker["kind"] in WORKLOADS and agents.is_needed(maker)]
    found = [pod for maker in workloads for pod in agents.pods_of(maker, now)]
    if not found:
        raise LogsError(f"agent {agent.name} has no pods; scalr-agents status says why")
    return found


def _of_run(agent: AnyAgent, run: str, now: Snapshot) -> list[Json]:
    if not agent.chart.starts_pods:
        raise LogsError(f"runs of {agent.chart.name} are processes in its pods; print the logs of these, without --run")
    namespace = agent.release.namespace
    jobs = now.items("jobs.batch", namespace)
    pods = list(agents.pods_of_runs(agent, now.items("pods", namespace), jobs))
    found = [pod for pod in pods if is_of(run, pod["metadata"]["name"]) or is_of(run, agents.job_name(pod))]
    if not found and any(is_of(run, job["metadata"]["name"]) for job in agents.jobs_of(agent, jobs)):
        raise LogsError(f"run {run} has no pod now; scalr-agents status says why")
    if not found:
        there = ", ".join(dict.fromkeys(agents.job_name(pod) or pod["metadata"]["name"] for pod in pods)) or "none"
        raise LogsError(f"no pod of run {run} is there{_kept(agent)}; the log of the run is in Scalr. Runs with pods: {there}")
    return found


def is_of(run: str, name: str) -> bool:
    """Whether an object is that of a run, whose id is a part of the name: `atask-run-v0abc-plan` is of `run-v0abc`."""
    return f"-{run.lower()}-" in f"-{name}-"


def _kept(agent: AnyAgent) -> str:
    """How long the pods of finished runs are kept."""
    specs = [maker["spec"]["jobTemplate"]["spec"] for _, maker, _ in templates(agent.objects) if "jobTemplate" in maker["spec"]]
    seconds = [spec["ttlSecondsAfterFinished"] for spec in specs if spec.get("ttlSecondsAfterFinished") is not None]
    return f" (deleted {seconds[0]} seconds after the end: task.job.ttlSecondsAfterFinished)" if seconds else ""


def printed(api: Api, found: Sequence[Source], *, follow: bool) -> Iterator[str]:
    """The lines of some logs, one log after the other, or all as they come. They are named if there are several. Raises `ClusterError`."""
    read = _following(api, found) if follow else ((each, line) for each in found for line in _lines(api, each, follow=False))
    for source, line in read:
        yield f"{source.name}: {harmless(line)}" if len(found) > 1 else harmless(line)


def harmless(line: str) -> str:
    """A line without colours, and with escapes in place of what else moves a cursor."""
    return escaped(_COLOURS.sub("", line.rstrip("\r")))


def _following(api: Api, found: Sequence[Source]) -> Iterator[tuple[Source, str]]:
    """The lines of all as they come, each read by a thread, which ends with the process."""
    queue: Queue[tuple[Source, str | ClusterError | None]] = Queue(maxsize=1000)

    def read(source: Source) -> None:
        try:
            for line in _lines(api, source, follow=True):
                queue.put((source, line))
            queue.put((source, None))
        except ClusterError as problem:
            queue.put((source, problem))

    gc.enable()  # as the process is not a short one
    for each in found:
        Thread(target=read, args=(each,), daemon=True).start()
    left = len(found)
    while left:
        source, line = queue.get()
        if isinstance(line, ClusterError):
            raise line
        if line is None:
            left -= 1
        else:
            yield source, line


def _lines(api: Api, source: Source, *, follow: bool) -> Iterator[str]:
    """The lines of a log. Who follows it waits for its container to start."""
    query = [("container", source.container), *([("follow", "true")] if follow else [])]
    while True:
        try:
            yield from api.lines(source.path, query)
        except RefusedError as problem:
            if not (follow and _NOT_STARTED in str(problem)):
                yield f"(no log: {problem})"
                return
            time.sleep(_POLL_SECONDS)
        else:
            return
