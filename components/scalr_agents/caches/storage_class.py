"""Caches provisioned by a CSI driver: a StorageClass for a known driver, and the claim of each agent on any class."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from scalr_agents.caches import OnDelete, volumes
from scalr_agents.caches.drivers import DRIVERS, Provisioner
from scalr_agents.caches.kind import CacheKind
from scalr_agents.model import quantities
from scalr_agents.model.fields import AccessMode, InputMap, InputName, InputText, Name, Namespace, ReleaseName, Size
from scalr_agents.model.findings import Findings, error, unknown_key
from scalr_agents.model.forms import REQUIRED, Required, caution
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred, is_set
from scalr_agents.model.relations import Is, Relations, check, risky
from scalr_agents.model.section import Section

NOT_SHARED = risky(
    "access_mode",
    unless=Is("access_mode", "ReadWriteMany"),
    because="{access_mode:value}, but the controllers and all task pods mount the cache: tasks can then run only on the controller's node, "
    "or not at all; use ReadWriteMany",
)


def _parameters(provisioner: Provisioner, parameters: dict[str, Any]) -> Findings:
    driver = DRIVERS[provisioner]
    for key in parameters:
        if key not in driver.parameters:
            yield error(("parameters", key), unknown_key(key, driver.parameters))
    for key, other in (("gidRangeStart", "gidRangeEnd"), ("gidRangeEnd", "gidRangeStart")):
        if key in parameters and other not in parameters:
            yield error(("parameters", key), f"requires {other}")
    for key in driver.needed:
        if not is_set(parameters.get(key)):
            yield error(("parameters", key), f"missing: {provisioner} requires it")


class StorageClassSettings(Section):
    """Arguments of `CacheStorageClass`."""

    storage_class_name: Annotated[Name, REQUIRED]
    """Name of the StorageClass."""
    provisioner: Provisioner
    """CSI driver: `efs.csi.aws.com`, `filestore.csi.storage.gke.io` or `file.csi.azure.com` (Azure Files, always over NFS)."""
    parameters: InputMap = {}
    """Parameters of the driver, by the driver's names. EFS requires `fileSystemId`. Default: for EFS, an access point for user and group
    1000 below `/scalr-agent-cache` for every claim; for Filestore, an instance of tier `basic_hdd` in the network `default`; for Azure
    Files, a share of SKU `Premium_LRS`."""
    on_delete: OnDelete = "keep"
    """`keep` keeps the volume when its claim is deleted (reclaim policy Retain), `delete` lets the driver delete it."""

    relations: ClassVar[Relations] = (check("provisioner", "parameters", by=_parameters),)


class StorageClassClaimSettings(Section):
    """Arguments of `StorageClassClaim`."""

    namespace: Namespace
    """Namespace of the agent. It must exist."""
    release: ReleaseName
    """Release of the agent. The claim is named after it."""
    storage_class_name: Annotated[InputName, REQUIRED]
    """Name of the StorageClass: an output of a `CacheStorageClass`, or that of an existing one."""
    storage: Size = "90Gi"
    """Size of the volume, a Kubernetes quantity."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of the claim. A cache that several pods mount needs `ReadWriteMany`."""
    on_delete: OnDelete = "keep"
    """`keep` keeps the claim and its volume when this component is removed, `delete` deletes the claim."""

    relations: ClassVar[Relations] = (NOT_SHARED,)


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


def _bytes(storage: str) -> str:
    less = 0 < quantities.parse(storage) < quantities.MEBIBYTE
    return f"given {storage}, which is less than 1 MiB; sizes without a unit are bytes, write 90Gi" if less else ""


class StorageClassKind(CacheKind):
    """A cache whose volumes a CSI driver provisions. Every agent gets its own claim."""

    title: ClassVar[str] = "StorageClass"
    key_text: ClassVar[str] = "An existing StorageClass, with a claim for each agent."
    resources: ClassVar[str] = "kubernetes.storage_class"
    outlives_stack: ClassVar[bool] = True

    name: Annotated[Name, Required("give the name of an existing StorageClass")] = ""
    """Name of an existing StorageClass. Required."""
    storage: Annotated[Size, caution(_bytes)] = "90Gi"
    """Size of each claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of each claim. Controllers and task pods all mount it, so that anything but `ReadWriteMany` is a warning."""

    relations: ClassVar[Relations] = (NOT_SHARED,)

    def size(self) -> str | None:
        return self.storage

    def objects(self, release: str, namespace: str, _unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        return claim_manifests(release, namespace, storage_class_name=self.name, storage=self.storage, access_mode=self.access_mode)


KIND = StorageClassKind
