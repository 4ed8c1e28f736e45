"""The policies of an agent: those of its chart, and those of an agent whose network is restricted.

NetworkPolicies know addresses only. CiliumNetworkPolicies know names and the API server. FQDNNetworkPolicies of GKE know only names:
they add up with NetworkPolicies of the same pods.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent, Group, Pods
from scalr_agents.charts.shared.inputs import ClusterValue
from scalr_agents.charts.shared.network import destinations
from scalr_agents.charts.shared.network.addresses import is_within
from scalr_agents.charts.shared.network.destinations import API_PORTS, DNS_PORT, DNS_PORTS_OF_PODS
from scalr_agents.model.manifests import Manifest, present

MOST_CILIUM_PORTS = 40
"""Ports of a rule, as the definition of Cilium's policies limits them."""
_LAST_PORT = 65535
_NEEDED_PORTS = (22, 80, 443, 6443)
"""Git, HTTP and API servers. The ranges include them already; network plugins without port ranges use only the first port of each."""
_NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""The label that every namespace has, with its own name."""
_DNS_PODS = (
    {"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: "kube-system"}}, "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}},
    {"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: "openshift-dns"}}},
)
"""The cluster's DNS, where its pods listen on another port than 53, which is open to all pods."""
_CILIUM_NAMESPACE, _CILIUM_APP = "k8s:io.kubernetes.pod.namespace", "k8s:k8s-app"
_CILIUM_DNS = (
    {_CILIUM_NAMESPACE: "kube-system", _CILIUM_APP: "kube-dns"},
    {_CILIUM_NAMESPACE: "kube-system", _CILIUM_APP: "node-local-dns"},  # caches on nodes, where a Local Redirect Policy leads to their pods
    {_CILIUM_NAMESPACE: "openshift-dns"},
)
"""Labels of the pods of the cluster's DNS, in OpenShift and in all distributions that follow Kubernetes' own."""


def objects(agent: AnyAgent, default: Group) -> Group:
    """The policies of an agent. `default` are those of its chart, which remain if egress is not restricted."""
    network = agent.inputs.network
    if network is None:
        return default
    egress = dict(default)
    if network.egress:
        make = {"cilium": _by_cilium, "gke": _by_gke, "kubernetes": _by_kubernetes}[network.egress.enforced_by]
        egress = {role: policy for pods in agent.pods for role, policy in make(pods, agent).items()}
    if network.ingress:
        # Without rules, and without an empty list of them: the API server drops that, so that every apply would be a change.
        egress["ingress"] = _of_pods(agent, agent.names.ingress_policy, None, {"policyTypes": ["Ingress"]})
    return egress


def default(agent: AnyAgent, component: str | None = None, *, allow_nfs: bool = True) -> Manifest:
    """Allows all egress of a component's pods, or of all pods, except to metadata services, and to link-local addresses but for DNS.

    The DNS rule is not redundant: eBPF data planes do not match cluster addresses by ipBlock. Without `allow_nfs` the ports of NFS are
    blocked, and so are protocols other than TCP and UDP: a policy can only list what it allows.
    """
    everywhere = [_block("0.0.0.0/0", *contract.METADATA_IPV4), _block("::/0", *contract.METADATA_IPV6)]
    rules = [
        _dns(),
        {"to": [_block(contract.POD_IDENTITY)], "ports": [{"protocol": "TCP", "port": 80}]},
        {"to": everywhere} if allow_nfs else {"to": everywhere, "ports": list(_ports_but(contract.NFS_PORTS))},
    ]
    return _of_pods(agent, agent.names.network_policy, component, {"policyTypes": ["Egress"], "egress": rules})


def wants_api_server(agent: AnyAgent) -> bool:
    """Whether a policy needs the addresses of the API server, and they are not known."""
    inputs = agent.inputs
    by_address = inputs.egress is not None and inputs.egress.enforced_by != "cilium"
    return by_address and isinstance(inputs.api_server, ClusterValue) and any(pods.token for pods in agent.pods)


def api_server_rule(addresses: Sequence[str], ports: Sequence[int] = API_PORTS) -> Manifest:
    """The rule of a NetworkPolicy for connections to the API server, by its networks or IP addresses."""
    networks = dict.fromkeys(str(ip_network(address)) for address in addresses)
    return {"to": [_block(network) for network in networks], "ports": _ports(dict.fromkeys(ports))}


def _by_kubernetes(pods: Pods, agent: AnyAgent) -> Group:
    return {pods.role: _of_pods(agent, pods.policy, pods.component, {"policyTypes": ["Egress"], "egress": list(_rules(pods, agent))})}


def _by_gke(pods: Pods, agent: AnyAgent) -> Group:
    """Both kinds of policies add up: one for names, which must have a rule, the other for everything else."""
    rules = [
        {
            "matches": [{"pattern" if "*" in name else "name": name} for name in names],
            "ports": _ports(ports),
        }
        for (kind, ports), names in destinations.allowed(pods, agent).items()
        if kind == "host"
    ]
    by_name = {
        "apiVersion": "networking.gke.io/v1alpha1",
        "kind": "FQDNNetworkPolicy",
        "metadata": agent.release.metadata(pods.policy, pods.component),
        "spec": {"podSelector": {"matchLabels": agent.release.selector(pods.component)}, "egress": rules},
    }
    return _by_kubernetes(pods, agent) | ({f"{pods.role}-names": by_name} if rules else {})


