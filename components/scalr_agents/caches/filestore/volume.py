"""The volume for the share of a Filestore instance, and the claim on it."""

from scalr_agents.caches import volumes
from scalr_agents.caches.drivers import FILESTORE_DRIVER
from scalr_agents.caches.filestore.settings import instance_parts
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred


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
