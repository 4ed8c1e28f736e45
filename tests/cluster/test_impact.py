"""What `scalr-agents impact` predicts, compared with the actual effects: many agents on a real control plane, each with another change."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from scalr_agents import stack
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.cluster.answers import understood
from scalr_agents.cluster.kubeconfig import connect
from scalr_agents.cluster.objects import Workload
from scalr_agents.day2 import impact
from scalr_agents.day2.impact import holds_runs
from scalr_agents.model.maps import Values, merge

from tests.cluster import accounts, agents, runs, volumes
from tests.cluster.client import ApiError, Client, Manifest, Manifests, wait
from tests.cluster.control_plane import ControlPlane
from tests.cluster.doctor import Doctor, kubeconfig
from tests.helpers.command_line import cli
from tests.helpers.samples import REPOSITORY, TOKEN

_NAMESPACE = "impact"
_CLAIM = "PersistentVolumeClaim"
_GROWING = "impact-growing"
"""A class whose claims may grow."""
_CLASSES = ("job-class", "job-class-new", "job-smaller", "stateful-class", "stateful-class-new", _GROWING)
_IMMUTABLE = ("immutable", "updates to statefulset spec")

Key = tuple[str, str]
"""Kind and name of an object."""


class Row(NamedTuple):
    """A change of an agent, and what is expected of its workloads, runs and claims."""

    kind: str
    change: Values
    workloads: str
    """What happens to its workloads, each once."""
    then: str = "continue"
    claims: str = ""
    """What happens to its claims: `replaced`, `removed`, `rejected`, or nothing."""
    base: Mapping[str, Any] = MappingProxyType({})
    """Its values before."""
    token: str = agents.TOKEN
    """Its token afterwards."""


def _cache(storage_class: str, storage: str = "40Gi") -> Values:
    claim = {"accessMode": "ReadWriteMany", "storageClassName": storage_class, "storage": storage}
    return {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}}}


_IMAGE = {"image": {"tag": "1.4.0-custom"}}
_DRAINING = {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 900}
_STATEFUL: Values = {"workload": {"kind": "StatefulSet"}}
_DELETING = {"workload": {"kind": "StatefulSet", "statefulSet": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}}}}
_ROWS = {
    "job-nothing": Row("agent-job", {}, "unchanged"),
    "job-image": Row("agent-job", {"agent": _IMAGE}, "restarted"),
    "job-own-labels": Row("agent-job", {"agent": {"labels": {"team": "payments"}}}, "changed"),
    "job-token": Row("agent-job", {}, "restarted", token="another-token"),
    "job-scaled-out": Row("agent-job", {"agent": {"replicaCount": 2}}, "changed"),
    "job-scaled-in": Row("agent-job", {"agent": {"replicaCount": 1}}, "scaled-in", base={"agent": {"replicaCount": 2}}),
    "job-selector": Row("agent-job", {"nameOverride": "agents"}, "replaced", base={"fullnameOverride": "job-selector"}),
    "job-runner": Row("agent-job", {"task": {"runner": {"resources": {"limits": {"memory": "4Gi"}}}}}, "unchanged"),
    "job-class": Row("agent-job", _cache("job-class-new"), "replaced", "wait", "replaced", base=_cache("job-class")),
    "job-smaller": Row("agent-job", _cache("job-smaller", "9Gi"), "unchanged", claims="rejected", base=_cache("job-smaller", "20Gi")),
    "job-grows": Row("agent-job", _cache(_GROWING, "30Gi"), "unchanged", base=_cache(_GROWING, "20Gi")),
    "local-image": Row("agent-local", _IMAGE, "restarted", "end"),
    "local-drains": Row("agent-local", _IMAGE, "restarted", "wait", base=_DRAINING),
    "local-scaled-in": Row("agent-local", {"replicaCount": 1}, "scaled-in", "end", base={"replicaCount": 2}),
    "local-to-stateful": Row("agent-local", _STATEFUL, "created removed", "end"),
    "stateful-image": Row("agent-local", _IMAGE, "restarted", "end", base=_STATEFUL),
    "stateful-class": Row(
        "agent-local", _cache("stateful-class-new"), "replaced", "end", "replaced", base=_DELETING | _cache("stateful-class")
    ),
    "k8s-image": Row("agent-k8s", _IMAGE, "restarted", "wait"),
    "k8s-image-and-stop": Row("agent-k8s", _IMAGE, "restarted", "end", base={"agent": {"worker_on_stop_action": "grace-shutdown"}}),
    "k8s-workers": Row("agent-k8s", {"workerPodAnnotations": {"team": "payments"}}, "restarted unchanged", "wait"),
    "k8s-controller": Row("agent-k8s", {"controllerPodAnnotations": {"team": "payments"}}, "restarted unchanged"),
}


def _stack(*, is_changed: bool) -> stack.Stack:
    """The agents before their changes, or after."""
    entries, secrets = {}, {}
    for name, row in _ROWS.items():
        own = {"restrictMetadataService": True, "agent": {"data_home": f"/var/lib/{name}"}} if row.kind == "agent-k8s" else {}
        values = merge(merge(own, row.base), row.change if is_changed else {})
        entries[name] = {"kind": row.kind, "namespace": _NAMESPACE, "agentVersion": "1.4.0", "values": values}
        secrets[name] = {"token": row.token if is_changed else agents.TOKEN}
    namespaces = {_NAMESPACE: {"create": False}}
    config = {"common": {"url": agents.URL}, "namespaces": namespaces, "agents": entries, "secrets": secrets}
    return stack.load(config, directory=REPOSITORY)


class Seen(NamedTuple):
    """What the cluster has of an agent: identities of objects, and of the pods of each workload."""

    objects: Mapping[Key, str]
    pods: Mapping[Key, frozenset[str]]
    runs: frozenset[str]


class Deployed:
    """The agents, with a run in progress for each that has pods for runs."""

    def __init__(self, cluster: Client) -> None:
        self.cluster, self.wanted = cluster, _stack(is_changed=False)
        self.runs: dict[str, runs.Run] = {}
        agents.apply(cluster, [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}}])
        self._make_volumes()
        objects = agents.objects(self.wanted)
        agents.apply(cluster, objects)
        agents.wait_for_rollout(cluster, objects)
        for agent in self.wanted.agents:
            if agent.kind == "agent-job":
                self.runs[agent.name] = runs.start(cluster, runs.tasks(agent.objects)[0])
            elif agent.runs:
                cluster.create(_bare(agent.name, agent.release.selector("task")))

    def _make_volumes(self) -> None:
        made = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": _GROWING}}
        agents.apply(self.cluster, [{**made, "provisioner": "example.com/none", "allowVolumeExpansion": True}])
        for name in _CLASSES:
            volumes.of_class(self.cluster, name)

    def seen(self, name: str) -> Seen:
        """The current objects of an agent, except terminating pods."""
        selected = {"app.kubernetes.io/instance": name}
        kinds = (*WORKLOADS, _CLAIM)
        found = [item for kind in kinds for item in self.cluster.list(kind, _NAMESPACE, selected)]
        pods = [pod for pod in self.cluster.list("Pod", _NAMESPACE, selected) if "deletionTimestamp" not in pod["metadata"]]
        of_runs = {"app.kubernetes.io/component": "task"}
        return Seen(
            {(item["kind"], item["metadata"]["name"]): item["metadata"]["uid"] for item in found},
            {(item["kind"], item["metadata"]["name"]): _uids(pods, _selector(item)) for item in found if item["kind"] in WORKLOADS},
            _uids(pods, of_runs),
        )

    def deploy(self, name: str, wanted: Manifests) -> tuple[set[Key], bool]:
        """Deploy an agent as Pulumi does: what is immutable is deleted and created. What was refused, and whether a claim waited."""
        refused, waited = set[Key](), False
        for manifest in wanted:
            try:
                self.cluster.apply(manifest)
            except ApiError as problem:
                if not any(word in problem.message for word in _IMMUTABLE):
                    refused.add(_key(manifest))
                    continue
                waited |= self._replace(name, manifest, wanted)
        had = [each for agent in self.wanted.agents if agent.name == name for each in agent.objects]
        for manifest in had:
            if _key(manifest) not in map(_key, wanted):
                self.cluster.delete(manifest["kind"], manifest["metadata"]["name"], manifest["metadata"].get("namespace"))
        return refused, waited

    def _replace(self, name: str, manifest: Manifest, wanted: Manifests) -> bool:
        """Delete and create an object. A claim goes only after the pods that mount it: first those of its agent, then the run."""
        self.cluster.delete(manifest["kind"], manifest["metadata"]["name"], _NAMESPACE, propagation="Foreground")
        waited = False
        if manifest["kind"] == _CLAIM:
            for each in wanted:
                if each["kind"] in WORKLOADS:
                    self.cluster.delete(each["kind"], each["metadata"]["name"], _NAMESPACE, propagation="Foreground")
                    wait(partial(self._is_gone, each), f"the end of {each['metadata']['name']}")
            waited = not self._is_gone(manifest) and self.runs[name].is_running()
            self.cluster.delete("Job", self.runs[name].name, _NAMESPACE)
        wait(partial(self._is_gone, manifest), f"the end of {manifest['metadata']['name']}")
        self.cluster.apply(manifest)
        return waited

    def _is_gone(self, manifest: Manifest) -> bool:
        return self.cluster.find(manifest["kind"], manifest["metadata"]["name"], _NAMESPACE) is None

    def is_settled(self, wanted: Manifests) -> bool:
        """Whether all workloads have their desired pods, and no others."""
        return all(_is_settled(self.cluster.current(each)) for each in wanted if each["kind"] in WORKLOADS)


def _bare(name: str, labels: Mapping[str, str]) -> Manifest:
    """The pod of a run of agent-k8s."""
    container = {"name": "run", "image": "scalr/runner"}
    metadata = {"name": f"run-{name}", "namespace": _NAMESPACE, "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def _key(manifest: Manifest) -> Key:
    return manifest["kind"], manifest["metadata"]["name"]


def _selector(workload: Manifest) -> Mapping[str, str]:
    selected: Mapping[str, str] = workload["spec"]["selector"]["matchLabels"]
    return selected


def _uids(pods: Manifests, labels: Mapping[str, str]) -> frozenset[str]:
    return frozenset(pod["metadata"]["uid"] for pod in pods if labels.items() <= pod["metadata"]["labels"].items())


def _is_settled(workload: Manifest) -> bool:
    wanted, available = agents.replicas(workload)
    return workload["status"].get("observedGeneration") == workload["metadata"]["generation"] and wanted == available


class Compared(NamedTuple):
    """An agent before and after its change, and what was predicted in between."""

    predicted: Mapping[str, Any]
    objects: Mapping[Key, str]
    before: Seen
    after: Seen
    refused: set[Key]
    waited: bool
    holders: set[Key]
    """Workloads with runs in their pods, or with what supervises them."""


@pytest.fixture(scope="module")
def compared(cluster: Client, control_plane: ControlPlane) -> Iterator[Mapping[str, Compared]]:
    deployed = Deployed(cluster)
    before = {name: deployed.seen(name) for name in _ROWS}
    holders = {name: _holders(cluster, seen) for name, seen in before.items()}
    after = _stack(is_changed=True)
    with connect(str(control_plane.kubeconfig), "tests", []) as api:
        stays = impact.examine(api, deployed.wanted)
        told = impact.examine(api, after)
    assert [(str(change.key), change.what, change.fields) for change in stays.changes] == []
    assert {name: deployed.seen(name) for name in _ROWS} == before, "predicting changes nothing"
    wanted = {agent.name: deepcopy(agent.objects) for agent in after.agents}
    done = {name: deployed.deploy(name, objects) for name, objects in wanted.items()}
    objects = {(change.key.kind, change.key.name): str(change.what) for change in told.changes}
    found = {}
    for effect in told.agents:
        name = effect.name
        wait(partial(deployed.is_settled, wanted[name]), f"the pods of {name}")
        found[name] = Compared(effect.as_json(), objects, before[name], deployed.seen(name), *done[name], holders[name])
    yield found
    cluster.delete("Namespace", _NAMESPACE)
    for name in _CLASSES:
        cluster.delete("PersistentVolume", name)
    cluster.delete("StorageClass", _GROWING)


def _holders(cluster: Client, seen: Seen) -> set[Key]:
    found = {key: understood(Workload, cluster.get(*key, _NAMESPACE))[0] for key in seen.pods}
    return {key for key, workload in found.items() if workload and holds_runs(workload)}


def _happened(key: Key, each: Compared) -> str:
    """What happened to a workload or claim, according to its identity and those of its pods."""
    if key not in each.before.objects or key not in each.after.objects:
        return "created" if key in each.after.objects else "removed"
    if each.before.objects[key] != each.after.objects[key]:
        return "replaced"
    before, after = each.before.pods.get(key, frozenset()), each.after.pods.get(key, frozenset())
    if before <= after:
        return "stays"
    return "scaled-in" if before & after else "restarted"


def _as_measured(what: str) -> str:
    return "stays" if what in ("unchanged", "changed", "rejected") else what


@pytest.mark.parametrize("name", _ROWS)
def test_what_is_predicted_happens(name: str, compared: Mapping[str, Compared]) -> None:
    row, each, told = _ROWS[name], compared[name], compared[name].predicted
    workloads = {(place.split()[0], place.rpartition("/")[2]): what for place, what in told["workloads"].items()}
    assert {key: _as_measured(what) for key, what in workloads.items()} == {key: _happened(key, each) for key in workloads}
    assert " ".join(sorted(set(workloads.values()))) == row.workloads

    lost = [key for key in each.holders if _happened(key, each) != "stays"]
    assert (told["then"], told["then"] != "continue") == (row.then, bool(lost) or each.waited)
    assert told["pods"] == sum(len(each.before.pods[key] - each.after.pods.get(key, frozenset())) for key in lost)
    assert [run["phase"] for run in told["runs"] or ()] == ["running"] * len(each.before.runs)
    assert each.after.runs == (frozenset() if each.waited else each.before.runs)

    claims = {key for key in (*each.before.objects, *each.after.objects) if key[0] == _CLAIM}
    happened = {key: "rejected" if key in each.refused else _happened(key, each) for key in claims}
    predicted = {key: each.objects.get(key, "unchanged") for key in claims}
    assert {key: what if what == "rejected" else _as_measured(what) for key, what in predicted.items()} == happened
    assert {what for what in happened.values() if what != "stays"} == ({row.claims} if row.claims else set())


def _impact(project: Path) -> tuple[int, Mapping[str, Any]]:
    done = cli("impact", "dev", "-o", "json", directory=project)
    assert TOKEN not in done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.usefixtures("nodes_of_doctor")
def test_an_encrypted_token_counts_as_unchanged(doctor: Doctor, cluster: Client, namespace: str) -> None:
    doctor.deploy(cluster, namespace)
    code, told = _impact(doctor.project)
    assert (code, told["objects"]) == (0, [])
    assert told["notes"] == ["contents of Secrets are not compared: if one has changed, the pods that use it restart too (agents runs)"]
    doctor.write(namespace, {"agentVersion": "1.4.0", "values": {"agent": {"image": {"tag": "1.4.0-custom"}}}}, {})
    code, told = _impact(doctor.project)
    [deployment] = [each for each in told["objects"] if each["kind"] == "Deployment"]
    assert (code, deployment["change"]) == (0, "restarted")
    assert deployment["fields"] == ["spec.template.spec.containers[controller].image"]


@pytest.mark.usefixtures("nodes_of_doctor")
def test_an_agent_that_the_stack_has_no_longer(doctor: Doctor, cluster: Client, namespace: str) -> None:
    doctor.deploy(cluster, namespace)
    doctor.write(namespace, {"agentVersion": "1.4.0", "release": "others"}, {})
    code, told = _impact(doctor.project)
    changes = {(each["kind"], each["name"]): each["change"] for each in told["objects"]}
    both = {("Deployment", f"{name}-scalr-agent"): what for name, what in (("runs", "removed"), ("others", "created"))}
    assert (code, both.items() <= changes.items()) == (0, True)
    assert changes["NetworkPolicy", "runs-scalr-agent-network-policy"] == "removed"


@pytest.mark.usefixtures("nodes_of_doctor")
def test_without_the_right_to_patch_it_says_what_it_cannot_judge(
    doctor: Doctor, cluster: Client, control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    doctor.deploy(cluster, namespace)
    own = kubeconfig(control_plane, tmp_path, accounts.team(cluster, namespace, cluster_role="view"))
    doctor.write(namespace, {"agentVersion": "1.4.0"}, {}, own)
    code, told = _impact(doctor.project)
    unknown = {each["kind"]: each["reason"] for each in told["objects"]}
    assert (code, {each["change"] for each in told["objects"]}) == (1, {"unknown"})
    assert unknown["Deployment"] == "you may not patch it"
    assert unknown["Role"] == "your credential lacks the permission"
