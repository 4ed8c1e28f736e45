"""A StorageClass as a cache of a stack: a CSI driver provisions a volume for the claim of each agent."""

from collections.abc import Callable
from typing import ClassVar

from scalr_agents.caches.kind import CacheKind
from scalr_agents.caches.storage_class.checks import check
from scalr_agents.caches.storage_class.claim import claim_manifests
from scalr_agents.model import checks
from scalr_agents.model.fields import AccessMode, Name, Quantity
from scalr_agents.model.findings import Findings
from scalr_agents.model.forms import Deferred
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.spelling import Spelling


class StorageClassKind(CacheKind):
    """A cache whose volumes a CSI driver provisions. Every agent gets its own claim."""

    title: ClassVar[str] = "StorageClass"
    key_text: ClassVar[str] = "An existing StorageClass, with a claim for each agent."
    resources: ClassVar[str] = "kubernetes.storage_class"
    outlives_stack: ClassVar[bool] = True

    name: Name = ""
    """Name of an existing StorageClass. Required."""
    storage: Quantity = "90Gi"
    """Size of each claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of each claim. A cache that several pods mount needs `ReadWriteMany`."""

    def check(self, spelling: Spelling) -> Findings:
        yield from check(self.name, self.storage)
        yield from checks.shared_cache(spelling("access_mode"), self.access_mode)

    def size(self) -> str | None:
        return self.storage

    def objects(self, release: str, namespace: str, _unknown: Callable[[str], Deferred]) -> dict[str, Manifest]:
        return claim_manifests(release, namespace, storage_class_name=self.name, storage=self.storage, access_mode=self.access_mode)


KIND = StorageClassKind
