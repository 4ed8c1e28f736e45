"""An upgrade updates deployed objects in place: a cluster accepts it, and nothing is replaced."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.cluster import agents
from tests.cluster.client import ApiError, Client, Manifests
from tests.engine.cluster import UNCHANGEABLE
from tests.helpers import upgrades
from tests.helpers.upgrades import EVERY_LINE, MUTATIONS, NAMES, Mutation

_IMMUTABLE = "field is immutable"
_CLAIM = "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
REFUSED: Mapping[str, str] = {
    "ClusterRoleBinding.roleRef": _IMMUTABLE,
    "CustomResourceDefinition.spec.group": f'spec.group: Invalid value: "example.com": {_IMMUTABLE}',
    "CustomResourceDefinition.spec.names.kind": f'spec.names.kind: Invalid value: "Task": {_IMMUTABLE}',
    "CustomResourceDefinition.spec.names.plural": f'spec.names.plural: Invalid value: "tasks": {_IMMUTABLE}',
    "CustomResourceDefinition.spec.scope": f'spec.scope: Invalid value: "Cluster": {_IMMUTABLE}',
    "CustomResourceDefinition.spec.versions": "v1 was previously a storage version, and must remain in spec.versions",
    "DaemonSet.spec.selector.matchLabels": _IMMUTABLE,
    "Deployment.spec.selector.matchLabels": _IMMUTABLE,
    "PersistentVolume.spec.csi.volumeHandle": "spec.persistentvolumesource is immutable after creation",
    "PersistentVolume.spec.volumeMode": _IMMUTABLE,
    "PersistentVolumeClaim.spec.accessModes": _CLAIM,
    "PersistentVolumeClaim.spec.selector": _CLAIM,
    "PersistentVolumeClaim.spec.storageClassName": _CLAIM,
    "PersistentVolumeClaim.spec.volumeMode": _CLAIM,
    "PersistentVolumeClaim.spec.volumeName": _CLAIM,
    "PriorityClass.preemptionPolicy": _IMMUTABLE,
    "PriorityClass.value": "value: Forbidden: may not be changed in an update",
    "RoleBinding.roleRef": _IMMUTABLE,
    "Secret.type": _IMMUTABLE,
    "StatefulSet.spec.podManagementPolicy": _IMMUTABLE,
    "StatefulSet.spec.selector.matchLabels": _IMMUTABLE,
    "StatefulSet.spec.serviceName": _IMMUTABLE,
    "StatefulSet.spec.volumeClaimTemplates": _IMMUTABLE,
    "StorageClass.parameters": _IMMUTABLE,
    "StorageClass.provisioner": _IMMUTABLE,
    "StorageClass.reclaimPolicy": _IMMUTABLE,
    "StorageClass.volumeBindingMode": _IMMUTABLE,
}
"""Why the API server refuses a change."""
ACCEPTED = {
    "CustomResourceDefinition.spec.names.shortNames",
    "PersistentVolume.spec.claimRef.name",
    "PersistentVolume.spec.mountOptions",
    "PersistentVolume.spec.storageClassName",
    "StorageClass.mountOptions",
}
"""The changes that it accepts and that are none for what is there: people type short names; a volume that is bound is not bound anew, and
its claim would lose it; mount options of a class are copied to a volume when it is made, and those of a volume read when a pod mounts it.
"""
NOT_REPLACED = {
    "CustomResourceDefinition.spec.group",
    "CustomResourceDefinition.spec.names.kind",
    "CustomResourceDefinition.spec.names.plural",
    "CustomResourceDefinition.spec.scope",
    "CustomResourceDefinition.spec.versions",
    "PersistentVolume.spec.volumeMode",
    "PersistentVolumeClaim.spec.volumeMode",
    "PriorityClass.preemptionPolicy",
    "PriorityClass.value",
    "StorageClass.reclaimPolicy",
    "StorageClass.volumeBindingMode",
}
"""Refused changes that the recording provider does not replace an object for. No setting of a stack changes these fields, so that only a
new version of this project could; what keeps it from that are the snapshots. In a program `on_delete` of a `CacheStorageClass` changes
`reclaimPolicy`, for which the component has its class replaced."""
NOT_ASKED = {"PersistentVolume.spec.hostPath", "PersistentVolume.spec.local", "PersistentVolume.spec.nfs"}
"""Other sources of a volume than `csi`, which is the one that a line makes: the server refuses to change any with the same words."""

_NAMESPACES = {manifest["metadata"]["name"] for name in NAMES for manifest in upgrades.snapshot(name) if manifest["kind"] == "Namespace"}


def _elsewhere(objects: Manifests) -> Manifests:
    """Objects in the namespaces of these tests only, because those of other tests are deleted slowly."""
    return [_moved(manifest) for manifest in objects]


def _moved(value: Any) -> Any:
    """Namespaces, and names that begin with one and a dot."""
    if isinstance(value, dict):
        return {key: _moved(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_moved(item) for item in value]
    if isinstance(value, str) and value.partition(".")[0] in _NAMESPACES:
        return f"upgraded-{value}"
    return value


@pytest.fixture(scope="module")
def snapshots(cluster: Client) -> Iterator[Mapping[str, Manifests]]:
    """The deployed objects of the snapshots, as the cluster has them."""
    yield {name: agents.apply(cluster, _elsewhere(upgrades.snapshot(name))) for name in NAMES}
    for namespace in _NAMESPACES:
        cluster.delete("Namespace", f"upgraded-{namespace}")


def test_every_change_is_classified() -> None:
    assert sorted(map(str, MUTATIONS)) == sorted([*REFUSED, *ACCEPTED])


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_clusters_refuse_to_change_immutable_fields(mutation: Mutation, snapshots: Mapping[str, Manifests], cluster: Client) -> None:
    before, after = mutation.of(_elsewhere(upgrades.snapshot(EVERY_LINE)))
    assert upgrades.identity(before) in map(upgrades.identity, snapshots[EVERY_LINE])
    if str(mutation) in ACCEPTED:
        cluster.apply(after, dry_run=True)
        return
    with pytest.raises(ApiError) as refused:
        cluster.apply(after, dry_run=True)
    assert refused.value.status == 422
    assert REFUSED[str(mutation)] in refused.value.message


def test_the_provider_replaces_on_immutable_changes() -> None:
    """The tests of the engine rely on its list; what is refused is asked above."""
    replaced = {f"{kind}.{field}" for kind, fields in UNCHANGEABLE.items() for field in fields}
    covered = {change: field for change in map(str, MUTATIONS) for field in replaced if f"{change}.".startswith(f"{field}.")}
    assert covered.keys() == REFUSED.keys() - NOT_REPLACED
    assert set(covered.values()) == replaced - NOT_ASKED


@pytest.mark.parametrize("name", NAMES)
def test_an_upgrade_replaces_nothing(name: str, snapshots: Mapping[str, Manifests], cluster: Client) -> None:
    before = snapshots[name]
    agents.apply(cluster, _elsewhere(upgrades.today(name)))
    assert [cluster.current(manifest)["metadata"]["uid"] for manifest in before] == [manifest["metadata"]["uid"] for manifest in before]
    assert not any("deletionTimestamp" in cluster.current(manifest)["metadata"] for manifest in before)
