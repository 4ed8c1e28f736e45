"""The NetworkPolicy that blocks the access of runs to the cloud's metadata services and to NFS servers."""

from collections.abc import Iterator, Mapping
from typing import Any

from scalr_agents.charts.shared import contract
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

_LAST_PORT = 65535
_NEEDED_PORTS = (22, 80, 443, 6443)
"""Git, HTTP and API servers. The ranges include them already; network plugins without port ranges use only the first port of each."""


def policy(release: Release, component: str | None = None, *, allow_nfs: bool = True) -> Manifest:
    """Allows all egress of a component's pods, or of all pods, except to metadata services, and to link-local addresses but for DNS.

    The DNS rule is not redundant: eBPF data planes do not match cluster addresses by ipBlock. Without `allow_nfs` the ports of NFS are
    blocked, and so are protocols other than TCP and UDP: a policy can only list what it allows.
    """
    everywhere = [block("0.0.0.0/0", *contract.METADATA_IPV4), block("::/0", *contract.METADATA_IPV6)]
    rules = [
        dns(),
        {"to": [block(contract.POD_IDENTITY)], "ports": [{"protocol": "TCP", "port": 80}]},
        {"to": everywhere} if allow_nfs else {"to": everywhere, "ports": list(_ports_but(contract.NFS_PORTS))},
    ]
    return of_pods(release.names.network_policy, release, component, {"policyTypes": ["Egress"], "egress": rules})


def of_pods(name: str, release: Release, component: str | None, rules: Mapping[str, Any]) -> Manifest:
    """A NetworkPolicy for a component's pods, or for all pods."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": release.metadata(name, component),
        "spec": {"podSelector": {"matchLabels": release.selector(component)}, **rules},
    }


def dns() -> Manifest:
    """The rule for DNS: in all namespaces, and at the link-local addresses of clouds and of caches on nodes."""
    return {
        "to": [{"namespaceSelector": {}}, block(contract.LINK_LOCAL)],
        "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
    }


def block(cidr: str, *closed: str) -> dict[str, Any]:
    return {"ipBlock": {"cidr": cidr, **({"except": list(closed)} if closed else {})}}


def _ports_but(closed: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """All TCP and UDP ports except the closed ones, as ranges."""
    yield from ({"protocol": "TCP", "port": port} for port in _NEEDED_PORTS)
    firsts, lasts = [1, *(port + 1 for port in closed)], [*(port - 1 for port in closed), _LAST_PORT]
    for protocol in ("TCP", "UDP"):
        for first, last in zip(firsts, lasts, strict=True):
            yield {"protocol": protocol, "port": first, "endPort": last}