def _by_cilium(pods: Pods, agent: AnyAgent) -> Group:
    """Metadata services are denied, whatever a name resolves to: a denial beats all other rules.

    It does not concern DNS, which is a pod or the node itself, and for these Cilium has no addresses.
    """
    denied = [
        {"cidr": network, **({"except": [contract.POD_IDENTITY]} if network == contract.LINK_LOCAL else {})}
        for network in destinations.closed(pods)
    ]
    policy = {
        "apiVersion": "cilium.io/v2",
        "kind": "CiliumNetworkPolicy",
        "metadata": agent.release.metadata(pods.policy, pods.component),
        "spec": present(
            {
                "endpointSelector": {"matchLabels": agent.release.selector(pods.component)},
                "egress": list(_cilium_rules(pods, agent)),
                "egressDeny": [{"toCIDRSet": denied}] if denied else [],
            }
        ),
    }
    return {pods.role: policy}


def _rules(pods: Pods, agent: AnyAgent) -> Iterator[Any]:
    """The rules for everything that is no host name."""
    closed, api_server = destinations.closed(pods), agent.inputs.api_server
    for (kind, ports), names in destinations.allowed(pods, agent).items():
        match kind:
            case "dns":
                yield _dns()
                yield {
                    "to": [*_DNS_PODS],
                    "ports": [{"protocol": name, "port": port} for port in DNS_PORTS_OF_PODS for name in ("UDP", "TCP")],
                }
            case "api-server":
                yield api_server_rule(api_server) if isinstance(api_server, Sequence) else api_server
            case "cidr":
                yield {"to": [_block(name, *_within(name, closed)) for name in names], "ports": _ports(ports)}
            case "namespace":
                yield {"to": [{"namespaceSelector": {"matchLabels": {_NAMESPACE_NAME: name}}} for name in names], "ports": _ports(ports)}


def _ports(ports: Iterable[int]) -> list[Manifest]:
    return [{"protocol": "TCP", "port": port} for port in ports]


def _within(network: str, others: Sequence[str]) -> list[str]:
    """The networks that are a part of another one."""
    return [other for other in others if other != network and is_within(other, network)]


def _of_pods(agent: AnyAgent, name: str, component: str | None, rules: Mapping[str, Any]) -> Manifest:
    """A NetworkPolicy for a component's pods, or for all pods."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": agent.release.metadata(name, component),
        "spec": {"podSelector": {"matchLabels": agent.release.selector(component)}, **rules},
    }


def _dns() -> Manifest:
    """The rule for DNS: in all namespaces, and at the link-local addresses of clouds and of caches on nodes."""
    return {
        "to": [{"namespaceSelector": {}}, _block(contract.LINK_LOCAL)],
        "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
    }


def _block(cidr: str, *closed: str) -> dict[str, Any]:
    return {"ipBlock": {"cidr": cidr, **({"except": list(closed)} if closed else {})}}


def _ports_but(closed: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """All TCP and UDP ports except the closed ones, as ranges."""
    yield from ({"protocol": "TCP", "port": port} for port in _NEEDED_PORTS)
    firsts, lasts = [1, *(port + 1 for port in closed)], [*(port - 1 for port in closed), _LAST_PORT]
    for protocol in ("TCP", "UDP"):
        for first, last in zip(firsts, lasts, strict=True):
            yield {"protocol": protocol, "port": first, "endPort": last}


def _cilium_rules(pods: Pods, agent: AnyAgent) -> Iterator[Manifest]:
    for (kind, ports), names in destinations.allowed(pods, agent).items():
        match kind:
            case "dns":
                yield {"toEndpoints": [{"matchLabels": labels} for labels in _CILIUM_DNS], **_cilium_dns(DNS_PORT, *DNS_PORTS_OF_PODS)}
                yield {"toEntities": ["host"], **_cilium_dns(DNS_PORT)}  # caches that use the network of their node
            case "api-server":
                yield {"toEntities": ["kube-apiserver"]}  # on any port: Cilium matches that behind the Service, which differs
            case "host":
                yield {"toFQDNs": [{"matchPattern" if "*" in name else "matchName": name} for name in names], **_cilium_ports(ports)}
            case "cidr":
                yield {"toCIDRSet": [{"cidr": name} for name in names], **_cilium_ports(ports)}
            case "namespace":
                yield {"toEndpoints": [{"matchLabels": {_CILIUM_NAMESPACE: name}} for name in names], **_cilium_ports(ports)}


def _cilium_dns(*ports: int) -> Manifest:
    """DNS through Cilium's proxy, which learns from the answers which addresses a name has."""
    return {"toPorts": [{"ports": [{"port": str(port), "protocol": "ANY"} for port in ports], "rules": {"dns": [{"matchPattern": "*"}]}}]}


def _cilium_ports(ports: Sequence[int]) -> Manifest:
    return {"toPorts": [{"ports": [{"port": str(port), "protocol": "TCP"} for port in ports]}]}
