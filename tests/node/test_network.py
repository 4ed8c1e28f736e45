"""NetworkPolicies enforced on packets: connections of runs and agents, with a policy and after its removal.

A policy that refuses a connection drops its packets, so the client gets no response.
"""

from collections.abc import Mapping, Sequence

import pytest
from scalr_agents.model.maps import Values

from tests.cluster.agents import line_id
from tests.helpers.validated import LINES
from tests.node.agents import Agent, at_once
from tests.node.conftest import Start
from tests.node.tour import METADATA, NFS, OTHERS, Tour, connect
from tests.node.world import OPEN_HOST, SCALR, World

REFUSED, CONNECTED = "no answer", "ok"
OPENED: Mapping[str, Values] = {
    "agent-job": {"task": {"allowMetadataService": True}},
    "agent-local": {"allowMetadataService": True},
    "agent-k8s": {"restrictMetadataService": False, "agent": {"data_home": "/var/lib/agent-k8s-opened"}},
}
"""The values that remove the policy, by kind."""


def all_of(addresses: Sequence[str], result: str) -> dict[str, str]:
    return dict.fromkeys(addresses, result)


def test_connections_of_runs(tour: Tour) -> None:
    nfs = REFUSED if tour.agent.line.chart == "agent-job" else CONNECTED
    assert tour.results["connect"] == all_of(METADATA, REFUSED) | all_of(NFS, nfs) | all_of(OTHERS, CONNECTED)
    assert tour.results["fetch"] == {f"https://{OPEN_HOST}": "200 OK"}


def test_refused_packets_do_not_arrive(tour: Tour, world: World) -> None:
    addresses = {each["ip"] for each in tour.pod["status"]["podIPs"]}
    connected = {address for address, result in tour.results["connect"].items() if result == CONNECTED}
    arrived = {to for address, to in world.connections() if address in addresses}
    assert arrived - {SCALR} == connected | {OPEN_HOST}


@pytest.mark.parametrize("generation", ["legacy", "current"])
def test_connections_of_controllers(generation: str, everyone: Mapping[str, Agent]) -> None:
    """The policy of agent-job selects only its runs, that of agent-k8s all pods."""
    others = [*NFS, *OTHERS]
    job = everyone[f"agent-job-{generation}"].run(*connect([*METADATA, *others], place="controller"))
    k8s = everyone[f"agent-k8s-{generation}"].run(*connect(others, METADATA, place="controller"))
    assert job.results()["connect"] == all_of([*METADATA, *others], CONNECTED)
    assert k8s.results()["connect"] == all_of(METADATA, REFUSED) | all_of(others, CONNECTED)


def test_without_a_policy_everything_is_open(start: Start) -> None:
    """Proves that the policy causes the results of the other tests."""
    opened = [line for line in LINES if line.generation == "current"]
    results = at_once(lambda line: start(line, values=OPENED[line.chart]).run(*connect([*METADATA, *NFS])).results(), opened)
    assert [result["connect"] for result in results] == [all_of([*METADATA, *NFS], CONNECTED)] * len(opened)


def test_an_ingress_policy_refuses_connections(start: Start, everyone: Mapping[str, Agent]) -> None:
    """Ports of agents are open to everybody as long as no policy of ours or of the cluster's owner is about ingress."""
    [line] = [line for line in LINES if line_id(line) == "agent-local-current"]
    listening, other = start(line), everyone["agent-local-legacy"]
    listening.run({"do": "listen", "to": [":8080"]}, {"do": "hang"}).wait_for("step")
    address = f"{listening.pod()['status']['podIP']}:8080"

    def connects() -> bool:
        return bool(other.run(*connect(refused=[address])).results()["connect"] == {address: CONNECTED})

    other.wait(connects, "a connection")
    spec = {"podSelector": {}, "policyTypes": ["Ingress"]}
    metadata = {"name": "no-ingress", "namespace": listening.namespace}
    listening.cluster.create({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec})
    other.wait(lambda: not connects(), "the policy")
