"""A StorageClass as a cache of a stack: a CSI driver provisions a volume for the claim of each agent."""

from collections.abc import Callable
from typing import Annotated, ClassVar

from scalr_agents.caches.kind import CacheKind
from scalr_agents.caches.storage_class.claim import claim_manifests
from scalr_agents.caches.storage_class.settings import NOT_SHARED
from scalr_agents.model import quantities
from scalr_agents.model.fields import AccessMode, Name, Size
from scalr_agents.model.forms import Required, caution
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred
from scalr_agents.model.relations import Relations


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
