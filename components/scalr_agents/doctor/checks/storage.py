"""The storage classes and CSI drivers that the stack's volumes and claims name."""

from collections.abc import Iterator, Sequence

from scalr_agents.caches.drivers import DRIVERS
from scalr_agents.charts.shared.pods import claims_of
from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor import scheduling
from scalr_agents.doctor.facts import Cluster, Content
from scalr_agents.doctor.findings import error, note
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Key
from scalr_agents.model.merge import lookup
from scalr_agents.model.messages import listed


def check(needs: Needs, cluster: Cluster) -> Findings:
    yield from _classes(needs, cluster)
    drivers = sorted({driver for driver in _drivers(needs) if driver})
    if drivers and isinstance(cluster.drivers, Hidden):
        yield note("CSI drivers", f"cannot see whether {listed(drivers)} exists: {cluster.drivers.reason}")
    elif not isinstance(cluster.drivers, Hidden):
        for driver in drivers:
            if driver not in cluster.drivers:
                yield error(f"CSI driver {driver}", "is not installed; volumes of it cannot be mounted", _install(driver))
        yield from _on_nodes(needs, cluster, cluster.drivers)


def _install(driver: str) -> str:
    return f"{DRIVERS[driver].install if driver in DRIVERS else 'Install it'}: docs/caches.md"


def _classes(needs: Needs, cluster: Cluster) -> Findings:
    """Findings on claims without a class. One that is bound has its volume, and a static volume needs no class as an object."""
    own = {manifest["metadata"]["name"] for manifest in needs.objects if manifest["kind"] == "StorageClass"}
    for key, manifest in needs.claims.items():
        name, known = manifest["spec"].get("storageClassName"), cluster.contents.get(key)
        if name == "" or name in own or (isinstance(known, Content) and known.phase == "Bound"):
            continue
        if isinstance(cluster.classes, Hidden):
            yield note(
                f"claim {key.namespace}/{key.name}",
                f"cannot see its storage class {name or '(the default one)'}: {cluster.classes.reason}",
            )
        elif not any(each.is_default if name is None else each.name == name for each in cluster.classes):
            yield from _without_class(key, name, cluster, [each.name for each in cluster.classes])


def _without_class(key: Key, name: str | None, cluster: Cluster, classes: Sequence[str]) -> Findings:
    claim = f"{key.namespace}/{key.name}"
    missing = f"its storage class {name} does not exist" if name else "no storage class is set and the cluster has no default"
    known = cluster.contents.get(key)
    volumes = known if isinstance(known, Hidden) else cluster.volumes
    if isinstance(volumes, Hidden):
        yield note(f"claim {claim}", f"{missing}; cannot see whether it has a volume: {volumes.reason}")
    elif not any(volume.may_bind(key, name or "") for volume in volumes):
        others = f", or set storageClassName to one of: {listed(classes)}" if classes else ""
        create = "Create the class, or a volume of it" if name else "Create a default class, or a volume without a class"
        yield error(f"claim {claim}", f"{missing}, and no volume is free for it", f"{create}{others}")


def _drivers(needs: Needs) -> Iterator[str]:
    """The CSI drivers that the stack's own volumes and classes name."""
    for manifest in needs.objects:
        if manifest["kind"] == "PersistentVolume":
            yield lookup(manifest, "spec", "csi", "driver") or ""
        elif manifest["kind"] == "StorageClass" and ".csi." in manifest["provisioner"]:
            yield manifest["provisioner"]


def _on_nodes(needs: Needs, cluster: Cluster, installed: frozenset[str]) -> Findings:
    """Errors for pods whose nodes have no driver for their volumes: its DaemonSet may lack a toleration."""
    if isinstance(cluster.nodes, Hidden):
        return  # the check of nodes says so
    without: dict[str, list[str]] = {}
    for pod in needs.pods:
        fitting = scheduling.open_to(cluster.nodes, cluster.admitted(pod.called, pod.spec))
        for driver in sorted(set(_of_pod(pod, needs)) & installed):
            if cluster.drivers_on_nodes:
                yield note(f"CSI driver {driver}", f"cannot see which nodes it runs on: {cluster.drivers_on_nodes.reason}")
            elif fitting and not any(driver in node.drivers for node in fitting):
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
