"""The keys of the stack file for caches, apart from `model` because most commands do not need them."""

from typing import Annotated

from scalr_agents.caches import OnDelete
from scalr_agents.caches.efs import OWNER, EfsSettings, PosixId
from scalr_agents.caches.filestore import FilestoreSettings
from scalr_agents.model.fields import AccessMode, Name, Quantity, unset
from scalr_agents.model.section import Section


class EfsEntry(EfsSettings):
    """A cache on Amazon EFS. Every agent gets its own directory, volume and claim."""

    uid: PosixId = OWNER
    """Numeric ID of the user that owns the files. The agents' pods must run as this user."""
    gid: PosixId = OWNER
    """Numeric ID of the group that owns the files."""


class StorageClassEntry(Section):
    """A cache whose volumes a CSI driver provisions. Every agent gets its own claim."""

    name: Name = ""
    """Name of an existing StorageClass. Required."""
    storage: Quantity = "90Gi"
    """Size of each claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of each claim. A cache that several pods mount needs `ReadWriteMany`."""


class CacheEntry(Section):
    """A shared cache. Set exactly one of `efs`, `filestore`, `claim` and `storageClass`."""

    efs: EfsEntry | None = None
    """A new or existing file system on Amazon EFS."""
    filestore: FilestoreSettings | None = None
    """A new or existing instance of Google Filestore."""
    claim: Name = ""
    """Name of a PersistentVolumeClaim that exists in the agents' namespace."""
    storage_class: StorageClassEntry | None = None
    """An existing StorageClass, with a claim for each agent."""
    on_delete: OnDelete = "keep"
    """What happens to the file system when the cache is removed from the stack: `keep` keeps and protects it, `delete` deletes it."""


class CachesOfFile(Section):
    """The part of a stack file about caches."""

    caches: dict[str, Annotated[CacheEntry, unset({})]] = {}
    """Shared caches, by name."""
