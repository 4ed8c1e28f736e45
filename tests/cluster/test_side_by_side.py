"""Many agents of all kinds and lines in one stack and cluster are independent of each other."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import pytest
from scalr_agents import stack

from tests.cluster import agents, runs
from tests.cluster.client import Client, Manifest, Manifests, wait

_NAMESPACES = ("side-by-side", "beside-it")
_TWICE = 2
_KINDS: Mapping[str, Mapping[str, Any]] = {
    "job-legacy": {"kind": "agent-job", "values": {"agent": {"replicaCount": 2}}},
    "job-current": {"kind": "agent-job", "agentVersion": "1.4.0", "values": {"task": {"buffer": {"replicas": 1}}}},
    "local-legacy": {"kind": "agent-local", "values": {"allowMetadataService": False}},
    "local-current": {"kind": "agent-local", "agentVersion": "1.4.0", "values": {"allowMetadataService": False, "replicaCount": 2}},
    "k8s-current": {"kind": "agent-k8s", "agentVersion": "1.4.0", "values": {"restrictMetadataService": True}},
}
"""The agents of a namespace: two of each."""
_WORKLOADS = ("Deployment", "DaemonSet", "Job")

Identity = tuple[str, str, str]


class SideBySide:
    """A stack of agents in a cluster, with a run in progress for each that has Jobs."""

    def __init__(self, cluster: Client) -> None:
        self.cluster = cluster
        self._stack = _load()
        self.objects = agents.objects(self._stack)
        agents.apply(cluster, self.objects)
        agents.wait_for_rollout(cluster, self.objects)
        self.of = {agent.name: agent.objects for agent in self._stack.agents}
        """The objects of each agent."""
        self.runs = {name: self._start(name) for name in self.of if runs.tasks(self.of[name])}
        self._agents = {_identity(manifest): name for name, objects in self.of.items() for manifest in objects}
        self._agents |= {("Job", run.namespace, run.name): name for name, run in self.runs.items()}

    def _start(self, name: str) -> runs.Run:
        [task] = runs.tasks(self.of[name])
        return runs.start(self.cluster, task, name)

    @cached_property
    def pods(self) -> Manifests:
        """All pods, as they were at first."""
        return self.pods_now()

    def pods_now(self) -> Manifests:
        return [pod for namespace in _NAMESPACES for pod in self.cluster.list("Pod", namespace)]

    @cached_property
    def _replica_sets(self) -> Mapping[str, Identity]:
        """The Deployment of each ReplicaSet."""
        sets = [each for namespace in _NAMESPACES for each in self.cluster.list("ReplicaSet", namespace)]
        return {each["metadata"]["uid"]: _owner(each) for each in sets}

    def workload(self, pod: Manifest) -> Identity:
        """The Deployment, DaemonSet or Job that a pod is of."""
        [reference] = pod["metadata"]["ownerReferences"]
        return self._replica_sets[reference["uid"]] if reference["kind"] == "ReplicaSet" else _owner(pod)

    def agent(self, pod: Manifest) -> str:
        """The agent that a pod is of."""
        return self._agents[self.workload(pod)]

    def selected(self, namespace: str, labels: Mapping[str, str]) -> set[str]:
        """The pods that labels select, by uid."""
        return {pod["metadata"]["uid"] for pod in self.pods if pod["metadata"]["namespace"] == namespace and _has(pod, labels)}

    def of_workload(self, workload: Identity) -> set[str]:
        return {pod["metadata"]["uid"] for pod in self.pods if self.workload(pod) == workload}

    def of_agent(self, name: str, *kinds: str) -> set[str]:
        """The pods of an agent's workloads of these kinds."""
        return {pod["metadata"]["uid"] for pod in self.pods if self.agent(pod) == name and self.workload(pod)[0] in kinds}

    def existing(self) -> dict[Identity, tuple[str, int]]:
        """Existing objects of the kinds of agents: uid and generation."""
        found = {}
        for kind, namespaced in {(manifest["kind"], "namespace" in manifest["metadata"]) for manifest in self._agents_objects()}:
            for namespace in _NAMESPACES if namespaced else (None,):
                for manifest in self.cluster.list(kind, namespace, {"app.kubernetes.io/managed-by": "pulumi"}):
                    if namespaced or manifest["metadata"]["name"].startswith(tuple(f"{name}." for name in _NAMESPACES)):
                        found[_identity(manifest)] = (manifest["metadata"]["uid"], manifest["metadata"].get("generation", 0))
        return found

    def _agents_objects(self) -> Manifests:
        return [manifest for objects in self.of.values() for manifest in objects]


