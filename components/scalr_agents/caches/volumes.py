"""The Kubernetes side of shared caches: volumes of cloud file systems, claims on them, and storage classes."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.caches.storage_class import FILESTORE_DRIVER, StorageClassSettings, parameters
from scalr_agents.model.clouds import EFS_DRIVER, EFS_MOUNT_OPTIONS
from scalr_agents.model.forms import Deferred
from scalr_agents.model.manifests import Manifest, present

EFS_CAPACITY = "1Ti"
"""Kubernetes requires a size for every volume; EFS ignores it."""

_SHARED = ["ReadWriteMany"]
_ANY_SIZE = "1Gi"
"""Request of a claim on a volume of its own. The claim gets the whole volume; a request of that size could not follow when it grows."""


def claim_name(release: str) -> str:
    """Name of the claim on a cache."""
    return f"{release}-cache"


def volume_name(release: str, namespace: str) -> str:
    """Name of the cache's volume. Volumes are cluster-scoped; the namespace in the name keeps it unique, as no namespace contains a dot."""
    return f"{namespace}.{release}-cache"


def efs(release: str, namespace: str, volume_handle: str | Deferred, *, iam: bool = False) -> dict[str, Manifest]:
    """A volume for an access point of an EFS file system, and the claim on it.

    `volume_handle` is `<file system>::<access point>`. The driver encrypts traffic by default. With `iam` it mounts with its IAM
    identity; without, it mounts anonymously.
    """
    csi = {"driver": EFS_DRIVER, "volumeHandle": volume_handle}
    return _static(release, namespace, csi, EFS_CAPACITY, [*EFS_MOUNT_OPTIONS, "iam"] if iam else EFS_MOUNT_OPTIONS)


def filestore(
    release: str,
    namespace: str,
    volume_handle: str | Deferred,
    *,
    ip_address: str | Deferred,
    share_name: str | Deferred,
    protocol: str | Deferred,
    capacity: str | Deferred,
) -> dict[str, Manifest]:
    """A volume for the share of a Filestore instance, and the claim on it.

    `volume_handle` is `modeInstance/<location>/<instance>/<share>`. `fileProtocol` is set because the driver defaults to NFS 3, whatever
    the protocol of the instance.
    """
    csi = {
        "driver": FILESTORE_DRIVER,
        "volumeHandle": volume_handle,
        "volumeAttributes": {"ip": ip_address, "volume": share_name, "fileProtocol": protocol},
    }
    return _static(release, namespace, csi, capacity, [])


def _static(
    release: str, namespace: str, csi: Mapping[str, Any], capacity: str | Deferred, mount_options: list[str]
) -> dict[str, Manifest]:
    """A statically provisioned volume and the claim that it is reserved for. Deleting either keeps the files."""
    volume, claim = volume_name(release, namespace), claim_name(release)
    return {
        "volume": {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {
                "name": volume,
                "labels": _labels(release),
                "annotations": {"pv.kubernetes.io/provisioned-by": csi["driver"]},
            },
            "spec": present(
                {
                    "accessModes": _SHARED,
                    "capacity": {"storage": capacity},
                    "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim, "namespace": namespace},
                    "csi": csi,
                    "mountOptions": mount_options,
                    "persistentVolumeReclaimPolicy": "Retain",
                    "volumeMode": "Filesystem",
                }
            )
            | {"storageClassName": ""},
        },
        "claim": _claim(release, namespace, _ANY_SIZE, _SHARED, {"storageClassName": "", "volumeName": volume}),
    }


def dynamic(
    release: str, namespace: str, *, storage_class_name: str | Deferred, storage: str, access_mode: str = "ReadWriteMany"
) -> dict[str, Manifest]:
    """A claim that is provisioned by a StorageClass."""
    return {"claim": _claim(release, namespace, storage, [access_mode], {"storageClassName": storage_class_name})}


def storage_class(settings: StorageClassSettings, *, keep: bool) -> Manifest:
    """A StorageClass; with `keep`, a volume and its files stay when its claim is deleted."""
    efs_driver = settings.provisioner == EFS_DRIVER
    return present(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": settings.storage_class_name, "labels": {"app.kubernetes.io/managed-by": "pulumi"}},
            "provisioner": settings.provisioner,
            "parameters": parameters(settings),
            "mountOptions": EFS_MOUNT_OPTIONS if efs_driver else [],
            "reclaimPolicy": "Retain" if keep else "Delete",
            "allowVolumeExpansion": None if efs_driver else True,
            "volumeBindingMode": "Immediate",  # so that the deployment waits for the claim rather than for a rollout
        }
    )


def _claim(release: str, namespace: str, storage: str, access_modes: list[str], binding: Mapping[str, Any]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim_name(release), "namespace": namespace, "labels": _labels(release)},
        "spec": {"accessModes": access_modes, "resources": {"requests": {"storage": storage}}, **binding},
    }


def _labels(release: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "scalr-agent-cache",
        "app.kubernetes.io/instance": release,
        "app.kubernetes.io/managed-by": "pulumi",
    }
