"""The workers' data on EFS: a volume for an existing file system, and the claim on it."""

from scalr_agents.charts.agent_k8s import names
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.model.clouds import EFS_DRIVER
from scalr_agents.model.forms import is_set
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release

_SHARED = ["ReadWriteMany"]
_CAPACITY = "5Gi"
"""Kubernetes requires a size; EFS ignores it."""


def objects(values: AgentK8sValues, release: Release) -> dict[str, Manifest]:
    if not is_set(values.efs_volume_handle):
        return {}
    return {
        "storage-class": _storage_class(values, release),
        "volume": _volume(values, release),
        "claim": _claim(release),
    }


def _storage_class(values: AgentK8sValues, release: Release) -> Manifest:
    """The class that binds volume and claim. It provisions nothing, because it names no file system."""
    return present(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": release.cluster_metadata(names.of(release).storage_class),
            "provisioner": EFS_DRIVER,
            "parameters": {"provisioningMode": "efs-ap", "directoryPerms": "775"},
            "mountOptions": values.efs_mount_options,
            "reclaimPolicy": "Retain",
        }
    )


def _volume(values: AgentK8sValues, release: Release) -> Manifest:
    own = names.of(release)
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": release.cluster_metadata(own.persistent_volume),
        "spec": present(
            {
                "accessModes": _SHARED,
                "capacity": {"storage": _CAPACITY},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "name": own.data_claim,
                    "namespace": release.namespace,
                },
                "csi": {"driver": EFS_DRIVER, "volumeHandle": values.efs_volume_handle},
                "mountOptions": values.efs_mount_options,
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": own.storage_class,
                "volumeMode": "Filesystem",
            }
        ),
    }


def _claim(release: Release) -> Manifest:
    own = names.of(release)
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": own.data_claim, "namespace": release.namespace, "labels": {"app.kubernetes.io/managed-by": "pulumi"}},
        "spec": {
            "accessModes": _SHARED,
            "resources": {"requests": {"storage": _CAPACITY}},
            "storageClassName": own.storage_class,
            "volumeName": own.persistent_volume,
        },
    }
