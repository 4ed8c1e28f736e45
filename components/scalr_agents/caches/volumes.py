"""Volumes and claims of caches: their names, and what several kinds have in common."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred

OWNER = 1000
"""User and group ID of the agent's pods, unless their security context sets others."""

_SHARED = ["ReadWriteMany"]
_ANY_SIZE = "1Gi"
"""Request of a claim on a volume of its own. The claim gets the whole volume; a request of that size could not follow when it grows."""


def claim_name(release: str) -> str:
    """Name of the claim on a cache."""
    return f"{release}-cache"


def volume_name(release: str, namespace: str) -> str:
    """Name of the cache's volume. Volumes are cluster-scoped; the namespace in the name keeps it unique, as no namespace contains a dot."""
    return f"{namespace}.{release}-cache"


def static_volume(
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
        "claim": claim_manifest(release, namespace, _ANY_SIZE, _SHARED, {"storageClassName": "", "volumeName": volume}),
    }


def in_zone(volume: Manifest, zone: str) -> Manifest:
    """A volume that only nodes of a zone can mount, so that pods which mount it run there."""
    term = {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}
    return volume | {"spec": volume["spec"] | {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}}


def claim_manifest(release: str, namespace: str, storage: str, access_modes: list[str], binding: Mapping[str, Any]) -> Manifest:
    """The claim on a cache. `binding` says which volume or which class it gets."""
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
