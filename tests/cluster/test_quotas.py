"""The quota of a namespace on a real API server: which pods it refuses, and the effect on their runs."""

import json
from copy import deepcopy

import pytest

from tests.cluster import agents, runs
from tests.cluster.client import Client, Manifest, wait
from tests.cluster.doctor import Doctor
from tests.helpers.command_line import cli

pytestmark = pytest.mark.usefixtures("nodes_of_doctor")


def _deployed(doctor: Doctor, cluster: Client, namespace: str, quota: Manifest) -> Manifest:
    """Deploy a stack with one agent in a namespace with a quota; the template of its runs."""
    objects = doctor.deploy(cluster, namespace, namespaces={namespace: {"quota": quota}})
    hard = next(manifest["spec"]["hard"] for manifest in objects if manifest["kind"] == "ResourceQuota")
    wait(
        lambda: cluster.get("ResourceQuota", "scalr-agents", namespace).get("status", {}).get("hard") == hard,
        "the quota",
    )
    agents.wait_for_rollout(cluster, objects)
    [task] = runs.tasks(objects)
    return task


def _reasons(doctor: Doctor) -> dict[str, tuple[str, str]]:
    """The runs that `status` reports, with phases and reasons."""
    [agent] = json.loads(cli("status", "dev", "-o", "json", directory=doctor.project).stdout)["agents"]
    return {run["name"]: (run["phase"], run["reason"]) for run in agent["runs"]}


def test_a_run_beyond_the_quota_waits_until_another_ends(doctor: Doctor, cluster: Client, namespace: str) -> None:
    exceeded = "requested: requests.cpu=750m, used: requests.cpu=1600m"
    task = _deployed(doctor, cluster, namespace, {"cpu": "1900m", "memory": "40Gi", "disk": "100Gi"})
    first, second = (runs.start(cluster, task, run) for run in ("run-1", "run-2"))
    third_job = runs.job(task, "run-3")
    cluster.create(third_job)
    third = runs.Run(cluster, third_job["metadata"]["name"], namespace)
    wait(lambda: "exceeded quota: scalr-agents" in _reasons(doctor)[third.name][1], "the refused pod")
    phase, reason = _reasons(doctor)[third.name]
    refused = f'FailedCreate: Error creating: pods "{third.name}-'
    assert (phase, reason.startswith(refused), exceeded in reason) == ("pending", True, True), reason
    assert (third.pods(), third.conditions()) == ([], set())
    assert [_reasons(doctor)[run.name] for run in (first, second)] == [("running", "")] * 2
    first.finish()
    wait(third.is_running, "the run that waited")  # the controller of Jobs tries again after a minute at most
    assert _reasons(doctor)[third.name] == ("running", "")


def test_containers_without_requests_get_them(doctor: Doctor, cluster: Client, namespace: str) -> None:
    task = _deployed(doctor, cluster, namespace, {"cpu": "8", "memory": "16Gi", "disk": "100Gi"})
    plain = deepcopy(runs.job(task, "run-1"))
    for container in plain["spec"]["template"]["spec"]["containers"]:
        container["resources"] = {}
    cluster.create(plain)
    run = runs.Run(cluster, plain["metadata"]["name"], namespace)
    wait(run.is_running, "the run")
    [pod] = run.pods()
    default = {"requests": {"cpu": "100m", "memory": "128Mi", "ephemeral-storage": "256Mi"}}
    assert [container["resources"] for container in pod["spec"]["containers"]] == [default, default]
