"""Runs in progress while their agent is removed, in the order in which Pulumi deletes the registered resources."""

import time
from collections.abc import Iterator, Set as AbstractSet
from typing import Any

import pulumi
import pytest
import scalr_agents
from scalr_agents.resources.arguments.agents import AgentJobArgs

from tests.cluster import agents, runs, volumes
from tests.cluster.client import Client, Manifest, wait
from tests.helpers.programs import stack_with
from tests.helpers.recording import Recording, Registration, opened, run as record

_MORE_STEPS = 10
_HELD = {
    "ClusterRole",
    "ClusterRoleBinding",
    "NetworkPolicy",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "Role",
    "RoleBinding",
    "Secret",
    "ServiceAccount",
}
"""Kinds that stay as long as the agent's claim exists."""


@pytest.fixture
def storage_class(cluster: Client, namespace: str) -> Iterator[str]:
    """A class of which there is one volume."""
    volumes.of_class(cluster, namespace)
    yield namespace
    cluster.delete("PersistentVolume", namespace)


class Deployed:
    """A program's objects in a cluster, in the dependencies that the program gave them."""

    def __init__(self, cluster: Client, recording: Recording) -> None:
        self._cluster = cluster
        self._recording = recording
        self._left = [resource for resource in recording.resources if resource.type.startswith("kubernetes:") and not resource.retain]
        self._asked: set[str] = set()
        for resource in recording.resources:
            if resource.type.startswith("kubernetes:"):
                cluster.apply(_manifest(resource))
        agents.wait_for_rollout(cluster, [_manifest(resource) for resource in self._left])

    def start(self, run: str = "run-1") -> runs.Run:
        [task] = runs.tasks([_manifest(resource) for resource in self._left])
        return runs.start(self._cluster, task, run)

    def is_destroyed(self) -> bool:
        """A step of `pulumi destroy`: delete the objects that no existing object depends on."""
        self._left = [resource for resource in self._left if not self._is_gone(resource)]
        needed = {name for resource in self._left for name in self._recording.depends(resource.name)}
        for resource in self._left:
            if resource.name not in needed and resource.name not in self._asked:
                metadata = resource.inputs["metadata"]
                kind, name, namespace = resource.inputs["kind"], metadata["name"], metadata.get("namespace")
                self._cluster.delete(kind, name, namespace, propagation="Foreground")
                self._asked.add(resource.name)
        return not self._left

    def destroy(self, kinds: AbstractSet[str] = frozenset()) -> None:
        """Destroy until only objects of some kinds are left."""
        wait(lambda: self.is_destroyed() or self.kinds <= kinds, f"{sorted(self.kinds)} to become {sorted(kinds)}")
        assert self.kinds == kinds

    def assert_stuck(self) -> None:
        """Assert that the claim is terminating and blocks the removal."""
        wait(self._is_claim_held, "a claim that is deleted and protected")
        before = self.kinds
        for _ in range(_MORE_STEPS):
            time.sleep(0.1)
            self.is_destroyed()
        assert self.kinds == before

    def _is_claim_held(self) -> bool:
        self.is_destroyed()
        metadata = self.of_kind("PersistentVolumeClaim")["metadata"]
        return "deletionTimestamp" in metadata and "kubernetes.io/pvc-protection" in metadata.get("finalizers", ())

    @property
    def kinds(self) -> set[str]:
        """The kinds that are left."""
        return {resource.inputs["kind"] for resource in self._left}

    def of_kind(self, kind: str) -> Manifest:
        """The one object of a kind, as it is now."""
        [resource] = [resource for resource in self._left if resource.inputs["kind"] == kind]
        return self._cluster.current(_manifest(resource))

    def _is_gone(self, resource: Registration) -> bool:
        metadata = resource.inputs["metadata"]
        return self._cluster.find(resource.inputs["kind"], metadata["name"], metadata.get("namespace")) is None


def _manifest(resource: Registration) -> Manifest:
    manifest: Manifest = opened(resource.inputs)
    return manifest


