"""The policy that closes metadata services: the pods that it selects, and where exactly these may connect to."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import templates
from scalr_agents.model.maps import Values
from scalr_agents.model.release import COMPONENT, Line

from tests.charts.shared.network.agents import agent_of, evaluated, pod
from tests.charts.shared.network.dialects import Manifest
from tests.charts.shared.network.reachability import Destination, Network
from tests.helpers.validated import LINES

CLOSING: dict[str, Values] = {
    "agent-job": {"task": {"buffer": {"replicas": 1}}},
    "agent-local": {"allowMetadataService": False},
    "agent-k8s": {"restrictMetadataService": True},
}
"""Closed by default for agent-job, which has all its kinds of pods here; elsewhere by a value."""
COMPONENTS: Mapping[str, set[str | None]] = {
    "agent-job": {"agent", "task", "buffer"},
    "agent-local": {None},
    "agent-k8s": {"controller", "worker"},
}
"""The pods of an agent, by their label. The controllers of agent-k8s label those of runs."""
SELECTED: Mapping[str, set[str | None]] = {"agent-job": {"task"}, "agent-local": {None}, "agent-k8s": {"controller", "worker", "task"}}
"""Those that the policy selects."""
NUMBERS = (1, 52, 53, 54, 80, 110, 111, 112, 443, 988, 2048, 2049, 2050, 8080, 10250, 65535)
PORTS = [(port, protocol) for port in NUMBERS for protocol in ("TCP", "UDP", "SCTP")]
DNS = {(53, "TCP"), (53, "UDP")}
EVERYWHERE = {
    "agent-job": {(port, protocol) for port, protocol in PORTS if port not in {111, 2049} and protocol != "SCTP"},  # no NFS
    "agent-local": set(PORTS),
    "agent-k8s": set(PORTS),
}
"""The ports that stay open to selected pods at unlisted addresses, by kind."""
METADATA: dict[str, set[tuple[int, str]]] = {
    "169.254.169.254": DNS,  # AWS, Azure, GCP, where GKE's DNS answers
    "169.254.169.252": DNS,  # GKE without Dataplane V2: where nodes redirect the one above to
    "169.254.0.23": DNS,  # Tencent Cloud
    "169.254.42.42": DNS,  # Scaleway
    "168.63.129.16": set(),  # Azure's WireServer, and its DNS, which the cluster's DNS asks
    "100.100.100.200": set(),  # Alibaba Cloud
    "100.96.0.96": set(),  # Volcengine
    "fd00:ec2::254": set(),
    "fd20:ce::254": set(),
    "fd00:c1::a9fe:a9fe": set(),  # Oracle Cloud
    "fd00:42::42": set(),  # Scaleway
    "169.254.20.10": DNS,  # DNS of the node
    "169.254.25.10": DNS,  # the same in Kubespray
    "169.254.10.10": DNS,  # the same on AKS
    "169.254.169.253": DNS,  # DNS of a VPC
    "169.254.170.23": {*DNS, (80, "TCP")},  # EKS Pod Identity
    "169.254.170.2": DNS,  # credentials of tasks on ECS
}
"""The ports that stay open to them at link-local addresses and at those of metadata services."""
NEIGHBOURS = (
    "169.253.255.255",
    "fd00:ec2::23",  # EKS Pod Identity
    "100.96.0.95",
    "100.100.2.136",  # DNS of Alibaba Cloud
    "10.0.0.10",  # a Service
    "192.0.2.1",  # the internet
    "2001:db8::1",
)

every_line = pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.chart}-{line.generation}")


def _closed(line: Line) -> tuple[AnyAgent, list[Manifest]]:
    """An agent, and a pod of each component that its policy selects."""
    agent = agent_of(line, None, CLOSING[line.chart])
    return agent, [pod("scalr", **agent.release.selector(component)) for component in SELECTED[line.chart]]


def _open(network: Network, source: Manifest, destination: Destination) -> set[tuple[int, str]]:
    return {(port, protocol) for port, protocol in PORTS if network.reaches(source, destination, port, protocol)}


@every_line
def test_the_policy_selects_these_pods(line: Line) -> None:
    agent, _ = _closed(line)
    network = evaluated(agent)
    made = [template["metadata"]["labels"] for _, _, template in templates(agent.objects)]
    assert {labels.get(COMPONENT) for labels in made} == COMPONENTS[line.chart]
    selected = {labels.get(COMPONENT) for labels in made if network.selecting(pod("scalr", **labels))}
    assert selected == SELECTED[line.chart] & COMPONENTS[line.chart]


@every_line
def test_addresses_that_selected_pods_reach(line: Line) -> None:
    agent, selected = _closed(line)
    network = evaluated(agent)
    for source in selected:
        reached = {address: _open(network, source, Destination(address)) for address in (*METADATA, *NEIGHBOURS)}
        assert reached == METADATA | dict.fromkeys(NEIGHBOURS, EVERYWHERE[line.chart])


@every_line
def test_selected_pods_reach_the_dns_of_the_cluster(line: Line) -> None:
    """Also if a network plugin matches pods only by labels, and never by address blocks."""
    agent, selected = _closed(line)
    dns = pod("kube-system", **{"k8s-app": "kube-dns"})
    for source in selected:
        assert _open(evaluated(agent), source, Destination(pod=dns)) == DNS
        assert _open(evaluated(agent), source, Destination("10.1.2.3", dns)) == DNS | EVERYWHERE[line.chart]


@every_line
def test_agents_work_without_port_ranges(line: Line) -> None:
    """A network plugin without them takes the first port of each range, as the API says."""
    agent, selected = _closed(line)
    policies = json.loads(json.dumps(evaluated(agent).policies), object_hook=_without_ranges)
    network = Network(policies, evaluated(agent).namespaces)
    for source in selected:
        assert all(network.reaches(source, Destination("192.0.2.1"), port) for port in (22, 80, 443, 6443))
        assert network.reaches(source, Destination("169.254.169.254"), 53)
        assert not any(network.reaches(source, Destination(address), 443) for address in METADATA)
        assert [address for address in METADATA if network.reaches(source, Destination(address), 80)] == ["169.254.170.23"]


def _without_ranges(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key != "endPort"}