def _load() -> stack.Stack:
    entries: dict[str, dict[str, Any]] = {}
    for namespace in _NAMESPACES:
        for kind, words in _KINDS.items():
            numbers = range(1, _TWICE + 1) if kind != "local-current" else range(_TWICE + 1, 2 * _TWICE + 1)
            for number in numbers:  # a release is called the same in all namespaces, and of all kinds that allow it
                name = f"{namespace}-{kind}-{number}"
                values = words["values"] | ({"agent": {"data_home": f"/var/lib/{name}"}} if kind == "k8s-current" else {})
                entries[name] = {**words, "values": values, "namespace": namespace, "release": f"team-{number}"}
    namespaces = {name: {"podSecurity": "privileged"} for name in _NAMESPACES}
    return agents.load({"common": {"url": agents.URL}, "namespaces": namespaces, "agents": entries})


def _identity(manifest: Manifest) -> Identity:
    metadata = manifest["metadata"]
    return manifest["kind"], metadata.get("namespace", ""), metadata["name"]


def _owner(manifest: Manifest) -> Identity:
    [reference] = manifest["metadata"]["ownerReferences"]
    assert reference["controller"] is True
    return reference["kind"], manifest["metadata"]["namespace"], reference["name"]


def _has(pod: Manifest, labels: Mapping[str, str]) -> bool:
    return all(pod["metadata"]["labels"].get(key) == value for key, value in labels.items())


@pytest.fixture(scope="module")
def side_by_side(cluster: Client) -> Iterator[SideBySide]:
    made = SideBySide(cluster)
    yield made
    for namespace in _NAMESPACES:
        cluster.delete("Namespace", namespace)


def test_twenty_agents_roll_out(side_by_side: SideBySide) -> None:
    assert len(side_by_side.of) == 20
    assert len(side_by_side.runs) == 8
    assert {side_by_side.agent(pod) for pod in side_by_side.pods} == set(side_by_side.of)


def test_every_object_has_one_owner(side_by_side: SideBySide) -> None:
    identities = [_identity(manifest) for objects in side_by_side.of.values() for manifest in objects]
    assert len(identities) == len(set(identities)) == 144
    assert set(side_by_side.existing()) == set(identities)


def test_workloads_own_only_their_pods(side_by_side: SideBySide) -> None:
    workloads = [manifest for manifest in side_by_side.objects if manifest["kind"] in ("Deployment", "DaemonSet")]
    assert len(workloads) == 28
    for workload in workloads:
        identity = _identity(workload)
        selected = side_by_side.selected(identity[1], workload["spec"]["selector"]["matchLabels"])
        assert selected == side_by_side.of_workload(identity)
        expected, _ = agents.replicas(side_by_side.cluster.current(workload))
        assert len(selected) == expected > 0
    owned = [uid for workload in workloads for uid in side_by_side.of_workload(_identity(workload))]
    assert len(owned) + len(side_by_side.runs) == len(side_by_side.pods)


def test_budgets_count_only_pods_of_their_agent(side_by_side: SideBySide) -> None:
    counted = []
    for name, objects in side_by_side.of.items():
        for budget in objects:
            if budget["kind"] == "PodDisruptionBudget":
                component = budget["metadata"]["labels"]["app.kubernetes.io/component"]
                selected = side_by_side.selected(budget["metadata"]["namespace"], budget["spec"]["selector"]["matchLabels"])
                assert selected == side_by_side.of_agent(name, {"agent": "Deployment", "task": "Job"}[component])
                counted.append((component, len(selected)))
    assert sorted(counted) == [("agent", 2)] * 4 + [("task", 1)] * 8


def test_policies_select_only_pods_of_their_agent(side_by_side: SideBySide) -> None:
    policies = 0
    for name, objects in side_by_side.of.items():
        for policy in objects:
            if policy["kind"] == "NetworkPolicy":
                selected = side_by_side.selected(policy["metadata"]["namespace"], policy["spec"]["podSelector"]["matchLabels"])
                kinds = ("Job",) if name in side_by_side.runs else ("Deployment", "DaemonSet")
                assert selected == side_by_side.of_agent(name, *kinds) != set()
                policies += 1
    assert policies == 20


@pytest.mark.parametrize("kind", ["job-current", "local-current", "k8s-current"])
def test_removing_an_agent_does_not_affect_others(kind: str, side_by_side: SideBySide) -> None:
    """The remaining agents keep their objects and pods."""
    cluster = side_by_side.cluster
    gone = next(name for name in side_by_side.of if kind in name)
    identities = {_identity(manifest) for manifest in side_by_side.of[gone]}
    objects, pods = side_by_side.existing(), _uids(side_by_side.pods_now())
    its_pods = side_by_side.of_agent(gone, *_WORKLOADS)
    assert its_pods < pods
    for of_kind, namespace, name in identities:
        cluster.delete(of_kind, name, namespace or None)
    if gone in side_by_side.runs:
        cluster.delete("Job", side_by_side.runs[gone].name, side_by_side.runs[gone].namespace)
    wait(lambda: not _uids(side_by_side.pods_now()) & its_pods, f"the end of {gone}")
    assert _uids(side_by_side.pods_now()) == pods - its_pods
    assert side_by_side.existing() == {identity: there for identity, there in objects.items() if identity not in identities}


def _uids(pods: Manifests) -> set[str]:
    return {pod["metadata"]["uid"] for pod in pods}
