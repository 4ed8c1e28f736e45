"""Volumes, claims and storage classes of caches, field by field."""

from typing import Any, cast

import pytest
from scalr_agents.caches import efs, volumes
from scalr_agents.caches.filestore import kind as filestore
from scalr_agents.caches.storage_class import StorageClassSettings, claim_manifests, class_manifest
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred

from tests.helpers.opaque import Later
from tests.helpers.recording import leaves
from tests.helpers.schemas import assert_valid

MOUNT_OPTIONS = ["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]
HANDLE = "fs-00000a1b::fsap-0c2d"
SHARE = "modeInstance/europe-west1-b/nfs-1/vol1"


def labels(release: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "scalr-agent-cache",
        "app.kubernetes.io/instance": release,
        "app.kubernetes.io/managed-by": "pulumi",
    }


def volume(release: str, driver: str, **spec: Any) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {
            "name": f"scalr.{release}-cache",
            "labels": labels(release),
            "annotations": {"pv.kubernetes.io/provisioned-by": driver},
        },
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": f"{release}-cache", "namespace": "scalr"},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "volumeMode": "Filesystem",
            **spec,
        },
    }


def claim(release: str, storage: str, **spec: Any) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"{release}-cache", "namespace": "scalr", "labels": labels(release)},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": storage}}, **spec},
    }


OF_EFS = {
    "provisioningMode": "efs-ap",
    "directoryPerms": "775",
    "uid": "1000",
    "gid": "1000",
    "basePath": "/scalr-agent-cache",
    "fileSystemId": "fs-00000a1b",
}


def storage_class(provisioner: str, policy: str, parameters: dict[str, str], **more: Any) -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "agents", "labels": {"app.kubernetes.io/managed-by": "pulumi"}},
        "provisioner": provisioner,
        "parameters": parameters,
        "reclaimPolicy": policy,
        "volumeBindingMode": "Immediate",
        **more,
    }


def share(**changed: Any) -> dict[str, Manifest]:
    given: dict[str, Any] = {"ip_address": "10.9.8.7", "share_name": "vol1", "protocol": "NFS_V4_1", "capacity": "2Ti", **changed}
    return filestore.volume_manifests("shared", "scalr", given.pop("volume_handle", SHARE), **given)


