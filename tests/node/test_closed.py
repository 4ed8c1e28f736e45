"""A closed network of a stack file: packets to unlisted destinations are refused, those that settings imply are allowed."""

from collections.abc import Mapping

import pytest

from tests.cluster.agents import line_id
from tests.cluster.client import Client
from tests.node import network
from tests.node.agents import Agent
from tests.node.stacks import BEHIND, CA, PROXY, deploy_all
from tests.node.tour import METADATA, connect
from tests.node.world import OPEN_HOST, World

LISTED = ("192.0.2.1:8080",)
REFUSED = (
    *METADATA,
    "192.0.2.1:443",  # another port
    "198.51.100.1:8080",  # another network
    f"{network.WEB}:443",  # Scalr itself, which the proxy is for
    "[2001:db8::1]:443",
)
CLOSED = {
    "ingress": "deny",
    "egress": {"only": [{"cidr": "192.0.2.0/24", "ports": [8080]}, {"cidr": f"{network.PROXY}/32", "ports": [3128]}]},
}


@pytest.fixture(scope="module")
def agents(cluster: Client, world: World, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Agent]:
    """They connect to Scalr through the proxy, and controllers to the cluster's API."""
    return deploy_all(cluster, world, tmp_path_factory.mktemp("stacks"), "closed", {"proxy": PROXY, "ca": CA, "network": CLOSED})


@pytest.mark.parametrize("name", [line_id(line) for line in BEHIND])
def test_connections_of_runs(name: str, agents: Mapping[str, Agent]) -> None:
    results = agents[name].run(*connect(LISTED, REFUSED), {"do": "fetch", "to": [f"https://{OPEN_HOST}"], "seconds": 10}).results()
    assert results["connect"] == dict.fromkeys(LISTED, "ok") | dict.fromkeys(REFUSED, "no answer")
    assert results["fetch"] == {f"https://{OPEN_HOST}": "200 OK"}


@pytest.mark.parametrize("generation", ["legacy", "current"])
def test_connections_of_controllers(generation: str, agents: Mapping[str, Agent]) -> None:
    run = agents[f"agent-job-{generation}"].run(*connect(LISTED, REFUSED, "controller"))
    assert run.results()["connect"] == dict.fromkeys(LISTED, "ok") | dict.fromkeys(REFUSED, "no answer")


@pytest.mark.parametrize("name", [line_id(line) for line in BEHIND])
def test_agents_accept_no_connections(name: str, agents: Mapping[str, Agent], everyone: Mapping[str, Agent]) -> None:
    """The same port of an agent without a closed network answers: `test_network.py`."""
    run = agents[name].run({"do": "listen", "to": [":8080"]}, {"do": "sleep", "seconds": 8})
    run.wait_for("step")
    address = f"{run.pod()['status']['podIP']}:8080"
    assert everyone["agent-local-legacy"].run(*connect(refused=[address])).results()["connect"] == {address: "no answer"}
