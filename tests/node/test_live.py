"""`scalr-agents status` and `logs` on a node: of a run in progress, one that is out of memory, and one that is gone."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import stack
from scalr_agents.model.maps import merge

from tests.cluster.agents import apply
from tests.cluster.client import Client
from tests.helpers import samples
from tests.helpers.command_line import Done, process
from tests.helpers.validated import LINES
from tests.node import node as nodes
from tests.node.agents import AGENTS, Agent, wait_until_ready
from tests.node.machine import Machine
from tests.node.node import NodeCluster
from tests.node.world import SCALR, World

NAMESPACE = "live"
[_LINE] = [line for line in LINES if (line.chart, line.generation) == ("agent-job", "current")]
_LIMITED = {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "96Mi"}}
_OWN: Mapping[str, Any] = {
    "persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": NAMESPACE, "storage": "1Gi"}}},
    "task": {"job": {"ttlSecondsAfterFinished": 600}, "runner": {"resources": _LIMITED}},
}


@pytest.fixture(scope="module")
def disk(machine: Machine, cluster: Client) -> Iterator[None]:
    """A disk of the node for the cache."""
    machine.run("mkdir", "-p", "/var/lib/live")
    place = {"key": "kubernetes.io/hostname", "operator": "In", "values": [nodes.NAME]}
    spec = {
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "1Gi"},
        "local": {"path": "/var/lib/live"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [place]}]}},
        "storageClassName": NAMESPACE,
    }
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": NAMESPACE}, "spec": spec})
    yield
    cluster.delete("PersistentVolume", NAMESPACE)


class Live:
    """The agent of a stack file, and the commands about it."""

    def __init__(self, agent: Agent, directory: Path) -> None:
        self.agent = agent
        self.directory = directory

    def status(self) -> Mapping[str, Any]:
        done = process("status", "dev", "-o", "json", directory=self.directory)
        assert done.stdout, done.stderr
        [found] = json.loads(done.stdout)["agents"]
        assert done.returncode == (0 if found["ready"] else 1)
        return dict(found)

    def logs(self, *options: str) -> Done:
        return process("logs", "runs", "-s", "dev", *options, directory=self.directory)


@pytest.fixture(scope="module")
def live(node: NodeCluster, cluster: Client, world: World, disk: None, tmp_path_factory: pytest.TempPathFactory) -> Live:
    directory = tmp_path_factory.mktemp("live")
    token = f"token-of-{NAMESPACE}"
    world.admit(token)
    config: dict[str, Any] = {
        "kubernetes": {"kubeconfig": str(node.kubeconfig), "context": "tests"},
        "namespaces": {NAMESPACE: {}},
        "common": {"url": f"https://{SCALR}"},
        "agents": {
            "runs": {
                "kind": "agent-job",
                "agentVersion": _LINE.default_version,
                "namespace": NAMESPACE,
                "prePull": True,
                "values": merge(AGENTS["agent-job"], _OWN),
            }
        },
        "secrets": {"runs": {"token": token}},
    }
    objects = samples.objects(stack.load(config, directory=directory))
    apply(cluster, objects)
    (directory / "Pulumi.yaml").write_text("name: scalr-agents\nruntime: python\n")
    content = {f"scalr-agents:{word}": item for word, item in {**config, "secrets": {"runs": {"token": {"secure": "v1:abc"}}}}.items()}
    (directory / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": content}))
    agent = Agent(_LINE, cluster, world, NAMESPACE, token, objects)
    wait_until_ready(agent)
    return Live(agent, directory)


def test_a_run_in_progress_is_told_and_its_log_followed(live: Live) -> None:
    run = live.agent.run({"do": "identity"}, {"do": "sleep", "seconds": 40})
    job = run.job
    run.wait_for("step begun")
    live.agent.wait(lambda: [each["phase"] for each in live.status()["runs"]] == ["running"], "a run that is running")
    found = live.status()
    assert (found["ready"], found["differences"], [each["name"] for each in found["runs"]]) == (True, [], [job])
    assert [(each["phase"], bool(each["used"]), bool(each["capacity"])) for each in found["claims"]] == [("Bound", True, True)]
    followed = live.logs("--run", run.name, "--follow")
    pod = run.pod()["metadata"]["name"]
    assert followed.returncode == 0, followed.stderr
    assert {line.partition(": ")[0] for line in followed.stdout.splitlines()} == {f"{pod}/runner", f"{pod}/worker"}
    assert '"awake"' in followed.stdout  # what came out of the last step, which had just begun
    assert live.agent.token not in followed.stdout
    live.agent.cluster.delete("Job", job, NAMESPACE)
    live.agent.wait(lambda: not live.agent.cluster.find("Pod", pod, NAMESPACE), "the garbage collector")
    gone = live.logs("--run", run.name)
    assert (gone.returncode, gone.stdout) == (1, "")
    assert f"no pod of run {run.name} is there" in gone.stderr


def test_a_run_whose_runner_is_out_of_memory_is_told(live: Live) -> None:
    """The worker of the stub waits for its runner, so that the pod stays: a run that hangs."""
    run = live.agent.run({"in": "loop", "do": "allocate", "megabytes": 200})
    lost = {"name": run.job, "phase": "running", "reason": "OOMKilled in runner"}
    live.agent.wait(lambda: lost in [{key: each[key] for key in lost} for each in live.status()["runs"]], "the end of the runner")


def test_the_log_of_the_controller(live: Live) -> None:
    pod = live.agent.pod()
    assert live.logs().stdout == live.agent.log(pod)


def test_images_of_runs_are_kept_on_the_node(live: Live, cluster: Client) -> None:
    """By pods that PodSecurity `restricted` admits, and that sleep in the images of agent and runner."""
    name = "runs-scalr-agent-pre-pull"
    template = cluster.get("DaemonSet", name, NAMESPACE)["spec"]["template"]
    [pod] = live.agent.pods(template["metadata"]["labels"])
    assert pod["status"]["phase"] == "Running"
    statuses = pod["status"]["containerStatuses"]
    assert [(each["ready"], each["restartCount"]) for each in statuses] == [(True, 0)] * 2
    on_node = {image for each in cluster.get("Node", nodes.NAME)["status"]["images"] for image in each["names"]}
    assert {each["imageID"] for each in statuses} <= on_node
    [found] = [each for each in live.status()["pods"] if not each["needed"]]
    assert (found["ready"], found["desired"]) == (1, 1)
