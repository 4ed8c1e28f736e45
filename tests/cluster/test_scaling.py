"""The autoscaler of agent-local with the controller of a real control plane. The tests provide the values of a metrics server."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from scalr_agents.model.release import Line

from tests.cluster import agents, definitions
from tests.cluster.client import Client, Manifest, Manifests, wait
from tests.cluster.conftest import NewNamespace
from tests.helpers.validated import LINES

NAME = "runs-agent-local"
_METRICS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "pods.metrics.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved, of the tests"}},
    "spec": {
        "group": "metrics.k8s.io",
        "scope": "Namespaced",
        "names": {"plural": "pods", "singular": "pod", "kind": "PodMetrics", "listKind": "PodMetricsList"},
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
"""The resource that a metrics server serves."""


@pytest.fixture(scope="module")
def metrics(cluster: Client) -> Iterator[None]:
    definitions.install(cluster, _METRICS)
    yield
    cluster.delete("CustomResourceDefinition", "pods.metrics.k8s.io")


class Scaled:
    """Agents of a release, the use of their processors, and their autoscaler."""

    def __init__(self, cluster: Client, line: Line, namespace: str) -> None:
        self.cluster, self.line, self.namespace = cluster, line, namespace
        self.deploy()

    def objects(self) -> Manifests:
        words = {
            "kind": self.line.chart,
            "namespace": self.namespace,
            "agentVersion": self.line.default_version,
            "scaling": {"min": 2, "max": 5, "cpu": 50},
            "values": {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 3600},
        }
        return agents.load({"common": {"url": agents.URL}, "agents": {"runs": words}}).objects()

    def deploy(self) -> None:
        agents.apply(self.cluster, self.objects())

    @property
    def replicas(self) -> Any:
        return self.cluster.get("Deployment", NAME, self.namespace)["spec"]["replicas"]

    @property
    def autoscaler(self) -> Manifest:
        return self.cluster.get("HorizontalPodAutoscaler", NAME, self.namespace)

    def measure(self, cpu: str) -> None:
        """Each agent uses as many processors. It requests one."""
        for pod in self.cluster.list("Pod", self.namespace):
            self.cluster.apply(
                {
                    "apiVersion": "metrics.k8s.io/v1beta1",
                    "kind": "PodMetrics",
                    "metadata": {"name": pod["metadata"]["name"], "namespace": self.namespace, "labels": pod["metadata"]["labels"]},
                    "timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "window": "10s",
                    "containers": [{"name": "agent-local", "usage": {"cpu": cpu, "memory": "100Mi"}}],
                }
            )

    def wait_for(self, number: int, cpu: str) -> None:
        def is_there() -> bool:
            self.measure(cpu)
            return bool(self.replicas == number)

        wait(is_there, f"{number} agents that use {cpu}: {self.replicas}, {self.autoscaler['status']}")

    def reason(self, condition: str) -> str:
        found = {each["type"]: each["reason"] for each in self.autoscaler["status"].get("conditions", ())}
        return str(found.get(condition, ""))


@pytest.fixture(params=[line for line in LINES if line.chart == "agent-local"], ids=agents.line_id)
def scaled(request: pytest.FixtureRequest, cluster: Client, metrics: None, new_namespace: NewNamespace) -> Scaled:
    return Scaled(cluster, request.param, new_namespace("restricted"))


def test_agents_follow_their_load(scaled: Scaled) -> None:
    scaled.wait_for(2, "100m")
    scaled.wait_for(5, "2000m")
    scaled.deploy()  # leaves the number as it is
    assert scaled.replicas == 5

    def is_calm() -> bool:
        scaled.measure("0m")
        return scaled.reason("AbleToScale") == "ScaleDownStabilized"

    wait(is_calm, "fewer agents are enough, but not yet removed")
    assert scaled.replicas == 5
    spec = scaled.autoscaler["spec"]
    window = {"scaleDown": {**spec["behavior"]["scaleDown"], "stabilizationWindowSeconds": 1}}
    scaled.cluster.patch("HorizontalPodAutoscaler", NAME, scaled.namespace, {"spec": {"behavior": window}})
    scaled.wait_for(2, "0m")  # all that came within the last minute may go at once
