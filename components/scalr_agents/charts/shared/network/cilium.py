"""CiliumNetworkPolicies, which know names and the cluster's API server."""

from collections.abc import Iterator, Sequence

from scalr_agents.charts.shared.manifests.objects import Manifest, present
from scalr_agents.charts.shared.network.destinations import Allowed, Pods, closed
from scalr_agents.model.release import Release

_NAMESPACE = "k8s:io.kubernetes.pod.namespace"
_DNS = ("kube-dns", "node-local-dns")
"""Label `k8s-app` of the cluster's DNS and of its caches on nodes, in all distributions that follow Kubernetes' own."""


def policy(pods: Pods, release: Release, allowed: Allowed) -> Manifest:
    """The policy of some pods. Metadata services are denied, whatever a name resolves to: a denial beats all other rules."""
    denied = [{"toCIDRSet": [{"cidr": address} for address in closed(pods)]}] if closed(pods) else []
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


def _rules(allowed: Allowed) -> Iterator[Manifest]:
    for (kind, ports), names in allowed.items():
        match kind:
            case "dns":
                yield _dns()
            case "api-server":
                yield {"toEntities": ["kube-apiserver"], **_to(ports)}
            case "host":
                yield {"toFQDNs": [{"matchPattern" if "*" in name else "matchName": name} for name in names], **_to(ports)}
            case "cidr":
                yield {"toCIDRSet": [{"cidr": name} for name in names], **_to(ports)}
            case "namespace":
                yield {"toEndpoints": [{"matchLabels": {_NAMESPACE: name}} for name in names], **_to(ports)}


def _dns() -> Manifest:
    """DNS through Cilium's proxy, which learns from the answers which addresses a name has."""
    servers = [{"matchLabels": {_NAMESPACE: "kube-system", "k8s:k8s-app": label}} for label in _DNS]
    ports = [{"port": "53", "protocol": "ANY"}]
    return {"toEndpoints": servers, "toPorts": [{"ports": ports, "rules": {"dns": [{"matchPattern": "*"}]}}]}


def _to(ports: Sequence[int]) -> Manifest:
    return {"toPorts": [{"ports": [{"port": str(port), "protocol": "TCP"} for port in ports]}]}
