"""What an upgrade of this project must not change in clusters: the names of objects, and immutable fields.

`tests/snapshots` has the objects of every sample stack, and of every line with all that it can make, as they were when that was last
renewed: `python -m tests.helpers.upgrades`.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from scalr_agents.model import yaml_io
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, lookup

from tests.helpers import samples
from tests.helpers.validated import LINES

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
EVERY_LINE = "every-line"
NAMES = (*samples.STACKS, EVERY_LINE)
"""The snapshots: a stack each, and the lines."""

_ABOUT = """\
# What is deployed: objects as an earlier version of this project made them. An upgrade must not rename, remove or replace any.
# Renewed by: python -m tests.helpers.upgrades
"""
_ADVICE = (
    "An upgrade would remove or replace what is deployed, under running pods. If that is deliberate, renew the snapshots with "
    "`python -m tests.helpers.upgrades`, and say in CHANGELOG.md under Changed what is replaced and how to migrate."
)
_CLAIM: Values = {"enabled": True, "persistentVolumeClaim": {"storageClassName": "shared", "accessMode": "ReadWriteMany"}}
_CLAIMS = {"data": _CLAIM, "cache": _CLAIM}
_JOB = {"agent": {"replicaCount": 2}, "persistence": _CLAIMS, "task": {"buffer": {"replicas": 1}}}
_LOCAL = {"serviceAccount": {"create": True}, "allowMetadataService": False}
_K8S = {"efsVolumeHandle": "fs-582a03f3", "restrictMetadataService": True}
_VALUES: Mapping[tuple[str, str], Values] = {
    ("agent-job", "legacy"): _JOB,
    ("agent-job", "current"): _JOB,
    ("agent-local", "legacy"): {**_LOCAL, "persistence": _CLAIM},
    ("agent-local", "current"): {**_LOCAL, "persistence": _CLAIMS},
    ("agent-k8s", "legacy"): _K8S,
    ("agent-k8s", "current"): _K8S,
}
"""What makes a line make all that it can."""
_STATEFUL: Values = {"workload": {"kind": "StatefulSet"}, "persistence": _CLAIMS}

FIXED: Mapping[str, Sequence[str]] = {
    "ClusterRoleBinding": ("roleRef",),
    "CustomResourceDefinition": ("spec.group", "spec.names", "spec.scope"),
    "DaemonSet": ("spec.selector",),
    "Deployment": ("spec.selector",),
    "PriorityClass": ("preemptionPolicy", "value"),
    "RoleBinding": ("roleRef",),
    "Secret": ("type",),
    "StatefulSet": ("spec.podManagementPolicy", "spec.selector", "spec.serviceName", "spec.volumeClaimTemplates"),
    "StorageClass": ("mountOptions", "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
}
"""The fields of a kind that stay. Kubernetes refuses to change them, or changes them without effect on what there is already."""
CHANGEABLE: Mapping[str, Sequence[str]] = {
    "PersistentVolume": ("accessModes", "capacity", "nodeAffinity", "persistentVolumeReclaimPolicy"),
    "PersistentVolumeClaim": ("resources", "volumeAttributesClassName"),
}
"""The fields of a kind's `spec` that do not stay, where all others do."""


def today(name: str) -> list[Manifest]:
    """The objects as they are made today."""
    return _every_line() if name == EVERY_LINE else samples.objects(samples.sample(name))


def _every_line() -> list[Manifest]:
    namespace: Manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": EVERY_LINE}}
    made = [samples.release(line, EVERY_LINE, name=line.generation, values=_VALUES[line.chart, line.generation]) for line in LINES]
    [local] = [line for line in LINES if (line.chart, line.generation) == ("agent-local", "current")]
    made.append(samples.release(local, EVERY_LINE, name="stateful", values=_STATEFUL))
    return [namespace, *(manifest for objects in made for manifest in objects)]


