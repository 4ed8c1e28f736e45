"""`scalr-agents status` and `logs` against a real API server, whose controllers made the Jobs and pods of the runs."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import agents, runs
from tests.cluster.client import Client, wait
from tests.cluster.doctor import Doctor
from tests.helpers.command_line import Done, cli

pytestmark = pytest.mark.usefixtures("nodes_of_doctor")


def _status(project: Path) -> tuple[Mapping[str, Any], Done]:
    done = cli("status", "dev", "-o", "json", directory=project)
    return json.loads(done.stdout), done


def _reported(project: Path, what: str) -> dict[str, str]:
    """The runs or failures of the agent, with their reasons."""
    [agent] = _status(project)[0]["agents"]
    return {each["name"]: each["reason"] for each in agent[what]}


def test_status_tells_what_the_cluster_has(doctor: Doctor, cluster: Client, namespace: str) -> None:
    objects = doctor.deploy(cluster, namespace)
    agents.wait_for_rollout(cluster, objects)
    [task] = runs.tasks(objects)
    bad, good = (runs.start(cluster, task, run) for run in ("failing", "going"))
    bad.finish("failed")
    homeless, refused = (deepcopy(runs.job(task, run)) for run in ("homeless", "refused"))
    homeless["spec"]["template"]["spec"]["nodeSelector"] = {"doctor": "nobody"}
    lost, late = homeless["metadata"]["name"], refused["metadata"]["name"]
    cluster.create(homeless)
    wait(lambda: "Unschedulable: " in _reported(doctor.project, "runs").get(lost, ""), "the scheduler")
    metadata = {"name": "team", "namespace": namespace}
    cluster.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": {"pods": "1"}}})
    wait(lambda: cluster.get("ResourceQuota", "team", namespace).get("status"), "the quota")
    cluster.create(refused)
    wait(lambda: "exceeded quota" in _reported(doctor.project, "runs")[late], "the event of the quota")
    found, done = _status(doctor.project)
    [agent] = found["agents"]
    assert (done.returncode, agent["ready"], agent["differences"], agent["version"]["cluster"]) == (0, True, [], "1.4.0")
    assert {each["name"]: each["phase"] for each in agent["runs"]} == {good.name: "running", lost: "pending", late: "pending"}
    assert _reported(doctor.project, "failures")[bad.name].startswith("exit code 1 in ")
