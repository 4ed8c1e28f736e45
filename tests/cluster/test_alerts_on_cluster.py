"""Alerts and dashboard on a cluster, with the real kube-state-metrics and the real Prometheus: a healthy cluster fires none, and each
situation its alert. Kubelets are simulated, including their reports on containers and disks.
"""

import json
import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scalr_agents import observability, stack

from tests.cluster import agents, nodes, runs
from tests.cluster.client import Client, Manifest, Manifests, wait
from tests.cluster.control_plane import ControlPlane
from tests.cluster.monitoring import Monitoring, hurried

_NAMESPACE, _STAGES = "watched", "watched-stages"
_HEALTHY_SECONDS = 30
_SECONDS = 90
_NODE = "watched-node"
_BROKEN = ("down", "exits", "image", "config", "memory", "gone", "half")
_WAITING: Mapping[str, Mapping[str, Any]] = {
    "exits": {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"reason": "Error", "exitCode": 1}}},
    "image": {"state": {"waiting": {"reason": "ErrImagePull"}}},
    "config": {"state": {"waiting": {"reason": "CreateContainerConfigError"}}},
    "memory": {"restartCount": 5, "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}},
}
"""The container status that a kubelet reports for an agent."""
_CLAIM = f'{{namespace="{_NAMESPACE}",persistentvolumeclaim="cache"}}'


def _config() -> dict[str, Any]:
    local = {"kind": "agent-local", "namespace": _NAMESPACE, "agentVersion": "1.4.0", "values": {"allowMetadataService": False}}
    cache = {"enabled": True, "persistentVolumeClaim": {"claimName": "cache"}}
    task = {"startupTimeoutSeconds": 8, "job": {"activeDeadlineSeconds": 3600, "ttlSecondsAfterFinished": 600}}
    disk = {"limits": {"ephemeral-storage": "10Gi"}}
    of_agents: dict[str, Any] = dict.fromkeys(_BROKEN, local)
    of_agents["half"] = local | {"values": {"allowMetadataService": False, "replicaCount": 2}}
    of_agents["web"] = {
        "kind": "agent-job",
        "namespace": _NAMESPACE,
        "agentVersion": "1.4.0",
        "values": {"persistence": {"cache": cache}, "task": task | {"nodeSelector": {"pool": _NODE}, "runner": {"resources": disk}}},
    }
    of_agents["stages"] = {
        "kind": "agent-k8s",
        "namespace": _STAGES,
        "agentVersion": "1.4.0",
        "values": {"agent": {"data_home": "/var/lib/runs"}},
    }
    return {"common": {"url": agents.URL, "observability": {"prometheusRules": True, "dashboard": True}}, "agents": of_agents}


class Watched(NamedTuple):
    """Agents that work, a run in progress, and what watches them."""

    cluster: Client
    loaded: stack.Stack
    objects: Manifests
    monitoring: Monitoring
    run: runs.Run
    stage: str

    def pods(self, agent: str) -> Manifests:
        namespace = _STAGES if agent == "stages" else _NAMESPACE
        return self.cluster.list("Pod", namespace, {"app.kubernetes.io/instance": agent})

    def set_status(self, pod: Manifest, **status: Any) -> None:
        """Set the status of a pod as a kubelet would."""
        self.cluster.patch_status("Pod", pod["metadata"]["name"], pod["metadata"]["namespace"], status)

    def of_containers(self, pod: Manifest, change: Mapping[str, Any]) -> None:
        """Set the status of a pod's containers as a kubelet would."""
        self.set_status(pod, containerStatuses=[{**each, **change} for each in self.cluster.current(pod)["status"]["containerStatuses"]])

    def job(self, name: str, **changes: Any) -> None:
        """Create the Job of another run, whose pod has some fields changed."""
        [task] = runs.tasks(self.objects)
        made = deepcopy(runs.job(task, name))
        made["spec"]["template"]["spec"] |= {key: value for key, value in changes.items() if key != "annotations"}
        made["spec"]["template"]["metadata"]["annotations"] |= changes.get("annotations", {})
        self.cluster.create(made)

    def started(self, run: str) -> Manifest:
        """The pod of a run, as soon as its containers have a status."""

        def found() -> list[Manifest]:
            pods = self.cluster.list("Pod", _NAMESPACE, {"batch.kubernetes.io/job-name": f"web-scalr-agent-{run}-plan"})
            return [pod for pod in pods if pod["status"].get("containerStatuses")]

        return wait(found, f"the pod of {run}")[0]


