"""FQDNNetworkPolicies of GKE, which know names and nothing else. They add up with NetworkPolicies of the same pods."""

from scalr_agents.charts.shared.network.destinations import Allowed, Pods
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Release


def policy(pods: Pods, release: Release, allowed: Allowed) -> Manifest | None:
    """The policy for the names that some pods connect to. `None` if there are none: it must have a rule."""
    rules = [
        {
            "matches": [{"pattern" if "*" in name else "name": name} for name in names],
            "ports": [{"protocol": "TCP", "port": port} for port in ports],
        }
        for (kind, ports), names in allowed.items()
        if kind == "host"
    ]
    if not rules:
        return None
    return {
        "apiVersion": "networking.gke.io/v1alpha1",
        "kind": "FQDNNetworkPolicy",
        "metadata": release.metadata(pods.policy, pods.component),
        "spec": {"podSelector": {"matchLabels": release.selector(pods.component)}, "egress": rules},
    }
