"""A cluster accepts what we render: strict validation, admission, rollout, and no change when it is applied again."""

from collections.abc import Iterator

import pytest
from scalr_agents.model.release import Line

from tests.cluster import agents, nodes, runs
from tests.cluster.client import Client, Manifest, Manifests, wait
from tests.cluster.conftest import NewNamespace
from tests.helpers.validated import LINES

LEVELS = {"agent-job": "restricted", "agent-local": "restricted", "agent-k8s": "privileged"}
"""The strictest PodSecurity level that admits the pods of a kind: the worker of agent-k8s mounts a directory of its node."""
POOLS = {"payments": [{"key": "pool", "value": "payments", "effect": "NoSchedule"}], "platform": [], "vcs": []}
"""The nodes that sample stacks pin agents to, with their taints."""
ENDS: dict[runs.Result, set[str]] = {"succeeded": {"SuccessCriteriaMet", "Complete"}, "failed": {"FailureTarget", "Failed"}}
"""The final conditions of a Job."""


@pytest.mark.parametrize("line", LINES, ids=agents.line_id)
def test_every_line_rolls_out_and_a_second_apply_changes_nothing(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    objects = agents.release(line, new_namespace(LEVELS[line.chart]))
    agents.apply(cluster, objects)
    agents.wait_for_rollout(cluster, objects)
    _assert_settled(cluster, objects)


@pytest.mark.parametrize("line", [line for line in LINES if line.task_resource], ids=agents.line_id)
def test_a_run_ends_once_and_its_job_is_deleted(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    objects = agents.release(line, new_namespace("restricted"))
    agents.apply(cluster, objects)
    [task] = runs.tasks(objects)
    started = {result: runs.start(cluster, cluster.current(task), f"run-{result}") for result in ENDS}
    for result, run in started.items():
        [pod] = run.pods()
        assert [container["name"] for container in pod["spec"]["containers"]] == ["runner", "worker"]
        assert run.conditions() == set()
        run.finish(result)
        assert run.conditions() == ENDS[result]
        assert [each["metadata"]["uid"] for each in run.pods()] == [pod["metadata"]["uid"]]
        cluster.patch("Job", run.name, run.namespace, {"spec": {"ttlSecondsAfterFinished": 1}})
    wait(lambda: not any(run.job() or run.pods() for run in started.values()), "the removal of Jobs and their pods")


@pytest.fixture(scope="module")
def samples(cluster: Client) -> Iterator[dict[str, Manifests]]:
    """All sample stacks, each with its agents, in one cluster at the same time."""
    objects = {name: agents.objects(agents.sample(name)) for name in agents.STACKS}
    for pool, taints in POOLS.items():
        nodes.add(cluster, pool, {"pool": pool}, taints)
    for manifests in objects.values():
        agents.apply(cluster, manifests)
    for manifests in objects.values():
        agents.wait_for_rollout(cluster, manifests)
    yield objects
    for kind, name in {(manifest["kind"], manifest["metadata"]["name"]) for manifests in objects.values() for manifest in manifests}:
        if kind in ("Namespace", "PersistentVolume"):
            cluster.delete(kind, name)
    for pool in POOLS:
        cluster.delete("Node", pool)


@pytest.mark.parametrize("name", agents.STACKS)
def test_sample_stacks_are_admitted_and_a_second_apply_changes_nothing(name: str, samples: dict[str, Manifests], cluster: Client) -> None:
    namespaces = {manifest["metadata"]["namespace"] for manifest in samples[name] if manifest["kind"] == "Deployment"}
    made = [manifest["metadata"]["name"] for manifest in samples[name] if manifest["kind"] == "Namespace"]
    assert namespaces == set(made)
    for namespace in namespaces:
        assert cluster.get("Namespace", namespace)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    _assert_settled(cluster, samples[name])


def test_runs_of_sample_stacks_have_a_place(samples: dict[str, Manifests], cluster: Client) -> None:
    """Claims are bound, and runs fit on the nodes that they are pinned to."""
    tasks = {name: runs.tasks(objects) for name, objects in samples.items()}
    assert {name: len(made) for name, made in tasks.items()} == {"aws-dev": 1, "aws-prod": 2, "dev": 2, "gcp-prod": 2, "local": 1}
    every = [task for made in tasks.values() for task in made]
    started = [runs.start(cluster, task, task["metadata"]["labels"]["app.kubernetes.io/instance"], ttl_seconds=1) for task in every]
    for run in started:
        run.finish()
    wait(lambda: not any(run.job() for run in started), "the removal of Jobs that have ended")


def test_agents_run_on_their_node_pool(samples: dict[str, Manifests], cluster: Client) -> None:
    assert samples
    for pool in POOLS:
        controllers = cluster.list("Pod", f"scalr-{pool}")
        assert {pod["spec"]["nodeName"] for pod in controllers} == {pool}


def _assert_settled(cluster: Client, objects: Manifests) -> None:
    """A second apply leaves every object as it was: its generation, its fields and who has set them."""
    for manifest in objects:
        before = _without_status(cluster.current(manifest))
        assert _without_status(cluster.apply(manifest)) == before


def _without_status(live: Manifest) -> Manifest:
    """An object without what its controllers report about it: that may change between any two requests."""
    metadata = {key: value for key, value in live["metadata"].items() if key != "resourceVersion"}
    metadata["managedFields"] = [fields for fields in metadata["managedFields"] if "subresource" not in fields]
    return {key: value for key, value in live.items() if key != "status"} | {"metadata": metadata}
