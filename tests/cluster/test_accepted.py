"""A cluster accepts what we render: strict validation, admission, rollout, and no change when it is applied again."""

from collections.abc import Iterator

import pytest
from scalr_agents.model.lines import Line

from tests.cluster import agents, nodes, runs
from tests.cluster.client import SIDE_BY_SIDE, Client, Manifest, Manifests, wait
from tests.cluster.conftest import NewNamespace
from tests.helpers.validated import LINES

LEVELS = {"agent-job": "restricted", "agent-local": "restricted", "agent-k8s": "privileged"}
"""The strictest PodSecurity level that admits the pods of a kind: the worker of agent-k8s mounts a directory of its node."""
POOLS = {"payments": [{"key": "pool", "value": "payments", "effect": "NoSchedule"}], "platform": [], "vcs": []}
"""The nodes that sample stacks pin agents to, with their taints."""
ENDS: dict[runs.Result, set[str]] = {"succeeded": {"SuccessCriteriaMet", "Complete"}, "failed": {"FailureTarget", "Failed"}}
"""The final conditions of a Job."""
_REMOVAL_SECONDS = 20


@pytest.mark.parametrize("line", LINES, ids=agents.line_id)
def test_every_line_rolls_out_and_a_second_apply_changes_nothing(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    objects = agents.release(line, new_namespace(LEVELS[line.chart]))
    agents.apply(cluster, objects)
    agents.wait_for_rollout(cluster, objects)
    _assert_settled(cluster, objects)


@pytest.mark.parametrize("result", ENDS)
@pytest.mark.parametrize("line", [line for line in LINES if line.task_resource], ids=agents.line_id)
def test_a_run_ends_once_and_its_job_is_deleted(line: Line, result: runs.Result, cluster: Client, new_namespace: NewNamespace) -> None:
    objects = agents.release(line, new_namespace("restricted"))
    agents.apply(cluster, objects)
    [task] = runs.tasks(objects)
    run = runs.start(cluster, cluster.current(task), ttl_seconds=2)
    [pod] = run.pods()
    assert [container["name"] for container in pod["spec"]["containers"]] == ["runner", "worker"]
    assert run.conditions() == set()
    run.finish(result)
    assert run.conditions() == ENDS[result]
    assert [each["metadata"]["uid"] for each in run.pods()] == [pod["metadata"]["uid"]]
    wait(lambda: not run.job() and not run.pods(), _REMOVAL_SECONDS, "the removal of a Job that has ended, and of its pod")


@pytest.fixture(scope="module")
def samples(cluster: Client) -> Iterator[dict[str, Manifests]]:
    """All sample stacks, each with its agents, in one cluster at the same time."""
    loaded = {name: agents.sample(name) for name in agents.STACKS}
    objects = {name: agents.objects(stack) for name, stack in loaded.items()}
    for pool, taints in POOLS.items():
        nodes.add(cluster, pool, {"pool": pool}, taints)
    for manifests in objects.values():
        agents.apply(cluster, manifests)
    for manifests in objects.values():
        agents.wait_for_rollout(cluster, manifests)
    cluster.figures.reached(SIDE_BY_SIDE, sum(len(stack.agents) for stack in loaded.values()))
    yield objects
    for kind, name in {(manifest["kind"], manifest["metadata"]["name"]) for manifests in objects.values() for manifest in manifests}:
        if kind in ("Namespace", "PersistentVolume"):
            cluster.delete(kind, name)
    for pool in POOLS:
        cluster.delete("Node", pool)


@pytest.mark.parametrize("name", agents.STACKS)
def test_sample_stacks_are_admitted(name: str, samples: dict[str, Manifests], cluster: Client) -> None:
    namespaces = {manifest["metadata"]["namespace"] for manifest in samples[name] if manifest["kind"] == "Deployment"}
    made = [manifest["metadata"]["name"] for manifest in samples[name] if manifest["kind"] == "Namespace"]
    assert namespaces == set(made)
    for namespace in namespaces:
        assert cluster.get("Namespace", namespace)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


@pytest.mark.parametrize("name", agents.STACKS)
def test_a_second_apply_of_a_sample_stack_changes_nothing(name: str, samples: dict[str, Manifests], cluster: Client) -> None:
    _assert_settled(cluster, samples[name])


@pytest.mark.parametrize("name", agents.STACKS)
def test_every_agent_of_a_sample_stack_has_pods(name: str, samples: dict[str, Manifests], cluster: Client) -> None:
    """Claims are bound, and runs have a place on the nodes that they are pinned to."""
    tasks = runs.tasks(samples[name])
    started = [runs.start(cluster, task, task["metadata"]["labels"]["app.kubernetes.io/instance"], ttl_seconds=1) for task in tasks]
    assert len(started) == {"aws-dev": 1, "aws-prod": 2, "dev": 2, "gcp-prod": 2, "local": 1}[name]
    for run in started:
        run.finish()
    wait(lambda: not any(run.job() for run in started), _REMOVAL_SECONDS, "the removal of Jobs that have ended")


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
