"""CiliumNetworkPolicies, which know names and the cluster's API server."""

from collections.abc import Iterator, Sequence

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.network.destinations import DNS_PORT, DNS_PORTS_OF_PODS, Allowed, Pods, closed
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

MOST_PORTS = 40
"""Ports of a rule, as the definition of the policies limits them."""
_NAMESPACE = "k8s:io.kubernetes.pod.namespace"
_APP = "k8s:k8s-app"
_DNS = (
    {_NAMESPACE: "kube-system", _APP: "kube-dns"},
    {_NAMESPACE: "kube-system", _APP: "node-local-dns"},  # caches on nodes, where a Local Redirect Policy leads to their pods
    {_NAMESPACE: "openshift-dns"},
)
"""Labels of the pods of the cluster's DNS, in OpenShift and in all distributions that follow Kubernetes' own."""


def policy(pods: Pods, release: Release, allowed: Allowed) -> Manifest:
    """The policy of some pods. Metadata services are denied, whatever a name resolves to: a denial beats all other rules.

    It does not concern DNS, which is a pod or the node itself, and for these Cilium has no addresses.
    """
    denied = [{"toCIDRSet": [_denied(network) for network in closed(pods)]}] if closed(pods) else []
    return {
        "apiVersion": "cilium.io/v2",
        "kind": "CiliumNetworkPolicy",
        "metadata": release.metadata(pods.policy, pods.component),
        "spec": present(
            {
                "endpointSelector": {"matchLabels": release.selector(pods.component)},
                "egress": list(_rules(allowed)),
                "egressDeny": denied,
            }
        ),
    }


def _denied(network: str) -> Manifest:
    return {"cidr": network, **({"except": [contract.POD_IDENTITY]} if network == contract.LINK_LOCAL else {})}


def _rules(allowed: Allowed) -> Iterator[Manifest]:
    for (kind, ports), names in allowed.items():
        match kind:
            case "dns":
                yield {"toEndpoints": [{"matchLabels": labels} for labels in _DNS], **_dns(DNS_PORT, *DNS_PORTS_OF_PODS)}
                yield {"toEntities": ["host"], **_dns(DNS_PORT)}  # caches that use the network of their node
            case "api-server":
                yield {"toEntities": ["kube-apiserver"]}  # on any port: Cilium matches that behind the Service, which differs
            case "host":
                yield {"toFQDNs": [{"matchPattern" if "*" in name else "matchName": name} for name in names], **_to(ports)}
            case "cidr":
                yield {"toCIDRSet": [{"cidr": name} for name in names], **_to(ports)}
            case "namespace":
                yield {"toEndpoints": [{"matchLabels": {_NAMESPACE: name}} for name in names], **_to(ports)}


def _dns(*ports: int) -> Manifest:
    """DNS through Cilium's proxy, which learns from the answers which addresses a name has."""
    return {"toPorts": [{"ports": [{"port": str(port), "protocol": "ANY"} for port in ports], "rules": {"dns": [{"matchPattern": "*"}]}}]}


def _to(ports: Sequence[int]) -> Manifest:
    return {"toPorts": [{"ports": [{"port": str(port), "protocol": "TCP"} for port in ports]}]}