def _deploy(cluster: Client, namespace: str, version: str, *, storage_class: str = "", **job: Any) -> Deployed:
    """An agent of a program, with a cache of its own; without a storage class it has none."""
    own = {"enabled": bool(storage_class), "persistentVolumeClaim": {"storageClassName": storage_class}}
    values: Any = {"task": {"job": job}, "persistence": {"cache": own}}
    args: AgentJobArgs = {"namespace": namespace, "url": agents.URL, "token": agents.TOKEN, "agent_version": version, "values": values}

    def program() -> None:
        definitions = scalr_agents.AgentCrds("crds", {})
        scalr_agents.AgentJob("runs", args, pulumi.ResourceOptions(depends_on=[definitions]))

    recording = record(program)
    assert recording.error is None, recording.error
    return Deployed(cluster, recording)


def _evict(cluster: Client, run: runs.Run) -> int:
    [pod] = run.pods()
    return cluster.evict(pod["metadata"]["name"], run.namespace)


@pytest.mark.parametrize("version", ["0.57.0", "1.4.0"])
def test_an_agent_claim_keeps_dependencies_of_runs(version: str, cluster: Client, namespace: str, storage_class: str) -> None:
    deployed = _deploy(cluster, namespace, version, storage_class=storage_class, ttlSecondsAfterFinished=1)
    run = deployed.start()
    [pod] = run.pods()
    deployed.destroy(_HELD)
    deployed.assert_stuck()
    assert [left["metadata"]["uid"] for left in cluster.list("Pod", namespace)] == [pod["metadata"]["uid"]]
    assert run.is_running()
    claim = deployed.of_kind("PersistentVolumeClaim")
    assert claim["metadata"]["deletionTimestamp"]
    assert claim["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    for kind in _HELD - {"PersistentVolumeClaim", "Secret", "PodDisruptionBudget"}:
        assert "deletionTimestamp" not in deployed.of_kind(kind)["metadata"], kind
    assert _evict(cluster, run) == 429
    with cluster.as_(cluster.token(namespace, deployed.of_kind("ServiceAccount")["metadata"]["name"])) as worker:
        assert worker.may("get", "pods", namespace)
    run.finish()
    deployed.destroy()


def test_a_hanging_run_keeps_the_claim_until_its_deadline(cluster: Client, namespace: str, storage_class: str) -> None:
    deployed = _deploy(cluster, namespace, "1.4.0", storage_class=storage_class, activeDeadlineSeconds=600)
    run = deployed.start()
    assert run.deadline_seconds() == 600
    deployed.destroy(_HELD)
    deployed.assert_stuck()
    assert run.is_running()
    run.shorten(1)
    deployed.destroy()
    assert run.pods() == []
    assert wait(run.conditions, "the end of the Job") == {"FailureTarget", "Failed"}
    conditions = (run.job() or {})["status"]["conditions"]
    assert {condition["reason"] for condition in conditions} == {"DeadlineExceeded"}


def test_a_stack_file_system_waits_for_runs(cluster: Client, namespace: str) -> None:
    """The claim that the agent mounts is deleted. There is no driver, so the claim is bound only by its volume."""
    job = {"activeDeadlineSeconds": 600, "ttlSecondsAfterFinished": 1}
    agent = {"namespace": namespace, "agentVersion": "0.57.0", "cache": "team", "values": {"task": {"job": job}}}
    recording = stack_with({"team": {"efs": {"eksCluster": "prod"}}}, {"runs": agent})
    assert recording.error is None, recording.error
    deployed = Deployed(cluster, recording)
    run = deployed.start()
    deployed.destroy({*_HELD, "PersistentVolume"})
    deployed.assert_stuck()
    assert run.is_running()
    assert _evict(cluster, run) == 429
    run.finish()
    deployed.destroy()


def test_without_a_claim_nothing_waits_for_a_run(cluster: Client, namespace: str) -> None:
    deployed = _deploy(cluster, namespace, "1.4.0")
    run = deployed.start()
    deployed.destroy()
    assert cluster.list("NetworkPolicy", namespace) == []
    assert run.is_running()
    assert _evict(cluster, run) == 201
