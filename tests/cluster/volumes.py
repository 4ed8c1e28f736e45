"""Volumes, because there is no provisioner."""

from tests.cluster.client import Client


def of_class(client: Client, storage_class: str) -> None:
    """The only volume of a class, with the name of the class. Many pods can mount it."""
    spec = {
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "90Gi"},
        "nfs": {"server": "10.1.2.3", "path": "/"},
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": storage_class,
    }
    client.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": storage_class}, "spec": spec})
