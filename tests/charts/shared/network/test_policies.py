"""The policies of agents with a restricted network, in every dialect: valid objects that open only what they should."""

from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.inputs import ClusterValue, Inputs
from scalr_agents.charts.shared.network import policies as made
from scalr_agents.charts.shared.network.addresses import is_within
from scalr_agents.model.maps import Values, merge
from scalr_agents.model.release import Line

from tests.charts.shared.network.agents import (
    DIALECTS,
    agent_of,
    behind,
    evaluated,
    namespace,
    pod,
    pods,
    policies,
    restricted,
    sound,
)
from tests.charts.shared.network.reachability import Destination, Network, policy_types
from tests.helpers.schemas import assert_valid
from tests.helpers.validated import LINES

PROXY = "http://10.0.12.5:3128"
ENTRIES: tuple[dict[str, Any], ...] = (
    {"cidr": "10.20.0.0/16", "ports": [443, 8443]},
    {"cidr": "169.254.0.0/15", "ports": [80]},
    {"namespace": "observability", "ports": [4317]},
)
METADATA = (*contract.METADATA_SERVICES, "169.254.1.1", "169.254.169.253")
PORTS = (22, 53, 80, 443, 988, 3128, 4317, 5353, 6443, 8053, 8080, 8443, 16443)
DNS = Destination("10.1.2.3", pod("kube-system", **{"k8s-app": "kube-dns"}))
DNS_OF_OPENSHIFT = Destination("10.1.2.5", pod("openshift-dns", app="dns-default"))
DNS_OF_NODE = Destination("169.254.20.10", is_node=True)
IN_KUBE_SYSTEM = Destination("10.1.2.6", pod("kube-system", app="other"))
API = Destination("192.0.2.10", is_api_server=True)
COLLECTOR = Destination("10.1.2.4", pod("observability", app="collector"))
INTERNET = Destination("203.0.113.7", name="example.com")


def _id(line: Line) -> str:
    return f"{line.chart}-{line.generation}"


every_line = pytest.mark.parametrize("line", LINES, ids=_id)
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def _open(network: Network, source: Any, destination: Destination) -> set[int]:
    return {port for port in PORTS if network.reaches(source, destination, port)}


@every_line
@every_dialect
def test_behind_a_proxy_pods_reach_the_proxy_and_the_cluster_and_the_entries(line: Line, dialect: str) -> None:
    agent = sound(line, restricted(dialect, *ENTRIES), behind(line, PROXY))
    for manifest in policies(agent):
        assert_valid(manifest)
    network = evaluated(agent)
    for group, source in pods(agent):
        assert _open(network, source, Destination("10.0.12.5")) == {3128}
        assert _open(network, source, Destination("10.20.3.4")) == {443, 8443}
        assert _open(network, source, COLLECTOR) == ({4317, 53} if dialect != "cilium" else {4317})  # DNS may be in any namespace
        for server in (DNS, DNS_OF_OPENSHIFT):
            assert _open(network, source, server) == {53, 5353, 8053}
            assert all(network.reaches(source, server, port, "UDP") for port in (53, 5353, 8053))
        assert _open(network, source, DNS_OF_NODE) == {53}  # its address is in an entry
        assert network.reaches(source, DNS_OF_NODE, 53, "UDP")
        assert _open(network, source, IN_KUBE_SYSTEM) == ({53} if dialect != "cilium" else set())
        ports_of_api = set(PORTS) if dialect == "cilium" else {443, 6443}
        assert _open(network, source, API) == (ports_of_api if group.token else set())
        assert _open(network, source, INTERNET) == set()
        assert _open(network, source, Destination("203.0.113.7", name="acme.scalr.io")) == set()
        for address in METADATA:
            assert _open(network, source, Destination(address)) - {53} == set()


@every_line
@pytest.mark.parametrize("dialect", ["cilium", "gke"])
def test_names_without_a_proxy(line: Line, dialect: str) -> None:
    entries = ({"host": "github.acme.internal", "ports": [22, 443]}, {"host": "*.amazonaws.com"})
    agent = sound(line, restricted(dialect, *entries))
    for manifest in policies(agent):
        assert_valid(manifest)
    network = evaluated(agent)
    for group, source in pods(agent):
        runs = group.who != "controller"
        expected = {
            "acme.scalr.io": {443},
            "relay.acme.scalr.io": {443},
            "scalr.io": set(),
            "registry.opentofu.org": {443} if runs else set(),
            "releases.hashicorp.com": {443} if runs else set(),
            "github.acme.internal": {22, 443},
            "sts.amazonaws.com": {443},
            "sts.eu-west-1.amazonaws.com": set(),  # one label only
            "docker.io": set(),  # pulled by nodes
            "example.com": set(),
        }
        assert {name: _open(network, source, Destination("203.0.113.7", name=name)) for name in expected} == expected


@every_line
def test_cilium_denies_metadata_services_whatever_a_name_resolves_to(line: Line) -> None:
    agent = sound(line, restricted("cilium", {"host": "*.acme.internal", "ports": [80]}, {"cidr": "0.0.0.0/0", "ports": [80]}))
    network = evaluated(agent)
    for _, source in pods(agent):
        assert _open(network, source, Destination("203.0.113.7", name="a.acme.internal")) >= {80}
        for address in METADATA:
            assert _open(network, source, Destination(address, name="a.acme.internal")) == set()