def made_class(keep: bool = True, **given: Any) -> Manifest:
    settings = {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-00000a1b"}, **given}
    content = StorageClassSettings.model_validate(settings, by_name=True, by_alias=False)
    return class_manifest(content, keep=keep)


FILESTORE: dict[str, Any] = {"provisioner": "filestore.csi.storage.gke.io", "parameters": {"tier": "zonal"}}
OBJECTS: dict[str, tuple[dict[str, Manifest], dict[str, Manifest]]] = {
    "efs": (
        efs.volume_manifests("runs", "scalr", HANDLE),
        {
            "volume": volume(
                "runs",
                "efs.csi.aws.com",
                capacity={"storage": "1Ti"},
                csi={"driver": "efs.csi.aws.com", "volumeHandle": HANDLE},
                mountOptions=MOUNT_OPTIONS,
            ),
            "claim": claim("runs", "1Gi", storageClassName="", volumeName="scalr.runs-cache"),
        },
    ),
    "filestore": (
        share(),
        {
            "volume": volume(
                "shared",
                "filestore.csi.storage.gke.io",
                capacity={"storage": "2Ti"},
                csi={
                    "driver": "filestore.csi.storage.gke.io",
                    "volumeHandle": SHARE,
                    "volumeAttributes": {"ip": "10.9.8.7", "volume": "vol1", "fileProtocol": "NFS_V4_1"},
                },
            ),
            "claim": claim("shared", "1Gi", storageClassName="", volumeName="scalr.shared-cache"),
        },
    ),
    "dynamic": (
        claim_manifests("runs", "scalr", storage_class_name="agents", storage="90Gi"),
        {"claim": claim("runs", "90Gi", storageClassName="agents")},
    ),
    "dynamic-once": (
        claim_manifests("runs", "scalr", storage_class_name="agents", storage="90Gi", access_mode="ReadWriteOnce"),
        {"claim": claim("runs", "90Gi", storageClassName="agents", accessModes=["ReadWriteOnce"])},
    ),
    "class-efs": (
        {"class": made_class()},
        {"class": storage_class("efs.csi.aws.com", "Retain", OF_EFS, mountOptions=MOUNT_OPTIONS)},
    ),
    "class-filestore": (
        {"class": made_class(keep=False, **FILESTORE)},
        {"class": storage_class(FILESTORE["provisioner"], "Delete", {"tier": "zonal", "network": "default"}, allowVolumeExpansion=True)},
    ),
}


@pytest.mark.parametrize(("made", "expected"), OBJECTS.values(), ids=OBJECTS)
def test_objects(made: dict[str, Manifest], expected: dict[str, Manifest]) -> None:
    assert made == expected
    for manifest in made.values():
        assert_valid(manifest)


def test_only_nodes_of_the_zone_mount_a_one_zone_file_system() -> None:
    anywhere, there = (efs.volume_manifests("runs", "scalr", HANDLE, zone=zone) for zone in ("", "eu-west-1a"))
    terms = [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eu-west-1a"]}]}]
    assert there["volume"]["spec"] == anywhere["volume"]["spec"] | {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}
    assert there["claim"] == anywhere["claim"]
    assert_valid(there["volume"])


def test_efs_claim_with_driver_role() -> None:
    anybody, driver = (efs.volume_manifests("runs", "scalr", HANDLE, iam=iam) for iam in (False, True))
    assert driver["volume"]["spec"] == anybody["volume"]["spec"] | {"mountOptions": [*MOUNT_OPTIONS, "iam"]}
    assert driver["claim"] == anybody["claim"]


HANDLE_LATER, IP, SHARE_NAME, PROTOCOL, CAPACITY, CLASS, PARAMETER = (Later() for _ in range(7))


def carried(manifests: dict[str, Manifest]) -> dict[str, Later]:
    """Path to value, for everything that is known only later."""
    found = {".".join(map(str, path)): leaf for path, leaf in leaves(manifests)}
    return {path: leaf for path, leaf in found.items() if isinstance(leaf, Later)}


CARRIED: dict[str, tuple[dict[str, Manifest], dict[str, Later]]] = {
    "efs": (
        efs.volume_manifests("runs", "scalr", cast("Deferred", HANDLE_LATER)),
        {"volume.spec.csi.volumeHandle": HANDLE_LATER},
    ),
    "filestore": (
        share(volume_handle=HANDLE_LATER, ip_address=IP, share_name=SHARE_NAME, protocol=PROTOCOL, capacity=CAPACITY),
        {
            "volume.spec.csi.volumeHandle": HANDLE_LATER,
            "volume.spec.csi.volumeAttributes.ip": IP,
            "volume.spec.csi.volumeAttributes.volume": SHARE_NAME,
            "volume.spec.csi.volumeAttributes.fileProtocol": PROTOCOL,
            "volume.spec.capacity.storage": CAPACITY,
        },
    ),
    "dynamic": (
        claim_manifests("runs", "scalr", storage_class_name=cast("Deferred", CLASS), storage="90Gi"),
        {"claim.spec.storageClassName": CLASS},
    ),
    "class": (
        {"class": made_class(parameters={"fileSystemId": PARAMETER})},
        {"class.parameters.fileSystemId": PARAMETER},
    ),
}


@pytest.mark.parametrize(("manifests", "expected"), CARRIED.values(), ids=CARRIED)
def test_outputs_are_carried_unchanged(manifests: dict[str, Manifest], expected: dict[str, Later]) -> None:
    found = carried(manifests)
    assert found.keys() == expected.keys()
    for path, value in found.items():
        assert value is expected[path]


def test_names_of_two_agents_do_not_collide() -> None:
    places = [("a", "b"), ("a-b", "c"), ("a", "b-c"), ("a", "b.c"), ("a-cache", "b")]
    names = {volumes.volume_name(release, namespace) for namespace, release in places}
    assert len(names) == len(places)
