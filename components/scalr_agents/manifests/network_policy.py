"""The NetworkPolicy that keeps runs from the cloud's metadata service and its credentials."""

from typing import Any

from scalr_agents import contract
from scalr_agents.manifests.objects import Manifest
from scalr_agents.release import Release

_NODE_LOCAL_DNS = "169.254.20.10/32"


def policy(release: Release, component: str | None = None) -> Manifest:
    """All egress of a component's pods, or of all pods, is open but the metadata service, of which only DNS is.

    The DNS rule is not redundant: eBPF data planes do not match cluster addresses by ipBlock.
    """
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": release.metadata(release.names.network_policy, component),
        "spec": {
            "podSelector": {"matchLabels": release.selector(component)},
            "policyTypes": ["Egress"],
            "egress": [
                {
                    "to": [{"namespaceSelector": {}}, _block(contract.METADATA_IPV4), _block(_NODE_LOCAL_DNS)],
                    "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}],
                },
                {"to": [_block("0.0.0.0/0", contract.METADATA_IPV4)]},
                {"to": [_block("::/0", *contract.METADATA_IPV6)]},
            ],
        },
    }


def _block(cidr: str, *closed: str) -> dict[str, Any]:
    return {"ipBlock": {"cidr": cidr, **({"except": list(closed)} if closed else {})}}
