"""What a stack needs in the cluster beside Kubernetes itself.

Storage classes and CSI drivers, definitions of operators and of our own, a metrics server, and a network plugin that enforces policies.
"""

from collections.abc import Collection, Iterator, Sequence

from scalr_agents.caches.drivers import DRIVERS
from scalr_agents.charts.shared.crds import FIELD_MANAGER
from scalr_agents.charts.shared.pods import claims_of
from scalr_agents.cluster.answers import Found, Hidden, Seen
from scalr_agents.doctor import error, nodes, note, warning
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.doctor.objects import Claim, DaemonSet, Definition, Driver, DriversOfNode, Node, StorageClass, Volume
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Key
from scalr_agents.model.maps import lookup
from scalr_agents.model.texts import listed

_METRICS = "metrics.k8s.io"
"""The API group of a metrics server."""
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


def check_storage(needs: Needs, cluster: Cluster) -> Findings:
    """The storage classes and CSI drivers that the stack's volumes and claims name."""
    yield from _classes(needs, cluster)
    needed, found = sorted(_drivers(needs)), cluster.view.seen(Driver)
    if not isinstance(found, Hidden):
        installed = {driver.name for driver in found}
        for driver in needed:
            if driver not in installed:
                install = DRIVERS[driver].install if driver in DRIVERS else "Install it"
                yield error(f"CSI driver {driver}", "is not installed; volumes of it cannot be mounted", f"{install}: docs/caches.md")
        yield from _on_nodes(needs, cluster, installed)
    elif needed:
        yield note("CSI drivers", f"cannot see whether {listed(needed)} exists: {found.reason}")


def _classes(needs: Needs, cluster: Cluster) -> Findings:
    """Findings on claims without a class. One that is bound has its volume, and a static volume needs no class as an object."""
    own = {manifest["metadata"]["name"] for manifest in needs.objects if manifest["kind"] == "StorageClass"}
    classes = cluster.view.seen(StorageClass)
    for key, manifest in needs.claims.items():
        name, known = manifest["spec"].get("storageClassName"), cluster.named(key)
        if name == "" or name in own or (isinstance(known, Claim) and known.phase == "Bound"):
            continue
        if isinstance(classes, Hidden):
            problem = f"cannot see its storage class {name or '(the default one)'}: {classes.reason}"
            yield note(f"claim {key.namespace}/{key.name}", problem)
        elif not any(each.is_default if name is None else each.name == name for each in classes):
            yield from _without_class(key, name, known, cluster.view.seen(Volume), [each.name for each in classes])


def _without_class(key: Key, name: str | None, known: Found[Claim], volumes: Seen[Sequence[Volume]], classes: Sequence[str]) -> Findings:
    subject = f"claim {key.namespace}/{key.name}"
    missing = f"its storage class {name} does not exist" if name else "no storage class is set and the cluster has no default"
    if isinstance(known, Hidden):
        volumes = known
    if isinstance(volumes, Hidden):
        yield note(subject, f"{missing}; cannot see whether it has a volume: {volumes.reason}")
    elif not any(volume.may_bind(key, name or "") for volume in volumes):
        others = f", or set storageClassName to one of: {listed(classes)}" if classes else ""
        create = "Create the class, or a volume of it" if name else "Create a default class, or a volume without a class"
        yield error(subject, f"{missing}, and no volume is free for it", f"{create}{others}")


def _drivers(needs: Needs) -> set[str]:
    """The CSI drivers that the stack's own volumes and classes name."""
    of_volumes = {lookup(manifest, "spec", "csi", "driver") or "" for manifest in needs.objects if manifest["kind"] == "PersistentVolume"}
    of_classes = {manifest["provisioner"] for manifest in needs.objects if manifest["kind"] == "StorageClass"}
    return of_volumes - {""} | {provisioner for provisioner in of_classes if ".csi." in provisioner}


def _on_nodes(needs: Needs, cluster: Cluster, installed: Collection[str]) -> Findings:
    """Errors for pods whose nodes have no driver for their volumes: its DaemonSet may lack a toleration."""
    if cluster.view.hidden(Node):
        return  # the check of nodes says so
    without: dict[str, list[str]] = {}
    hidden = cluster.view.hidden(DriversOfNode)
    for pod in needs.pods:
        fitting = nodes.open_to(cluster.view.of(Node), cluster.admitted(pod.called, pod.spec))
        for driver in sorted(set(_of_pod(pod, needs)).intersection(installed)):
            if hidden:
                yield note(f"CSI driver {driver}", f"cannot see which nodes it runs on: {hidden.reason}")
            elif fitting and not any(driver in cluster.drivers.get(node.name, ()) for node in fitting):
                without.setdefault(driver, []).append(pod.called)
    for driver, pods in without.items():
        problem = f"runs on no node that the {listed(pods)} may use, so that their volumes cannot be mounted"
        yield error(f"CSI driver {driver}", problem, "Let its DaemonSet tolerate the taints of these nodes")


