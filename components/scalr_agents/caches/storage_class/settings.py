"""The settings of a StorageClass for a known driver, and of a claim on any class."""

from typing import Annotated, Any, ClassVar

from scalr_agents.caches import OnDelete
from scalr_agents.caches.drivers import DRIVERS, Provisioner
from scalr_agents.model.fields import AccessMode, InputMap, InputName, Name, Namespace, ReleaseName, Size
from scalr_agents.model.findings import Findings, error, unknown_key
from scalr_agents.model.forms import REQUIRED
from scalr_agents.model.maps import is_set
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
