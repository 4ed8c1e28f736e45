"""The policies of closed networks against a real API server: accepted in every dialect, with nothing dropped, and with its own address."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from scalr_agents.model.lines import Line

from tests.charts.shared.network.agents import DIALECTS, behind, policies, restricted, sound
from tests.cluster import agents
from tests.cluster.client import ApiError, Client, Manifest
from tests.cluster.conftest import NewNamespace
from tests.engine.stacks import Deployment, up
from tests.helpers.validated import LINES

PROXY = "http://10.0.12.5:3128"
ENTRIES: tuple[dict[str, Any], ...] = (
    {"cidr": "10.20.0.0/16", "ports": [443, 8443]},
    {"cidr": "169.254.0.0/15", "ports": [80]},
    {"cidr": "fd00::/8"},
    {"namespace": "observability", "ports": [4317]},
)
NAMES: tuple[dict[str, Any], ...] = ({"host": "github.acme.internal", "ports": [22]}, {"host": "*.amazonaws.com"})


def _made(line: Line, dialect: str, namespace: str) -> Iterator[Manifest]:
    entries = ENTRIES if dialect == "kubernetes" else (*ENTRIES, *NAMES)
    for policy in policies(sound(line, restricted(dialect, *entries), behind(line, PROXY))):
        yield {**policy, "metadata": {**policy["metadata"], "namespace": namespace}}


@pytest.mark.parametrize("line", LINES, ids=agents.line_id)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_policies_are_accepted_unchanged(cluster: Client, namespace: str, line: Line, dialect: str) -> None:
    for policy in _made(line, dialect, namespace):
        assert cluster.apply(policy)["spec"] == policy["spec"]
        applied = cluster.current(policy)["metadata"]
        again = cluster.apply(policy)["metadata"]
        assert (again["generation"], again["managedFields"]) == (applied["generation"], applied["managedFields"])


@pytest.mark.parametrize(
    ("dialect", "path", "value"),
    [
        ("kubernetes", ("egress", -1, "to", 0, "ipBlock"), {"cidr": "10.0.0.0/8", "except": ["192.0.2.0/24"]}),
        ("cilium", ("egress", 1, "toEntities"), ["api-server"]),
        ("cilium", ("egressDeny", 0, "toFQDNs"), [{"matchName": "acme.io"}]),
        ("gke", ("egress", 0, "matches"), []),
        ("gke", ("egress", 0, "matches", 0), {"name": "*.acme.io"}),
        ("gke", ("egress", 0, "toFQDNs"), []),
    ],
)
def test_invalid_policies(cluster: Client, new_namespace: NewNamespace, dialect: str, path: tuple[Any, ...], value: Any) -> None:
    """The definitions validate the policies: fields that they do not allow are errors."""
    kind = {"kubernetes": "NetworkPolicy", "cilium": "CiliumNetworkPolicy", "gke": "FQDNNetworkPolicy"}[dialect]
    policy = deepcopy(next(each for each in _made(LINES[0], dialect, new_namespace()) if each["kind"] == kind))
    place: Any = policy["spec"]
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    with pytest.raises(ApiError):
        cluster.apply(policy)


@pytest.fixture
def endpoints(cluster: Client) -> Iterator[Manifest]:
    """What API servers write about themselves (`pkg/controlplane/reconcilers` of Kubernetes), but not this one on the loopback."""
    slice_ = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"kubernetes.io/service-name": "kubernetes"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}} for address in ("192.0.2.10", "192.0.2.11")],
        "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}],
    }
    yield cluster.create(slice_)
    cluster.delete("EndpointSlice", "kubernetes", "default")


def test_the_api_server_lookup_works(cluster: Client, local: Deployment, namespace: str, endpoints: Manifest) -> None:
    local.edit({"common.network": {"ingress": "deny", "egress": {"only": [{"cidr": "0.0.0.0/0"}]}}})
    up(local)
    service = cluster.get("Service", "kubernetes", "default")["spec"]
    addresses = [*service["clusterIPs"], *(address for each in endpoints["endpoints"] for address in each["addresses"])]
    found = {policy["metadata"]["name"]: policy["spec"] for policy in cluster.list("NetworkPolicy", namespace)}
    assert sorted(found) == [f"runs-agent-job-{part}network-policy" for part in ("controller-", "ingress-", "")]
    for name in ("runs-agent-job-network-policy", "runs-agent-job-controller-network-policy"):
        rule = found[name]["egress"][2]
        assert {peer["ipBlock"]["cidr"] for peer in rule["to"]} == {f"{address}/32" for address in addresses}
        assert {port["port"] for port in rule["ports"]} == {443, *(port["port"] for port in endpoints["ports"])}
    assert local.preview().steps == {}
