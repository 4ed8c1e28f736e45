"""`scalr-agents status` and `logs` against a real API server, whose controllers made the Jobs and pods of the runs."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.stack import source

from tests.cluster import accounts, agents, runs
from tests.cluster.client import Client, Manifest, wait
from tests.cluster.control_plane import ControlPlane
from tests.cluster.doctor import Doctor, kubeconfig
from tests.helpers import samples
from tests.helpers.command_line import Done, cli

pytestmark = pytest.mark.usefixtures("nodes_of_doctor")


def _deployed(doctor: Doctor, cluster: Client, namespace: str) -> Manifest:
    """Deploy the stack of the file; the template of its runs."""
    doctor.write(namespace, {"agentVersion": "1.4.0"}, {})
    file = source.read(doctor.project, "dev")
    objects = samples.objects(stack.load({**file.config, "secrets": {"runs": {"token": samples.TOKEN}}}, directory=file.directory))
    agents.apply(cluster, objects)
    agents.wait_for_rollout(cluster, objects)
    [task] = runs.tasks(objects)
    return task


def _status(project: Path) -> tuple[Mapping[str, Any], Done]:
    done = cli("status", "dev", "-o", "json", directory=project)
    return json.loads(done.stdout), done


def _reported(project: Path, what: str) -> dict[str, str]:
    """The runs or failures of the agent, with their reasons."""
    [agent] = _status(project)[0]["agents"]
    return {each["name"]: each["reason"] for each in agent[what]}


def test_status_tells_what_the_cluster_has(doctor: Doctor, cluster: Client, namespace: str) -> None:
    task = _deployed(doctor, cluster, namespace)
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


def test_a_credential_without_rights_gets_notes(
    doctor: Doctor, cluster: Client, control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    doctor.write(namespace, {}, {}, kubeconfig(control_plane, tmp_path, accounts.team(cluster, namespace)))
    found, done = _status(doctor.project)
    assert (done.returncode, found["agents"][0]["ready"]) == (1, False)
    listed = ["pods", "jobs.batch", "events", "persistentvolumeclaims", "atasks.scalr.io", "deployments.apps"]
    assert found["notes"] == [f"{each} in namespace {namespace}: cannot be seen: your credential lacks the permission" for each in listed]
    refused = cli("logs", "runs", "-s", "dev", directory=doctor.project)
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == (
        f"error: pods in namespace {namespace}: cannot be seen: your credential lacks the permission"
    )
