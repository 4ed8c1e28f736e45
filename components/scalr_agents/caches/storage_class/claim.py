"""A StorageClass for a known driver, and the claim of an agent on any class."""

from scalr_agents.caches import volumes
from scalr_agents.caches.drivers import DRIVERS
from scalr_agents.caches.storage_class.settings import StorageClassSettings
from scalr_agents.model.fields import InputText
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred


def parameters(settings: StorageClassSettings) -> dict[str, InputText]:
    """The given parameters merged over defaults for the agent's pods. A range of group IDs replaces the default owner."""
    defaults = DRIVERS[settings.provisioner].defaults
    if "gidRangeStart" in settings.parameters:
        defaults = {key: value for key, value in defaults.items() if key not in ("uid", "gid")}
    return {**defaults, **settings.parameters}


def class_manifest(settings: StorageClassSettings, *, keep: bool) -> Manifest:
    """A StorageClass; with `keep`, a volume and its files stay when its claim is deleted."""
    driver = DRIVERS[settings.provisioner]
    return present(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": settings.storage_class_name, "labels": {"app.kubernetes.io/managed-by": "pulumi"}},
            "provisioner": settings.provisioner,
            "parameters": parameters(settings),
            "mountOptions": list(driver.mount_options),
            "reclaimPolicy": "Retain" if keep else "Delete",
            "allowVolumeExpansion": driver.expands or None,
            "volumeBindingMode": "Immediate",  # so that the deployment waits for the claim rather than for a rollout
        }
    )


def claim_manifests(
    release: str, namespace: str, *, storage_class_name: str | Deferred, storage: str, access_mode: str = "ReadWriteMany"
) -> dict[str, Manifest]:
    """A claim that is provisioned by a StorageClass."""
    return {"claim": volumes.claim_manifest(release, namespace, storage, [access_mode], {"storageClassName": storage_class_name})}
