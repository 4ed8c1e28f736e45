"""Whether something in the cluster enforces NetworkPolicies. The API server accepts them in any case."""

from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.findings import note, warning
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import DaemonSet
from scalr_agents.model.findings import Findings

_VPC_CNI = "aws-node"
_ENFORCING = {
    "anetd": "GKE Dataplane V2",
    "antrea-agent": "Antrea",
    "azure-npm": "Azure Network Policy Manager",
    "calico-node": "Calico",
    "canal": "Canal",
    "cilium": "Cilium",
    "kindnet": "kindnet",
    "kube-network-policies": "kube-network-policies",
    "kube-router": "kube-router",
    "ovnkube-node": "OVN-Kubernetes",
    "rke2-canal": "Canal",
    "weave-net": "Weave Net",
}
"""DaemonSets of network plugins that enforce NetworkPolicies, by name."""
_NOT_ENFORCING = {_VPC_CNI: "AWS VPC CNI without enableNetworkPolicy", "kube-flannel": "Flannel", "kube-flannel-ds": "Flannel"}
_VPC_CNI_ENFORCES = "--enable-network-policy=true"
_TEST = "Test it with doctor --probe, after pulumi up: docs/doctor.md"


def check(needs: Needs, cluster: Cluster) -> Findings:
    if not any(manifest["kind"].endswith("NetworkPolicy") for manifest in needs.objects):
        return
    subject = "network policies"
    running = [] if isinstance(cluster.daemon_sets, Hidden) else list(cluster.daemon_sets)
    enforcing = sorted(
        {_ENFORCING[each.name] for each in running if each.name in _ENFORCING} | {"AWS VPC CNI" for each in running if _is_on(each)}
    )
    if enforcing:
        yield note(subject, f"{', '.join(enforcing)} seems to enforce them", _TEST)
    elif isinstance(cluster.daemon_sets, Hidden):
        yield note(subject, f"unknown whether anything enforces them: cannot see DaemonSets, {cluster.daemon_sets.reason}", _TEST)
    elif off := sorted({_NOT_ENFORCING[each.name] for each in running if each.name in _NOT_ENFORCING}):
        advice = "Install a network plugin that does. Until then runs reach the metadata service and each other"
        yield warning(subject, f"{', '.join(off)} does not enforce them, and no other network plugin is known here", advice)
    else:
        yield note(subject, "unknown whether anything enforces them: no network plugin is known here", _TEST)


def _is_on(daemon_set: DaemonSet) -> bool:
    return daemon_set.name == _VPC_CNI and _VPC_CNI_ENFORCES in daemon_set.arguments