@pytest.fixture(scope="module")
def watched(control_plane: ControlPlane, cluster: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    for name in (_NAMESPACE, _STAGES):
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    nodes.add(cluster, _NODE, {"pool": _NODE})
    wait(lambda: nodes.is_ready(cluster, _NODE), _NODE)
    claim = {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "",
        "volumeName": "watched",
    }
    volume = {"accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"}, "nfs": {"server": "10.1.2.3", "path": "/"}}
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "watched"}, "spec": volume})
    metadata = {"name": "cache", "namespace": _NAMESPACE}
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": claim})
    loaded = agents.load(_config())
    objects = agents.objects(loaded)
    agents.apply(cluster, objects)
    agents.wait_for_rollout(cluster, objects)
    [task] = runs.tasks(objects)
    run = runs.start(cluster, task)
    container = {"name": "task", "image": "scalr/runner:1"}
    spec = {"containers": [container], "nodeName": "node-a"}
    cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "stage-1", "namespace": _STAGES}, "spec": spec})
    directory: Path = tmp_path_factory.mktemp("monitoring")
    with Monitoring(directory, control_plane, hurried(observability.rules_file(loaded))) as monitoring:
        monitoring.kubelet.set_metrics(_disks(50))
        yield Watched(cluster, loaded, objects, monitoring, run, "stage-1")
    for name in (_NAMESPACE, _STAGES):
        cluster.delete("Namespace", name)
    cluster.delete("PersistentVolume", "watched")
    cluster.delete("Node", _NODE)


def _disks(available: int) -> dict[str, float]:
    values = {"available_bytes": available, "used_bytes": 100 - available, "capacity_bytes": 100, "inodes_free": 50, "inodes": 100}
    return {f"kubelet_volume_stats_{name}{_CLAIM}": value for name, value in values.items()}


def test_a_cluster_in_health_is_silent_and_shows_its_runs(watched: Watched) -> None:
    seen = watched.monitoring
    wait(lambda: seen.query('kube_pod_status_phase{pod=~"web-scalr-agent-run-.+",phase="Running"} == 1'), "metrics of the run")
    wait(lambda: not seen.alerts(), "an end of the alerts of the start, when there were no metrics")
    time.sleep(_HEALTHY_SECONDS)
    assert seen.fired(_HEALTHY_SECONDS - 1) == set()
    assert seen.unhealthy() == []


def test_every_situation_fires_its_alert(watched: Watched) -> None:
    expected = {*_agents_break(watched), *_runs_break(watched), *_nodes_break(watched)}
    rules = json.loads(hurried(observability.rules_file(watched.loaded)))["groups"]
    assert {name for _, name in expected} == {rule["alert"] for group in rules for rule in group["rules"]}
    fired: set[tuple[str, str]] = set()

    def all_fired() -> bool:
        fired.update(watched.monitoring.fired(_SECONDS))
        return expected <= fired

    try:
        wait(all_fired, "the alerts")
    except TimeoutError:
        assert expected - fired == set()
    for alert in watched.monitoring.alerts():
        text = " ".join(alert["annotations"].values())
        assert [wrong for wrong in ("{{", "<no value>", "<error") if wrong in text] == [], text


def _agents_break(watched: Watched) -> Iterator[tuple[str, str]]:
    for agent, status in _WAITING.items():
        [pod] = watched.pods(agent)
        watched.of_containers(pod, status)
    unready = [{"type": "Ready", "status": "False"}]
    for agent in ("down", "half"):
        watched.set_status(watched.pods(agent)[0], conditions=unready)
    watched.cluster.delete("Deployment", "gone-agent-local", _NAMESPACE)
    watched.monitoring.kubelet.set_metrics(_disks(5))
    yield from (("down", "ScalrAgentDown"), ("half", "ScalrAgentDegraded"), ("gone", "ScalrAgentUnseen"), ("exits", "ScalrAgentExits"))
    yield from (("memory", "ScalrAgentOutOfMemory"), ("memory", "ScalrAgentRestarting"))
    yield from (("image", "ScalrImageNotPulled"), ("config", "ScalrContainerNotCreated"), ("web", "ScalrCacheFull"))


