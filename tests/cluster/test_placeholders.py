"""Placeholders whose number an autoscaler sets, on a control plane: what deployments leave as it is, and what they set."""

from typing import Any

import pytest
from scalr_agents.model.lines import Line

from tests.cluster import agents
from tests.cluster.client import Client, Manifests
from tests.cluster.conftest import NewNamespace
from tests.engine.stacks import Deployment, up
from tests.helpers.validated import LINES

_JOB_LINES = [line for line in LINES if line.task_resource]


class Placeholders:
    """The placeholders of a release."""

    def __init__(self, cluster: Client, line: Line, namespace: str) -> None:
        self.cluster, self.line, self.namespace = cluster, line, namespace

    def deploy(self, replicas: int | None) -> None:
        agents.apply(self.cluster, self._objects(replicas))

    def _objects(self, replicas: int | None) -> Manifests:
        return agents.release(self.line, self.namespace, values={"task": {"buffer": {"replicas": replicas}}})

    @property
    def _name(self) -> str:
        return f"runs-{self.line.base_name}-buffer"

    @property
    def replicas(self) -> Any:
        return self.cluster.get("Deployment", self._name, self.namespace)["spec"]["replicas"]

    def scale(self, replicas: int) -> None:
        """As an autoscaler does it."""
        self.cluster.patch("Deployment", self._name, self.namespace, {"spec": {"replicas": replicas}}, subresource="scale")


@pytest.fixture(params=_JOB_LINES, ids=agents.line_id)
def placeholders(request: pytest.FixtureRequest, cluster: Client, new_namespace: NewNamespace) -> Placeholders:
    return Placeholders(cluster, request.param, new_namespace("restricted"))


def test_a_deployment_leaves_the_number_to_an_autoscaler(placeholders: Placeholders) -> None:
    placeholders.deploy(None)
    assert placeholders.replicas == 1  # the default of Kubernetes
    placeholders.scale(3)
    placeholders.deploy(None)
    assert placeholders.replicas == 3
    placeholders.deploy(2)
    assert placeholders.replicas == 2


def test_a_number_that_nobody_else_has_set_falls_to_one(placeholders: Placeholders) -> None:
    placeholders.deploy(3)
    placeholders.deploy(None)
    assert placeholders.replicas == 1


def test_a_number_that_an_autoscaler_has_set_before_stays(placeholders: Placeholders) -> None:
    placeholders.deploy(3)
    placeholders.scale(4)
    placeholders.deploy(None)
    assert placeholders.replicas == 4


def test_pulumi_s_provider_keeps_the_number_of_an_autoscaler(local: Deployment, cluster: Client, namespace: str) -> None:
    buffer = "agents.runs.values.task.buffer"

    def replicas() -> Any:
        return cluster.get("Deployment", "runs-agent-job-buffer", namespace)["spec"]["replicas"]

    local.edit({buffer: {"replicas": 2}})
    up(local)
    assert replicas() == 2
    local.edit({buffer: {"replicas": None}})
    assert "runs-controller-buffer" in up(local).all("update")
    assert replicas() == 1
    cluster.patch("Deployment", "runs-agent-job-buffer", namespace, {"spec": {"replicas": 3}}, subresource="scale")
    local.edit({"agents.runs.values.task.nodeSelector": {"kubernetes.io/os": "linux"}})
    assert "runs-controller-buffer" in up(local).all("update")
    assert replicas() == 3
    local.edit({buffer: {"replicas": 2}})
    assert "runs-controller-buffer" in up(local).all("update")
    assert replicas() == 2
    assert not local.destroy().failed