def _of_pod(pod: Pod, needs: Needs) -> Iterator[str]:
    """The drivers of the stack's own volumes that a pod mounts."""
    for name in claims_of(pod.spec):
        claim = needs.claims.get(Key("PersistentVolumeClaim", pod.namespace, name), {})
        mounted = needs.own.get(Key("PersistentVolume", "", lookup(claim, "spec", "volumeName")), {})
        driver = lookup(mounted, "spec", "csi", "driver")
        if isinstance(driver, str):
            yield driver


def check_definitions(needs: Needs, cluster: Cluster) -> Findings:
    """The API of a metrics server, and CustomResourceDefinitions: whether they exist, what they serve, and who owns them."""
    groups = cluster.groups
    if not isinstance(groups, Hidden) and _METRICS not in groups:
        for key in needs.own:
            if key.kind == "HorizontalPodAutoscaler":
                problem = "the cluster does not measure what pods use, so the number of agents never changes"
                yield error(f"{key.kind} {key.name}", problem, "Install a metrics server")
    for name, versions in needs.definitions.items():
        found, subject, installed = cluster.definition(name), f"definition {name}", name in needs.installed
        group = name.partition(".")[2]
        if found is None and not installed:
            ours = "Let its owner install it, or set kubernetes.crds: install"
            problem = "does not exist in the cluster, and this stack does not install it"
            yield error(subject, problem, ours if name.endswith(".scalr.io") else "Install its operator")
        elif isinstance(found, Hidden):  # its group still shows in the discovery of the API server
            if isinstance(groups, Hidden) or group in groups or installed:
                yield note(subject, f"cannot see whether it exists and what it serves: {found.reason}")
            else:
                yield error(subject, f"the API server has no group {group}", "Ask the cluster's administrator to install it")
        elif found:
            yield from _existing(subject, found, versions, installed=installed)


def _existing(subject: str, found: Definition, versions: set[str], *, installed: bool) -> Findings:
    if found.deleted:
        yield error(subject, "is being deleted, and all its objects with it", "Wait until it is gone, then install it again")
    missing = versions - found.served
    if missing and not installed:
        problem = f"serves {listed(sorted(found.served)) or 'no version'}, and the stack needs {listed(sorted(missing))}"
        yield error(subject, problem, "Upgrade it")
    # The API server sets the status and the accepted names of every definition.
    others = sorted(found.managers - {"", "kube-apiserver", FIELD_MANAGER})
    if installed and found.release:
        yield warning(
            subject,
            f"belongs to the Helm release {found.release}; pulumi up fails if its content differs",
            "Set kubernetes.crds: expect, or uninstall the release after you have moved its agents",
        )
    elif installed and others and not found.pulumi:
        advice = "Set kubernetes.crds: expect to use it as it is, or replace it once: docs/operations.md#troubleshooting"
        yield note(subject, f"exists and is managed by {listed(others)}; pulumi up fails if its content differs", advice)


def check_policies(needs: Needs, cluster: Cluster) -> Findings:
    """Whether something in the cluster enforces NetworkPolicies. The API server accepts them in any case."""
    if not any(manifest["kind"].endswith("NetworkPolicy") for manifest in needs.objects):
        return
    subject = "network policies"
    running, hidden = cluster.view.of(DaemonSet), cluster.view.hidden(DaemonSet)
    is_on = any(each.name == _VPC_CNI and _VPC_CNI_ENFORCES in each.arguments for each in running)
    enforcing = {_ENFORCING[each.name] for each in running if each.name in _ENFORCING} | ({"AWS VPC CNI"} if is_on else set())
    if enforcing:
        yield note(subject, f"{', '.join(sorted(enforcing))} seems to enforce them", _TEST)
    elif hidden:
        yield note(subject, f"unknown whether anything enforces them: cannot see DaemonSets, {hidden.reason}", _TEST)
    elif off := sorted({_NOT_ENFORCING[each.name] for each in running if each.name in _NOT_ENFORCING}):
        advice = "Install a network plugin that does. Until then runs reach the metadata service and each other"
        yield warning(subject, f"{', '.join(off)} does not enforce them, and no other network plugin is known here", advice)
    else:
        yield note(subject, "unknown whether anything enforces them: no network plugin is known here", _TEST)
