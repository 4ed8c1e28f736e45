"""The `CacheStorageClass` component."""

import pulumi

from scalr_agents.caches.storage_class.claim import class_manifest
from scalr_agents.caches.storage_class.settings import StorageClassSettings
from scalr_agents.resources.arguments.caches import CacheStorageClassArgs
from scalr_agents.resources.component import Component
from scalr_agents.resources.kubernetes import objects
from scalr_agents.resources.options import known_after
from scalr_agents.resources.validation import validate


class CacheStorageClass(Component):
    """A StorageClass whose volumes agents' pods can share and write to. Create it once per cluster."""

    storage_class_name: pulumi.Output[str]
    """Name of the StorageClass."""

    def __init__(self, name: str, args: CacheStorageClassArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("CacheStorageClass", name, StorageClassSettings, args)
        super().__init__("scalr-agents:index:CacheStorageClass", name, {}, opts)

        manifest = class_manifest(settings, keep=settings.on_delete == "keep")
        created = objects.register({"storage-class": manifest}, self, name, opts)["storage-class"]
        self.storage_class_name = known_after(created, settings.storage_class_name)
        self.publish()
