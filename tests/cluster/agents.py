"""Agents in a cluster: applied, and rolled out. What they are made of is in `tests.helpers.samples`."""

from functools import partial

from scalr_agents import stack
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.model.release import Line

from tests.cluster.client import Client, Manifest, Manifests, wait
from tests.helpers.samples import STACKS, TOKEN, URL, load, objects, release, sample

__all__ = [
    "STACKS",
    "TOKEN",
    "URL",
    "apply",
    "is_rolled_out",
    "line_id",
    "load",
    "objects",
    "release",
    "replicas",
    "sample",
    "side_by_side",
    "wait_for_rollout",
]


def line_id(line: Line) -> str:
    """A line in the name of a test."""
    return f"{line.chart}-{line.generation}"


def side_by_side(number: int, namespace: str) -> stack.Stack:
    """A stack of many agents in one namespace, which is there."""
    words = {"kind": "agent-job", "namespace": namespace}
    return load({"common": {"url": URL}, "agents": {f"team-{index}": words for index in range(number)}})


def apply(cluster: Client, manifests: Manifests) -> Manifests:
    """Apply objects in their order; what the cluster has then."""
    return [cluster.apply(manifest) for manifest in manifests]


def wait_for_rollout(cluster: Client, manifests: Manifests) -> None:
    """Wait until all pods of all workloads among the objects are available."""
    for manifest in manifests:
        if manifest["kind"] in WORKLOADS:
            metadata = manifest["metadata"]
            wait(
                partial(_is_available, cluster, manifest),
                f"{manifest['kind']} {metadata['namespace']}/{metadata['name']}",
            )


def is_rolled_out(cluster: Client, manifests: Manifests) -> bool:
    """Whether all pods of all workloads among the objects are available."""
    return all(_is_available(cluster, manifest) for manifest in manifests if manifest["kind"] in WORKLOADS)


def replicas(workload: Manifest) -> tuple[int, int]:
    """The desired number of pods, and the number that is current and available; 0 while other pods are left."""
    status = workload["status"]
    if workload["kind"] == "DaemonSet":
        counts = [status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0)]
        return status["desiredNumberScheduled"], min(counts)
    updated = status.get("updatedReplicas", 0)
    settled = updated == status.get("replicas", 0)
    return workload["spec"]["replicas"], min(updated, status.get("availableReplicas", 0)) if settled else 0


def _is_available(cluster: Client, manifest: Manifest) -> bool:
    workload = cluster.current(manifest)
    expected, available = replicas(workload)
    return workload["status"].get("observedGeneration") == workload["metadata"]["generation"] and expected == available > 0