@every_line
@every_dialect
def test_every_pod_has_a_policy_without_ingress(line: Line, dialect: str) -> None:
    agent = sound(line, restricted(dialect), behind(line, PROXY))
    network = evaluated(agent)
    for _, source in pods(agent):
        assert network.selecting(source) != []
        closing = [each for each in policies(agent) if each["kind"] == "NetworkPolicy" and "Ingress" in policy_types(each["spec"])]
        assert [each["spec"].get("ingress") for each in closing] == [None]
        assert closing[0]["spec"]["podSelector"]["matchLabels"].items() <= source["metadata"]["labels"].items()
    other = pod("scalr", **{"app.kubernetes.io/name": line.base_name, "app.kubernetes.io/instance": "other"})
    assert network.selecting(other) == []


OPENING: dict[str, Values] = {
    "agent-job": {"task": {"allowMetadataService": True}},
    "agent-local": {"allowMetadataService": True},
    "agent-k8s": {"restrictMetadataService": False},
}


@every_line
@every_dialect
def test_a_value_opens_the_metadata_service_to_runs(line: Line, dialect: str) -> None:
    agent = sound(line, restricted(dialect), merge(behind(line, PROXY), OPENING[line.chart]))
    network = evaluated(agent)
    for group, source in pods(agent):
        expected = {80, 8080} if group.who != "controller" or line.chart == "agent-k8s" else set()
        assert _open(network, source, Destination("169.254.169.254")) - {53} == expected
        assert _open(network, source, Destination("168.63.129.16")) == set()


@every_line
@every_dialect
def test_pod_identity_of_eks_can_be_opened(line: Line, dialect: str) -> None:
    dns = [{"cidr": "169.254.25.10/32", "ports": [53]}] if dialect != "cilium" else []
    entries = ({"cidr": "169.254.170.23/32", "ports": [80]}, *dns)
    network = evaluated(agent := sound(line, restricted(dialect, *entries), behind(line, PROXY)))
    for _, source in pods(agent):
        assert _open(network, source, Destination("169.254.170.23")) - {53} == {80}
        assert _open(network, source, Destination("169.254.170.2")) - {53} == set()


@every_line
def test_without_egress_the_chart_s_policy_stays(line: Line) -> None:
    plain, closed = agent_of(line, None), agent_of(line, restricted("kubernetes").model_copy(update={"egress": None}))
    assert plain.group("network-policy") == {role: policy for role, policy in closed.group("network-policy").items() if role != "ingress"}
    assert "ingress" in closed.group("network-policy")


@every_line
def test_no_setting_changes_nothing(line: Line) -> None:
    assert agent_of(line, None).objects == agent_of(line, None, api_server=()).objects
    names = set(agent_of(line, None).group("network-policy"))
    assert names == ({"egress"} if line.chart == "agent-job" else set())


@pytest.mark.parametrize("dialect", ["kubernetes", "gke"])
def test_the_rule_for_an_unknown_api_server(dialect: str) -> None:
    [line] = [line for line in LINES if _id(line) == "agent-job-current"]
    unknown = ClusterValue("it")
    agent = sound(line, restricted(dialect), behind(line, PROXY), api_server=unknown)
    assert made.wants_api_server(agent)
    assert not made.wants_api_server(replace(agent, inputs=Inputs(network=restricted("cilium"), api_server=unknown)))
    assert not made.wants_api_server(replace(agent, inputs=Inputs(network=restricted(dialect), api_server=["10.0.0.0/8"])))
    assert [unknown in manifest["spec"]["egress"] for manifest in policies(agent) if "egress" in manifest["spec"]] == [True, True]


def test_the_rule_for_the_api_server() -> None:
    assert made.api_server_rule(["10.96.0.1", "192.0.2.10", "10.96.0.1", "fd00::1"], [443, 6443, 443]) == {
        "to": [{"ipBlock": {"cidr": f"{address}"}} for address in ("10.96.0.1/32", "192.0.2.10/32", "fd00::1/128")],
        "ports": [{"protocol": "TCP", "port": 443}, {"protocol": "TCP", "port": 6443}],
    }


networks = st.builds(
    lambda address, length: str(ip_network((address, length), strict=False)), st.ip_addresses(v=4), st.integers(0, 31)
).filter(lambda network: not is_within(network, contract.LINK_LOCAL))


@given(
    line=st.sampled_from(LINES),
    dialect=st.sampled_from(DIALECTS),
    cidrs=st.lists(
        networks | st.sampled_from(["0.0.0.0/0", "169.254.0.0/15", "100.100.0.0/16", "::/0", "fd00:ec2::/32"]),
        max_size=4,
    ),
    ports=st.lists(st.sampled_from([80, 443, 988, 8080]), min_size=1, max_size=4),
)
def test_no_network_opens_a_metadata_service(line: Line, dialect: str, cidrs: list[str], ports: list[int]) -> None:
    agent = sound(line, restricted(dialect, *({"cidr": cidr, "ports": ports} for cidr in cidrs)), behind(line, PROXY))
    network = evaluated(agent)
    for manifest in policies(agent):
        assert_valid(manifest)
    for _, source in pods(agent):
        for address in METADATA:
            assert _open(network, source, Destination(address)) - {53} == set()


def test_a_service_in_the_namespace() -> None:
    [line] = [line for line in LINES if _id(line) == "agent-job-current"]
    otel = {"otel": {"enabled": True, "endpoint": "http://collector:4317"}}
    agent = sound(line, restricted("kubernetes"), merge(behind(line, PROXY), otel))
    network = Network(policies(agent), [namespace("scalr"), namespace("observability")])
    for _, source in pods(agent):
        assert network.reaches(source, Destination(pod=pod("scalr", app="collector")), 4317)
        assert not network.reaches(source, COLLECTOR, 4317)
