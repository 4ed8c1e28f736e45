"""Caches provisioned by a CSI driver: a StorageClass for the EFS or the Filestore driver, and a claim on any class."""

from typing import Literal, NamedTuple

from scalr_agents.caches.efs import OWNER
from scalr_agents.model import checks
from scalr_agents.model.clouds import EFS_DRIVER
from scalr_agents.model.fields import AccessMode, InputMap, InputName, InputText, Name, Quantity
from scalr_agents.model.findings import Findings, entry, error, unknown_key
from scalr_agents.model.forms import is_set
from scalr_agents.model.section import Section

FILESTORE_DRIVER = "filestore.csi.storage.gke.io"
Provisioner = Literal["efs.csi.aws.com", "filestore.csi.storage.gke.io"]


class Driver(NamedTuple):
    """The StorageClass parameters of a CSI driver."""

    parameters: tuple[str, ...]
    defaults: dict[str, str]
    needed: tuple[str, ...]


DRIVERS = {
    EFS_DRIVER: Driver(
        parameters=(
            "provisioningMode",
            "fileSystemId",
            "directoryPerms",
            "uid",
            "gid",
            "gidRangeStart",
            "gidRangeEnd",
            "basePath",
            "subPathPattern",
            "ensureUniqueDirectory",
            "reuseAccessPoint",
            "enforceZoneAffinity",
            "enableTagging",
            "az",
        ),
        defaults={
            "provisioningMode": "efs-ap",
            "directoryPerms": "775",
            "uid": str(OWNER),
            "gid": str(OWNER),
            "basePath": "/scalr-agent-cache",
        },
        needed=("fileSystemId",),
    ),
    FILESTORE_DRIVER: Driver(
        parameters=(
            "tier",
            "network",
            "connect-mode",
            "reserved-ipv4-cidr",
            "reserved-ip-range",
            "instance-encryption-kms-key",
            "labels",
            "protocol",
            "nfs-export-options-on-create",
            "multishare",
            "max-volume-size",
        ),
        defaults={"tier": "basic_hdd", "network": "default"},
        needed=(),
    ),
}


class StorageClassSettings(Section):
    """A StorageClass for the EFS or the Filestore driver."""

    storage_class_name: Name
    provisioner: Provisioner
    parameters: InputMap = {}


class StorageClassClaimSettings(Section):
    """The claim of one agent, provisioned by a StorageClass."""

    namespace: str
    release: str
    storage_class_name: InputName
    storage: Quantity = "90Gi"
    access_mode: AccessMode = "ReadWriteMany"


def check_class(settings: StorageClassSettings) -> Findings:
    driver = DRIVERS[settings.provisioner]
    if not settings.storage_class_name:
        yield error("storage_class_name", "missing")
    for key in settings.parameters:
        if key not in driver.parameters:
            yield error(entry("parameters", key), unknown_key(key, driver.parameters))
    for key, other in (("gidRangeStart", "gidRangeEnd"), ("gidRangeEnd", "gidRangeStart")):
        if key in settings.parameters and other not in settings.parameters:
            yield error(f"parameters.{key}", f"requires {other}")
    for key in driver.needed:
        if not is_set(settings.parameters.get(key)):
            yield error(f"parameters.{key}", f"missing: {settings.provisioner} requires it")


def parameters(settings: StorageClassSettings) -> dict[str, InputText]:
    """The given parameters merged over defaults for the agent's pods. A range of group IDs replaces the default owner."""
    defaults = DRIVERS[settings.provisioner].defaults
    if "gidRangeStart" in settings.parameters:
        defaults = {key: value for key, value in defaults.items() if key not in ("uid", "gid")}
    return {**defaults, **settings.parameters}


def check_claim(claim: StorageClassClaimSettings) -> Findings:
    yield from checks.place(claim.release, claim.namespace)
    if not is_set(claim.storage_class_name):
        yield error("storage_class_name", "missing")
    yield from checks.quantity("storage", claim.storage)
    yield from checks.shared_cache("access_mode", claim.access_mode)
