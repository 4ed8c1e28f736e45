"""Where CiliumNetworkPolicies and FQDNNetworkPolicies let pods connect to, as far as ours use them.

Cilium's rules are from the documentation of its policies (docs.cilium.io, "Layer 3 Policies", "Deny Policies"), GKE's from the
descriptions in its definition: one `*` stands for characters of one label, networks are no pods, no node and no API server, a denial
beats everything, and a name has only the addresses that DNS has answered through the proxy of a rule with `dns`. The ports of a rule are
those behind a Service, which is translated first.
"""

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any, Protocol

Manifest = Mapping[str, Any]
KINDS = ("CiliumNetworkPolicy", "FQDNNetworkPolicy")
_NAMESPACE = "io.kubernetes.pod.namespace"


class To(Protocol):
    """The destination of a connection, see `reachability.Destination`."""

    @property
    def address(self) -> str | None: ...
    @property
    def pod(self) -> Manifest | None: ...
    @property
    def name(self) -> str: ...
    @property
    def is_api_server(self) -> bool: ...
    @property
    def is_node(self) -> bool: ...


def selector(policy: Manifest) -> Manifest:
    """The pod selectors of a policy of any kind."""
    found: Manifest = policy["spec"].get("endpointSelector") or policy["spec"].get("podSelector", {})
    return found


def allows(policy: Manifest, to: To, port: int, protocol: str) -> bool:
    spec = policy["spec"]
    if policy["kind"] == "FQDNNetworkPolicy":
        return any(_is_named(rule["matches"], to) and _is_port(rule.get("ports"), port, protocol) for rule in spec["egress"])
    learns = any(ports.get("rules", {}).get("dns") for rule in spec["egress"] for ports in rule.get("toPorts", ()))
    return any(_reaches(rule, to, port, protocol, learns=learns) for rule in spec["egress"])


def denies(policy: Manifest, to: To, port: int, protocol: str) -> bool:
    if policy.get("kind") != "CiliumNetworkPolicy":
        return False
    return any(_reaches(rule, to, port, protocol, learns=False) for rule in policy["spec"].get("egressDeny", ()))


def _reaches(rule: Manifest, to: To, port: int, protocol: str, *, learns: bool) -> bool:
    groups = [each["ports"] for each in rule.get("toPorts", ())]
    if groups and not any(_is_port(ports, port, protocol) for ports in groups):
        return False
    return (
        (learns and _is_named(rule.get("toFQDNs", ()), to))
        or _is_endpoint(rule.get("toEndpoints", ()), to)
        or ("kube-apiserver" in rule.get("toEntities", ()) and to.is_api_server)
        or ("host" in rule.get("toEntities", ()) and to.is_node)
        or _is_within(rule.get("toCIDRSet", ()), to)
    )


def _is_named(matches: Sequence[Manifest], to: To) -> bool:
    for match in matches:
        pattern = match.get("pattern") or match.get("matchPattern") or match.get("name") or match["matchName"]
        if to.name and re.fullmatch(re.escape(pattern).replace(r"\*", "[-a-z0-9_]*"), to.name):
            return True
    return False


def _is_endpoint(selectors: Sequence[Manifest], to: To) -> bool:
    if to.pod is None:
        return False
    labels = {**to.pod["metadata"].get("labels", {}), _NAMESPACE: to.pod["metadata"]["namespace"]}
    required = [{key.removeprefix("k8s:"): value for key, value in each["matchLabels"].items()} for each in selectors]
    return any(each.items() <= labels.items() for each in required)


def _is_within(networks: Sequence[Manifest], to: To) -> bool:
    if to.pod is not None or to.is_api_server or to.is_node or to.address is None:
        return False
    address = ip_address(to.address)
    return any(
        address in ip_network(each["cidr"]) and not any(address in ip_network(closed) for closed in each.get("except", ()))
        for each in networks
    )


def _is_port(ports: Sequence[Manifest] | None, port: int, protocol: str) -> bool:
    return not ports or any(
        int(each["port"]) <= port <= int(each.get("endPort", each["port"])) and each["protocol"] in (protocol, "ANY", "ALL")
        for each in ports
    )
