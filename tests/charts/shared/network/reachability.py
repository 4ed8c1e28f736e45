"""Where policies let pods connect to: a small evaluator of egress, for what our policies use of its semantics.

Policies add up: a pod that some policy of egress selects reaches what any of these allows and none denies, and any other pod reaches
everything. NetworkPolicies are evaluated here, those of Cilium and GKE in `dialects`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from tests.charts.shared.network import dialects
from tests.charts.shared.network.dialects import Manifest


@dataclass(frozen=True)
class Destination:
    """A destination of a connection: an external address, or a pod.

    Network plugins know a pod by its labels, and some by its address too: those have both.
    """

    address: str | None = None
    pod: Manifest | None = None
    name: str = ""
    """The host that was looked up before, with this address as the answer."""
    is_api_server: bool = False
    is_node: bool = False
    """Whether it is the node of the pod that connects, or a pod in the network of this node."""


@dataclass(frozen=True)
class Network:
    """Policies, and the namespaces that their selectors speak of."""

    policies: Sequence[Manifest]
    namespaces: Sequence[Manifest]

    def selecting(self, pod: Manifest) -> list[str]:
        """Names of the policies of egress that select a pod, in order."""
        return sorted(policy["metadata"]["name"] for policy in self._of(pod))

    def reaches(self, pod: Manifest, destination: Destination, port: int, protocol: str = "TCP") -> bool:
        """Whether a pod may connect to a port."""
        policies = self._of(pod)
        if any(dialects.denies(policy, destination, port, protocol) for policy in policies):
            return False
        return not policies or any(self._allows(policy, destination, port, protocol) for policy in policies)

    def _allows(self, policy: Manifest, destination: Destination, port: int, protocol: str) -> bool:
        if policy.get("kind") in dialects.KINDS:
            return dialects.allows(policy, destination, port, protocol)
        return any(
            _any_port(rule.get("ports"), port, protocol) and self._any_peer(rule.get("to"), policy["metadata"]["namespace"], destination)
            for rule in policy["spec"].get("egress", ())
        )

    def _of(self, pod: Manifest) -> list[Manifest]:
        return [
            policy
            for policy in self.policies
            if policy["metadata"]["namespace"] == pod["metadata"]["namespace"]
            and (policy.get("kind") in dialects.KINDS or "Egress" in policy_types(policy["spec"]))
            and matches(dialects.selector(policy), _labels(pod))
        ]

    def _any_peer(self, peers: Sequence[Manifest] | None, namespace: str, destination: Destination) -> bool:
        """No peers are all destinations."""
        return not peers or any(self._is_peer(peer, namespace, destination) for peer in peers)

    def _is_peer(self, peer: Manifest, namespace: str, destination: Destination) -> bool:
        if "ipBlock" in peer:
            return destination.address is not None and _in_block(peer["ipBlock"], destination.address)
        if destination.pod is None:
            return False
        there = destination.pod["metadata"]["namespace"]
        in_namespace = matches(peer["namespaceSelector"], self._labels_of(there)) if "namespaceSelector" in peer else there == namespace
        return in_namespace and matches(peer.get("podSelector", {}), _labels(destination.pod))

    def _labels_of(self, namespace: str) -> Mapping[str, str]:
        [found] = [each for each in self.namespaces if each["metadata"]["name"] == namespace]
        return _labels(found)


def policy_types(spec: Manifest) -> list[str]:
    """The types of a policy. Default: ingress, and egress if it has egress rules."""
    default = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    return list(spec.get("policyTypes") or default)


def matches(selector: Manifest, labels: Mapping[str, str]) -> bool:
    """Whether a label selector matches. An empty selector matches everything."""
    assert selector.keys() <= {"matchLabels"}
    return bool(selector.get("matchLabels", {}).items() <= labels.items())


def _in_block(block: Manifest, address: str) -> bool:
    return _within(block["cidr"], address) and not any(_within(closed, address) for closed in block.get("except", ()))


def _within(network: str, address: str) -> bool:
    return ip_address(address) in ip_network(network)


def _any_port(ports: Iterable[Manifest] | None, port: int, protocol: str) -> bool:
    """No ports are all ports, of all protocols. `endPort` is the last one of a range."""
    return not ports or any(each["protocol"] == protocol and each["port"] <= port <= each.get("endPort", each["port"]) for each in ports)


def _labels(manifest: Manifest) -> Mapping[str, str]:
    labels: Mapping[str, str] = manifest["metadata"].get("labels", {})
    return labels
