"""The schedule of placeholders on a control plane: what its Jobs are made of, and what its account may do."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from scalr_agents.model.lines import Line

from tests.cluster import agents, runs
from tests.cluster.client import ApiError, Client, Manifest, Manifests, wait
from tests.cluster.conftest import NewNamespace
from tests.engine.stacks import Deployment, up
from tests.helpers.validated import LINES

_SECONDS = 30
_WINDOW = {"days": ["mon-fri"], "from": "08:00", "to": "18:00", "timezone": "Europe/Berlin", "replicas": 3}
_JOB_LINES = [line for line in LINES if line.task_resource]


@pytest.fixture(params=_JOB_LINES, ids=agents.line_id)
def objects(request: pytest.FixtureRequest, cluster: Client, new_namespace: NewNamespace) -> Manifests:
    line: Line = request.param
    values = {"task": {"buffer": {"replicas": 1, "schedule": [_WINDOW]}}}
    found = agents.release(line, new_namespace("restricted"), values=values)
    agents.apply(cluster, found)
    return found


@pytest.fixture
def account(cluster: Client, objects: Manifests) -> Iterator[Client]:
    """The API with the rights of the Jobs' account."""
    [metadata] = [each["metadata"] for each in objects if each["kind"] == "ServiceAccount" and "schedule" in each["metadata"]["name"]]
    with cluster.as_(cluster.token(metadata["namespace"], metadata["name"])) as api:
        probe = partial(api.may, "get", "deployments/scale", metadata["namespace"], group="apps", name=_buffer(objects)["metadata"]["name"])
        wait(probe, _SECONDS, "the rights of the account")
        yield api


def _cron_job(objects: Manifests, edge: str) -> Manifest:
    [found] = [each for each in objects if each["kind"] == "CronJob" and each["metadata"]["name"].endswith(f"-{edge}")]
    return found


def _buffer(objects: Manifests) -> Manifest:
    [found] = [each for each in objects if each["kind"] == "Deployment" and each["metadata"]["name"].endswith("-buffer")]
    return found


def _replicas(cluster: Client, objects: Manifests) -> Any:
    return cluster.current(_buffer(objects))["spec"]["replicas"]


def _command(cron_job: Manifest) -> list[str]:
    [container] = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    return list(container["command"])


def _scale(api: Client, cron_job: Manifest) -> None:
    """What the command of the container asks the API server: the scale, and a change of it."""
    *begin, name, subresource, form, patch = _command(cron_job)
    assert [*begin, subresource, form] == ["kubectl", "patch", "deployment", "--subresource=scale", "--type=merge"]
    namespace = cron_job["metadata"]["namespace"]
    api._json("GET", api._path("Deployment", name, namespace, "scale"))
    api.patch("Deployment", name, namespace, json.loads(patch.removeprefix("--patch=")), subresource="scale")


def test_the_jobs_of_a_schedule_scale_the_placeholders(cluster: Client, objects: Manifests, account: Client) -> None:
    for number, (edge, replicas) in enumerate((("from", 3), ("to", 1))):
        cron_job = _cron_job(objects, edge)
        metadata = {"name": f"now-{number}", "namespace": cron_job["metadata"]["namespace"]}
        template = cron_job["spec"]["jobTemplate"]
        cluster.create({"apiVersion": "batch/v1", "kind": "Job", **template, "metadata": {**template["metadata"], **metadata}})
        job = runs.Run(cluster, metadata["name"], metadata["namespace"])
        wait(job.is_running, _SECONDS, "a pod of the Job")
        _scale(account, cron_job)
        job.finish()
        assert _replicas(cluster, objects) == replicas
        agents.apply(cluster, objects)  # a deployment leaves the number as it is
        assert _replicas(cluster, objects) == replicas
    buffer = _buffer(objects)
    without_schedule = {**buffer, "spec": {**buffer["spec"], "replicas": 2}}
    assert cluster.apply(without_schedule)["spec"]["replicas"] == 2


def test_kubectl_does_it_with_these_rights(cluster: Client, objects: Manifests, account: Client, tmp_path: Path) -> None:
    kubectl = shutil.which("kubectl")
    if not kubectl:
        pytest.skip("no kubectl")
    cron_job = _cron_job(objects, "from")
    _, *arguments = _command(cron_job)
    metadata = cron_job["metadata"]
    token = cluster.token(metadata["namespace"], f"{_buffer(objects)['metadata']['name']}-schedule")
    connection = [f"--server={account.url}", f"--certificate-authority={account._authority}", f"--token={token}"]
    place = [f"--namespace={metadata['namespace']}"]  # in a pod, that of its account
    done = subprocess.run(
        [kubectl, *connection, *place, *arguments],
        env={"HOME": str(tmp_path), "KUBECONFIG": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert _replicas(cluster, objects) == 3


def test_their_account_may_do_nothing_else(objects: Manifests, account: Client) -> None:
    cron_job, [controller] = _cron_job(objects, "from"), [each for each in objects if _is_controller(each)]
    namespace, name = cron_job["metadata"]["namespace"], _buffer(objects)["metadata"]["name"]
    may = [
        (verb, resource, named)
        for verb in ("get", "list", "watch", "create", "update", "patch", "delete")
        for resource in ("deployments", "deployments/scale")
        for named in ("", name, controller["metadata"]["name"])
        if account.may(verb, resource, namespace, group="apps", name=named)
    ]
    assert may == [("get", "deployments/scale", name), ("patch", "deployments/scale", name)]
    assert not any(account.may("get", resource, namespace) for resource in ("pods", "secrets", "configmaps"))
    with pytest.raises(ApiError) as refused:
        account.patch("Deployment", controller["metadata"]["name"], namespace, {"spec": {"replicas": 0}}, subresource="scale")
    assert refused.value.status == HTTPStatus.FORBIDDEN


def _is_controller(manifest: Manifest) -> bool:
    return manifest["kind"] == "Deployment" and not manifest["metadata"]["name"].endswith("-buffer")


def test_a_deployment_keeps_the_number_of_a_schedule(local: Deployment, cluster: Client, namespace: str) -> None:
    """With Pulumi's provider: also when the schedule comes and goes."""
    buffer = "agents.runs.values.task.buffer"

    def replicas() -> Any:
        return cluster.get("Deployment", "runs-agent-job-buffer", namespace)["spec"]["replicas"]

    local.edit({buffer: {"replicas": 2}})
    up(local)
    assert replicas() == 2
    local.edit({buffer: {"replicas": 2, "schedule": [_WINDOW]}})
    assert "runs-controller-buffer" in up(local).all("update")
    assert replicas() == 1
    cluster.patch("Deployment", "runs-agent-job-buffer", namespace, {"spec": {"replicas": 3}}, subresource="scale")
    local.edit({"agents.runs.values.task.nodeSelector": {"kubernetes.io/os": "linux"}})
    assert "runs-controller-buffer" in up(local).all("update")
    assert replicas() == 3
    local.edit({buffer: {"replicas": 2}})
    assert "runs-controller-buffer" in up(local).all("update")
    assert replicas() == 2
    assert cluster.list("CronJob", namespace) == []
    assert not local.destroy().failed