def snapshot(name: str) -> list[Manifest]:
    """The objects as they were."""
    return list(yaml.load_all(_file(name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def _file(name: str) -> Path:
    return SNAPSHOTS / f"{name}.yaml"


def refusal(name: str, before: Sequence[Manifest], after: Sequence[Manifest]) -> str:
    """The failure message for an upgrade, empty if nothing is wrong."""
    found = list(broken(before, after))
    return "\n".join([f"{name}:", *(f"  {problem}" for problem in found), _ADVICE]) if found else ""


def broken(before: Sequence[Manifest], after: Sequence[Manifest]) -> Iterator[str]:
    """Removed objects, and objects that would be replaced. New objects are allowed."""
    there = {identity(manifest): manifest for manifest in after}
    for manifest in before:
        known = identity(manifest)
        if known not in there:
            yield f"{known} is gone: it was renamed or removed"
            continue
        was, is_now = fixed(manifest), fixed(there[known])
        for path in sorted(was.keys() | is_now.keys()):
            if was.get(path) != is_now.get(path) and (path in was or path not in _versions(there[known])):
                yield f"{known}: {path} was {was.get(path)!r} and is {is_now.get(path)!r}"


def identity(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return "/".join(part for part in (manifest["kind"], metadata.get("namespace"), metadata["name"]) if part)


def fixed(manifest: Manifest) -> dict[str, Any]:
    """The immutable parts of an object, by path."""
    kind = manifest["kind"]
    if kind in CHANGEABLE:
        return {f"spec.{key}": value for key, value in manifest["spec"].items() if key not in CHANGEABLE[kind]}
    found = {path: lookup(manifest, *path.split(".")) for path in FIXED.get(kind, ())}
    return {path: value for path, value in found.items() if value is not None} | _versions(manifest)


def _versions(manifest: Manifest) -> dict[str, Any]:
    """The versions of a definition, in which objects are stored. It may get more of them."""
    if manifest["kind"] != "CustomResourceDefinition":
        return {}
    return {f"spec.versions.{version['name']}": True for version in manifest["spec"]["versions"]}


class Mutation(NamedTuple):
    """A change that no upgrade may bring."""

    kind: str
    path: str
    """What changes."""
    value: Any
    """What it becomes."""

    def __str__(self) -> str:
        return f"{self.kind}.{self.path}"

    def of(self, objects: Sequence[Manifest]) -> tuple[Manifest, Manifest]:
        """The last object of the kind that has or could have the field, and its change."""
        *parents, key = self.path.split(".")
        *_, before = (manifest for manifest in objects if manifest["kind"] == self.kind and lookup(manifest, *parents))
        after = deepcopy(before)
        lookup(after, *parents)[key] = self.value
        return before, after


_OTHER_ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
_OTHER_VERSION = [{"name": "v2", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}]
MUTATIONS = (
    Mutation("ClusterRoleBinding", "roleRef", _OTHER_ROLE),
    Mutation("CustomResourceDefinition", "spec.group", "example.com"),
    Mutation("CustomResourceDefinition", "spec.names.kind", "Task"),
    Mutation("CustomResourceDefinition", "spec.names.plural", "tasks"),
    Mutation("CustomResourceDefinition", "spec.names.shortNames", ["task"]),
    Mutation("CustomResourceDefinition", "spec.scope", "Cluster"),
    Mutation("CustomResourceDefinition", "spec.versions", _OTHER_VERSION),
    Mutation("DaemonSet", "spec.selector.matchLabels", {"app.kubernetes.io/component": "worker"}),
    Mutation("Deployment", "spec.selector.matchLabels", {"app.kubernetes.io/component": "controller"}),
    Mutation("PersistentVolume", "spec.claimRef.name", "other"),
    Mutation("PersistentVolume", "spec.csi.volumeHandle", "fs-00000123"),
    Mutation("PersistentVolume", "spec.mountOptions", ["tls"]),
    Mutation("PersistentVolume", "spec.storageClassName", "other"),
    Mutation("PersistentVolume", "spec.volumeMode", "Block"),
    Mutation("PersistentVolumeClaim", "spec.accessModes", ["ReadWriteOnce"]),
    Mutation("PersistentVolumeClaim", "spec.selector", {"matchLabels": {"tier": "cold"}}),
    Mutation("PersistentVolumeClaim", "spec.storageClassName", "other"),
    Mutation("PersistentVolumeClaim", "spec.volumeMode", "Block"),
    Mutation("PersistentVolumeClaim", "spec.volumeName", "other"),
    Mutation("PriorityClass", "preemptionPolicy", "PreemptLowerPriority"),
    Mutation("PriorityClass", "value", -20),
    Mutation("RoleBinding", "roleRef", _OTHER_ROLE),
    Mutation("Secret", "type", "example.com/token"),
    Mutation("StatefulSet", "spec.podManagementPolicy", "OrderedReady"),
    Mutation("StatefulSet", "spec.selector.matchLabels", {"app.kubernetes.io/component": "agent"}),
    Mutation("StatefulSet", "spec.serviceName", "agents"),
    Mutation("StatefulSet", "spec.volumeClaimTemplates", []),
    Mutation("StorageClass", "mountOptions", ["tls"]),
    Mutation("StorageClass", "parameters", {"provisioningMode": "efs-dir"}),
    Mutation("StorageClass", "provisioner", "example.com/efs"),
    Mutation("StorageClass", "reclaimPolicy", "Delete"),
    Mutation("StorageClass", "volumeBindingMode", "WaitForFirstConsumer"),
)
"""One of each. What they do is the same for an earlier object and one of today."""


def renew() -> None:
    """Write the snapshots from today's objects."""
    made = {name: today(name) for name in NAMES}
    SNAPSHOTS.mkdir(exist_ok=True)
    for file in SNAPSHOTS.glob("*.yaml"):
        file.unlink()
    for name, objects in made.items():
        _file(name).write_text(_ABOUT + yaml_io.dump(objects), encoding="utf-8")


if __name__ == "__main__":
    renew()
