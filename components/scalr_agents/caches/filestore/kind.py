"""Google Filestore as a cache of a stack: all agents share a volume, in which each has its own directory."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from scalr_agents.caches import volumes
from scalr_agents.caches.drivers import FILESTORE_DRIVER
from scalr_agents.caches.filestore.settings import INSTANCE_NAME, FilestoreSettings, instance_parts
from scalr_agents.caches.kind import CacheKind, is_existing
from scalr_agents.model.fields import Cloud
from scalr_agents.model.findings import Findings, warning
from scalr_agents.model.forms import Form
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, lookup


def volume_handle(instance_id: str, share_name: str) -> str:
    """The CSI driver's handle for the share of an instance."""
    parts = instance_parts(instance_id)
    return f"modeInstance/{parts['location']}/{parts['name']}/{share_name}"


def volume_manifests(
    release: str,
    namespace: str,
    handle: str | Deferred,
    *,
    ip_address: str | Deferred,
    share_name: str | Deferred,
    protocol: str | Deferred,
    capacity: str | Deferred,
) -> dict[str, Manifest]:
    """A volume for the share of a Filestore instance, and the claim on it.

    `handle` is `modeInstance/<location>/<instance>/<share>`. `fileProtocol` is set because the driver defaults to NFS 3, whatever
    the protocol of the instance.
    """
    csi = {
        "driver": FILESTORE_DRIVER,
        "volumeHandle": handle,
        "volumeAttributes": {"ip": ip_address, "volume": share_name, "fileProtocol": protocol},
    }
    return volumes.static_volume(release, namespace, csi, capacity, [])


class FilestoreKind(FilestoreSettings, CacheKind):
    """A cache on Google Filestore. Its agents must be in one namespace. They share a volume, in which each has its own directory."""

    title: ClassVar[str] = "Google Filestore"
    key_text: ClassVar[str] = "A new or existing instance of Google Filestore."
    resources: ClassVar[str] = "gcp.filestore"
    cloud: ClassVar[Cloud | None] = "gcp"
    existing: ClassVar[str] = "instance_id"
    is_shared: ClassVar[bool] = True
    name_form: ClassVar[Form] = INSTANCE_NAME

    def problems_of_pod(self, pod: Mapping[str, Any], what: str, _place: str) -> Findings:
        """The kubelet cannot give the volume to the group of pods without an fsGroup."""
        if lookup(pod, "securityContext", "fsGroup") is None:
            message = f"its {what} have no fsGroup and cannot write to the share, which belongs to root; set podSecurityContext.fsGroup"
            yield warning("", message)

    def size(self) -> str | None:
        """That of an existing instance is known only if it is given."""
        return None if is_existing(self) and "capacity" not in self.model_fields_set else self.capacity

    def gibibytes(self) -> int | None:
        return None if self.size() is None else self.capacity_gib

    def objects(self, release: str, namespace: str, unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        exists = is_existing(self)
        return volume_manifests(
            release,
            namespace,
            unknown("volumeHandle"),
            ip_address=unknown("ip"),
            share_name=unknown("volume") if exists else self.share_name,
            protocol=unknown("fileProtocol") if exists else self.protocol,
            capacity=self.size() or unknown("storage"),
        )


KIND = FilestoreKind
