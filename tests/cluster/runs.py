"""Runs: the Jobs that a controller of agent-job starts out of its template, and their pods, which run until a test ends them."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from tests.cluster.client import Client, Manifest, Manifests, wait

Result = Literal["succeeded", "failed"]

_FINISH = "scalr-agents.test/finish"  # see stages.yaml
_JOB_LABEL = "batch.kubernetes.io/job-name"


@dataclass(frozen=True)
class Run:
    """A run in progress, or one that was."""

    cluster: Client
    name: str
    namespace: str

    def job(self) -> Manifest | None:
        """The Job, as long as it is there."""
        return self.cluster.find("Job", self.name, self.namespace)

    def pods(self) -> Manifests:
        return self.cluster.list("Pod", self.namespace, {_JOB_LABEL: self.name})

    def is_running(self) -> bool:
        phases = [pod["status"].get("phase") for pod in self.pods()]
        return bool(phases) and set(phases) == {"Running"}

    def finish(self, result: Result = "succeeded") -> None:
        """Let all containers of the run end, with exit code 0 or 1, and wait until the Job is done."""
        for pod in self.pods():
            self.cluster.patch("Pod", pod["metadata"]["name"], self.namespace, {"metadata": {"annotations": {_FINISH: result}}})
        # Times of Jobs are whole seconds: a short time to live may be over as soon as the Job is done.
        wait(lambda: self.job() is None or self.conditions(), f"the end of Job {self.name}")

    def deadline_seconds(self) -> int | None:
        """How long the Job may take."""
        seconds: int | None = (self.job() or {})["spec"].get("activeDeadlineSeconds")
        return seconds

    def shorten(self, deadline_seconds: int) -> None:
        """Bring the deadline forward, so that results before it do not depend on the speed of the test."""
        self.cluster.patch("Job", self.name, self.namespace, {"spec": {"activeDeadlineSeconds": deadline_seconds}})

    def conditions(self) -> set[str]:
        """How the Job ended: `Complete` or `Failed`, with the reason; empty while it runs."""
        status = (self.job() or {}).get("status", {})
        conditions = {condition["type"] for condition in status.get("conditions", ()) if condition["status"] == "True"}
        return conditions if conditions & {"Complete", "Failed"} else set()


def job(task: Mapping[str, Any], run: str, *, ttl_seconds: int | None = None) -> Manifest:
    """The Job for a run out of an AgentTask or AgentTaskTemplate, as the agent's controller makes it."""
    template = deepcopy(task["spec"]["jobTemplate"])
    name = f"{task['spec'].get('basename', 'atask')}-{run}-plan"
    metadata = {**template.get("metadata", {}), "name": name, "namespace": task["metadata"]["namespace"]}
    ttl = {} if ttl_seconds is None else {"ttlSecondsAfterFinished": ttl_seconds}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {**template["spec"], **ttl}}


def start(
    cluster: Client, task: Mapping[str, Any], run: str = "run-1", *, ttl_seconds: int | None = None, controller: Client | None = None
) -> Run:
    """Start a run and wait until its pods do; `controller` creates the Job, by default the observing client."""
    created = job(task, run, ttl_seconds=ttl_seconds)
    (controller or cluster).create(created)
    started = Run(cluster, created["metadata"]["name"], created["metadata"]["namespace"])
    try:
        wait(started.is_running, f"the pods of Job {started.name}")
    except TimeoutError as problem:
        problem.add_note("\n".join(event["message"] for event in cluster.list("Event", started.namespace)))
        raise
    return started


def tasks(objects: Manifests) -> Manifests:
    """The templates of runs among the objects."""
    return [manifest for manifest in objects if "jobTemplate" in manifest.get("spec", {})]
