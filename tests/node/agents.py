"""Agents on the node: deployed from the objects that `render` prints, each in a namespace and with a pool of its own, and what they do."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from scalr_agents.model.maps import Values, merge
from scalr_agents.model.release import Line

from tests.cluster import agents
from tests.cluster.client import ApiError, Client, Manifest, Manifests, wait
from tests.node.world import SCALR, Event, Step, World

AGENT_K8S_HOME = "/var/lib/agent-k8s"
_SMALL = {"cpu": "10m", "memory": "16Mi"}
_LITTLE_DISK = {"data": {"emptyDir": {"sizeLimit": "64Mi"}}}
AGENTS: Mapping[str, Values] = {
    "agent-job": {
        "persistence": _LITTLE_DISK,
        "agent": {"resources": {"requests": _SMALL}},
        "task": {
            "terminationGracePeriodSeconds": 10,
            "job": {"ttlSecondsAfterFinished": 5},
            "runner": {"resources": {"requests": _SMALL}},
            "worker": {"resources": {"requests": _SMALL}},
        },
    },
    "agent-local": {"resources": {"requests": _SMALL}, "persistence": _LITTLE_DISK, "allowMetadataService": False},
    "agent-k8s": {
        "resources": {"requests": _SMALL},
        "restrictMetadataService": True,
        "agent": {"data_home": AGENT_K8S_HOME},
    },
}
"""The values of the tests: requests that fit on a small machine, and no waiting for finished runs."""

_Each = TypeVar("_Each")
_Answer = TypeVar("_Answer")

_SECONDS = 300
"""Enough for a machine that starts a dozen agents at the same time while it is busy with other work."""
_JOB_LABEL = "batch.kubernetes.io/job-name"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Agent:
    """An agent of a line, alone in its namespace and in its pool."""

    line: Line
    cluster: Client
    world: World
    namespace: str
    token: str
    objects: Manifests = field(repr=False)

    @property
    def id(self) -> str:
        return agents.line_id(self.line)

    @property
    def workload(self) -> Manifest:
        """The Deployment or StatefulSet of the agents, as it is now."""
        [workload] = [each for each in self.objects if each["kind"] in ("Deployment", "StatefulSet")]
        return self.cluster.current(workload)

    def pods(self, labels: Mapping[str, str] | None = None) -> Manifests:
        return self.cluster.list("Pod", self.namespace, labels)

    def pod(self) -> Manifest:
        """The one pod of the workload."""
        [pod] = self.pods(self.workload["spec"]["selector"]["matchLabels"])
        return pod

    def run(self, *steps: Step) -> "Run":
        """Queue a run for the agents of the pool."""
        run = Run(self, f"run-{next(_numbers)}")
        self.world.queue(self.token, run.name, steps)
        return run

    def events(self, **fields: Any) -> list[Event]:
        """Events that the agent has sent to Scalr, in order; only those with these fields."""
        return self.world.events(self.token, **fields)

    def wait_for(self, event: str, **fields: Any) -> Event:
        """Wait for the first event of a name."""
        found: list[Event] = self.wait(lambda: self.events(event=event, **fields), f"{event} {fields}")
        return found[0]

    def wait(self, condition: Callable[[], _Answer], what: str) -> _Answer:
        """The first true result of a condition. A timeout prints everything that is known."""
        try:
            return wait(condition, f"{self.id}: {what}", _SECONDS)
        except TimeoutError as problem:
            problem.add_note(self.story())
            raise

    def story(self) -> str:
        """Everything that is known of the agent, for failure messages."""
        told = [str(event) for event in self.events()]
        warned = [f"{each['involvedObject']['name']}: {each['message']}" for each in self.cluster.list("Event", self.namespace)]
        pods = [f"{pod['metadata']['name']}: {pod['status'].get('containerStatuses')}" for pod in self.pods()]
        logs = [f"{pod['metadata']['name']}: {_folded(self.log(pod))}" for pod in self.pods()]
        return "\n".join(["told:", *told, "events:", *warned, "pods:", *pods, "logs:", *logs])

    def told_by_kubernetes(self, name: str) -> list[str]:
        """The messages of an object's events, by its name."""
        events = self.cluster.list("Event", self.namespace)
        return [f"{each['reason']}: {each['message']}" for each in events if each["involvedObject"]["name"] == name]

    def log(self, pod: Manifest, container: str | None = None) -> str:
        """The log of the first container of a pod, or of another one."""
        name = container or pod["spec"]["containers"][0]["name"]
        try:
            return self.cluster.logs(pod["metadata"]["name"], self.namespace, name)
        except ApiError as problem:  # it has not started, or is gone
            return problem.message


@dataclass(frozen=True)
class Run:
    """A run that was queued."""

    agent: Agent
    name: str

    def events(self, **fields: Any) -> list[Event]:
        return self.agent.events(run=self.name, **fields)

    def wait_for(self, event: str, **fields: Any) -> Event:
        return self.agent.wait_for(event, run=self.name, **fields)

    def results(self) -> dict[str, Any]:
        """The results of its steps by kind, after the end of the run; steps of one kind are merged."""
        self.wait_for("run ended")
        found: dict[str, Any] = {}
        for event in self.events(event="step"):
            what, result = event["step"]["do"], event["result"]
            found[what] = found.get(what, {}) | result if isinstance(result, dict) else result
        return found

    @property
    def job(self) -> str:
        """The name of its Job."""
        name: str = self.wait_for("job")["result"]
        return name

    def pod(self) -> Manifest:
        """The pod that it is in: of its own, or of the agent that does it."""
        match self.agent.line.chart:
            case "agent-job":
                [pod] = self.agent.wait(lambda: self.agent.pods({_JOB_LABEL: self.job}), f"the pod of {self.job}")
                return pod
            case "agent-local":
                return self.agent.pod()
            case _:
                return self.agent.cluster.get("Pod", self.wait_for("pod")["result"], self.agent.namespace)

    def end(self) -> str:
        """How its Job ended, as its controller saw it: `Complete` or `Failed`, and the reason."""
        end: str = self.wait_for("job ended")["result"]
        return end


def _folded(log: str) -> str:
    """A log without repeated lines, because a waiting program tries every second."""
    lines = ((line, len([*repeated])) for line, repeated in itertools.groupby(log.splitlines()))
    return "\n".join(line if times == 1 else f"{line} ({times} times)" for line, times in lines)


def deploy(cluster: Client, world: World, line: Line, namespace: str, *, values: Values | None = None) -> Agent:
    """Apply an agent to a namespace that is there, and let Scalr admit it."""
    token = f"token-of-{namespace}"
    world.admit(token)
    own = merge({"agent": {"url": f"https://{SCALR}", "token": token}}, AGENTS[line.chart])
    objects = agents.release(line, namespace, values=merge(own, values or {}))
    agents.apply(cluster, objects)
    return Agent(line, cluster, world, namespace, token, objects)


def wait_until_ready(agent: Agent) -> None:
    """Wait for the rollout, and until the agents have connected to Scalr."""
    agent.wait(lambda: agents.is_rolled_out(agent.cluster, agent.objects), "all pods")
    agent.wait_for("started")


def at_once(do: Callable[[_Each], _Answer], those: Iterable[_Each]) -> list[_Answer]:
    """The same with many, at the same time: most of it is waiting."""
    every = list(those)
    threads = ThreadPoolExecutor(len(every))
    try:
        return list(threads.map(do, every))
    finally:
        threads.shutdown(wait=False)  # whoever interrupts the tests does not wait for the others
