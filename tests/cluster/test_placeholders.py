"""Placeholders whose number an autoscaler sets, on a control plane: what deployments leave as it is, and what they set."""

import pytest
from scalr_agents.model.release import Line

from tests.cluster import agents
from tests.cluster.client import Client
from tests.cluster.conftest import NewNamespace
from tests.helpers.validated import LINES


@pytest.mark.parametrize("line", [line for line in LINES if line.task_resource], ids=agents.line_id)
def test_a_deployment_leaves_the_number_to_an_autoscaler(line: Line, cluster: Client, new_namespace: NewNamespace) -> None:
    namespace = new_namespace("restricted")
    place = "Deployment", f"runs-{line.base_name}-buffer", namespace

    def deployed(replicas: int | None) -> int:
        agents.apply(cluster, agents.release(line, namespace, values={"task": {"buffer": {"replicas": replicas}}}))
        return int(cluster.get(*place)["spec"]["replicas"])

    def scale(replicas: int) -> None:
        """As an autoscaler does it."""
        cluster.patch(*place, {"spec": {"replicas": replicas}}, subresource="scale")

    assert deployed(None) == 1  # the default of Kubernetes
    scale(3)
    assert (deployed(None), deployed(2)) == (3, 2)
    assert deployed(None) == 1  # nobody else has set it
    assert deployed(3) == 3
    scale(4)
    assert deployed(None) == 4