def _runs_break(watched: Watched) -> Iterator[tuple[str, str]]:
    watched.job("run-waits", nodeSelector={"pool": "nowhere"})
    unready = {"scalr-agents.test/unready": "state: {waiting: {reason: ContainerCreating}}"}
    watched.job("run-creates", annotations=unready)
    watched.job("run-refused", serviceAccountName="nobody")
    watched.job("run-large")
    watched.job("run-evicted")
    large, evicted = watched.started("run-large"), watched.started("run-evicted")
    watched.of_containers(large, {"ready": False, "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}})
    watched.set_status(evicted, phase="Failed", reason="Evicted")
    watched.run.shorten(int(time.time() - _started(watched)) + 15)
    yield from (("web", f"ScalrRun{what}") for what in ("Unschedulable", "NotStarting", "OutOfMemory", "NearDeadline"))
    yield from (("web", "ScalrJobWithoutPod"), ("web", "ScalrPodEvicted"))


def _started(watched: Watched) -> float:
    job = watched.run.job()
    assert job
    return time.mktime(time.strptime(job["status"]["startTime"], "%Y-%m-%dT%H:%M:%SZ")) - time.timezone


def _nodes_break(watched: Watched) -> Iterator[tuple[str, str]]:
    _set_node(watched.cluster, short_of_disk="True", cordoned=True)
    workers = [pod for pod in watched.pods("stages") if pod["spec"].get("nodeName") == "node-a" and "worker" in pod["metadata"]["name"]]
    watched.set_status(workers[0], conditions=[{"type": "Ready", "status": "False"}])
    yield from (("web", "ScalrNodeDiskPressure"), ("web", "ScalrDrainBlocked"), ("stages", "ScalrRunAbandoned"))


def _set_node(cluster: Client, *, short_of_disk: str, cordoned: bool) -> None:
    """Set the condition of the node of runs as its kubelet would, and cordon it or not."""
    conditions = [each for each in cluster.get("Node", _NODE)["status"]["conditions"] if each["type"] != "DiskPressure"]
    cluster.patch_status("Node", _NODE, None, {"conditions": [*conditions, {"type": "DiskPressure", "status": short_of_disk}]})
    cluster.patch("Node", _NODE, None, {"spec": {"unschedulable": cordoned}})


def test_every_query_of_the_dashboard_has_data(watched: Watched) -> None:
    """After the situations, so that failures exist too."""
    _set_node(watched.cluster, short_of_disk="False", cordoned=False)
    wait(lambda: nodes.is_ready(watched.cluster, _NODE), _NODE)
    runs.start(watched.cluster, runs.tasks(watched.objects)[0], "run-ends").finish()
    pod = watched.pods("web")[0]["metadata"]["name"]
    task = watched.started("run-large")["metadata"]["name"]
    used = {
        f'container_{what}{{namespace="{_NAMESPACE}",pod="{each}",container="{name}"}}': 10.0**8
        for what in ("memory_working_set_bytes", "fs_usage_bytes")
        for each, name in ((pod, "controller"), (task, "runner"))
    }
    watched.monitoring.kubelet.set_metrics(_disks(5) | used)
    made = json.loads(observability.dashboard_of(watched.loaded))
    targets = [(panel["title"], target) for panel in made["panels"] for target in panel["targets"]]
    queries = {(title, target["expr"]) for title, target in targets if target["legendFormat"].split()[0] == "web"}
    assert queries

    def empty() -> set[tuple[str, str]]:
        return {(title, query) for title, query in queries if not watched.monitoring.query(query)}

    try:
        wait(lambda: not empty(), "data")
    except TimeoutError:
        assert empty() == set()
