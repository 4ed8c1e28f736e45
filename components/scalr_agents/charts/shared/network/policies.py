"""The policies of an agent whose network is restricted."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_network
from typing import Any

from scalr_agents.charts.shared.agent import AnyAgent, Group
from scalr_agents.charts.shared.inputs import ClusterValue, Inputs
from scalr_agents.charts.shared.network import cilium, destinations, gke
from scalr_agents.charts.shared.network.addresses import is_within
from scalr_agents.charts.shared.network.default_policy import block, dns, of_pods
from scalr_agents.charts.shared.network.destinations import API_PORTS, DNS_PORTS_OF_PODS, Allowed, Pods
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release

_NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""The label that every namespace has, with its own name."""
_DNS_PODS = (
    {"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: "kube-system"}}, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}},
    {"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: "openshift-dns"}}},
)
"""The cluster's DNS, where its pods listen on another port than 53, which is open to all pods."""


def objects(agent: AnyAgent, default: Group) -> Group:
    """The policies of an agent. `default` are those of its chart, which remain if egress is not restricted."""
    network, release, inputs = agent.inputs.network, agent.release, agent.inputs
    if network is None:
        return default
    egress = dict(default)
    if network.egress:
        make = {"cilium": _by_cilium, "gke": _by_gke, "kubernetes": _by_kubernetes}[network.egress.enforced_by]
        egress = {}
        for pods in agent.pods:
            egress |= make(pods, release, inputs, destinations.allowed(pods, release, inputs))
    return egress | ({"ingress": _no_ingress(release)} if network.ingress else {})


def wants_api_server(every: Sequence[Pods], inputs: Inputs) -> bool:
    """Whether a policy needs the addresses of the API server, and they are not known."""
    by_address = inputs.egress is not None and inputs.egress.enforced_by != "cilium"
    return by_address and isinstance(inputs.api_server, ClusterValue) and any(pods.token for pods in every)


def api_server_rule(addresses: Sequence[str], ports: Sequence[int] = API_PORTS) -> Manifest:
    """The rule of a NetworkPolicy for connections to the API server, by its networks or IP addresses."""
    networks = dict.fromkeys(str(ip_network(address)) for address in addresses)
    return {"to": [block(network) for network in networks], "ports": _ports(dict.fromkeys(ports))}


def _by_kubernetes(pods: Pods, release: Release, inputs: Inputs, allowed: Allowed) -> dict[str, Manifest]:
    rules = list(_rules(allowed, destinations.closed(pods), inputs))
    return {pods.role: of_pods(pods.policy, release, pods.component, {"policyTypes": ["Egress"], "egress": rules})}


def _by_gke(pods: Pods, release: Release, inputs: Inputs, allowed: Allowed) -> dict[str, Manifest]:
    """Both kinds of policies add up: one for names, the other for everything else."""
    names = gke.policy(pods, release, allowed)
    return _by_kubernetes(pods, release, inputs, allowed) | ({f"{pods.role}-names": names} if names else {})


def _by_cilium(pods: Pods, release: Release, _inputs: Inputs, allowed: Allowed) -> dict[str, Manifest]:
    return {pods.role: cilium.policy(pods, release, allowed)}


def _no_ingress(release: Release) -> Manifest:
    """A policy without rules, and without an empty list of them: the API server drops that, so that every apply would be a change."""
    return of_pods(release.names.ingress_policy, release, None, {"policyTypes": ["Ingress"]})


def _rules(allowed: Allowed, closed: Sequence[str], inputs: Inputs) -> Iterator[Any]:
    """The rules for everything that is no host name."""
    for (kind, ports), names in allowed.items():
        match kind:
            case "dns":
                yield dns()
                yield {
                    "to": [*_DNS_PODS],
                    "ports": [{"protocol": name, "port": port} for port in DNS_PORTS_OF_PODS for name in ("UDP", "TCP")],
                }
            case "api-server":
                yield api_server_rule(inputs.api_server) if isinstance(inputs.api_server, Sequence) else inputs.api_server
            case "cidr":
                yield {"to": [block(name, *_within(name, closed)) for name in names], "ports": _ports(ports)}
            case "namespace":
                yield {"to": [{"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: name}}} for name in names], "ports": _ports(ports)}


def _ports(ports: Iterable[int]) -> list[Manifest]:
    return [{"protocol": "TCP", "port": port} for port in ports]


def _within(network: str, others: Sequence[str]) -> list[str]:
    """The networks that are a part of another one."""
    return [other for other in others if other != network and is_within(other, network)]
