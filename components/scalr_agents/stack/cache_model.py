"""The words of the stack file for caches, apart because most commands get by without them."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from scalr_agents.caches import OnDelete
from scalr_agents.caches.efs import OWNER, EfsClients, EfsSettings, PosixId
from scalr_agents.caches.filestore import ExportOption, FilestoreSettings
from scalr_agents.model.fields import AccessMode, Name, Quantity, unset
from scalr_agents.model.section import Section, default


class EfsClientsEntry(EfsClients):
    """Who may mount a file system."""

    model_config = ConfigDict(alias_generator=to_camel)


class EfsEntry(EfsSettings):
    """A cache on Amazon EFS. Every agent gets a directory, a volume and a claim of its own."""

    model_config = ConfigDict(alias_generator=to_camel)

    clients: EfsClientsEntry = default(EfsClientsEntry)
    """Who may mount it; with `eksCluster` beside the cluster's own security group."""
    uid: PosixId = OWNER
    """User that owns the files; the agents' pods must run as this user."""
    gid: PosixId = OWNER
    """Group that owns the files."""


class ExportOptionEntry(ExportOption):
    """Who may mount the share of an instance, and as whom."""

    model_config = ConfigDict(alias_generator=to_camel)


class FilestoreEntry(FilestoreSettings):
    """A cache on Google Filestore. Its agents are of one namespace and share a volume, with a directory each."""

    model_config = ConfigDict(alias_generator=to_camel)

    export_options: Annotated[Sequence[ExportOptionEntry], unset([])] = []
    """Who may mount the share. Default: everybody in the network."""


class StorageClassEntry(Section):
    """A cache that a CSI driver provisions, with a claim for every agent."""

    name: Name = ""
    """The StorageClass; it exists."""
    storage: Quantity = "90Gi"
    """Size of a claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """Access mode of a claim; several pods need ReadWriteMany."""


class CacheEntry(Section):
    """A shared cache: one of `efs`, `filestore`, `claim` and `storageClass`."""

    efs: EfsEntry | None = None
    """A file system on Amazon EFS."""
    filestore: FilestoreEntry | None = None
    """An instance of Google Filestore."""
    claim: Name = ""
    """Name of a claim that exists in the agents' namespace."""
    storage_class: StorageClassEntry | None = None
    """A StorageClass that exists."""
    on_delete: OnDelete = "keep"
    """What becomes of the files when the cache leaves the stack: `keep` leaves the file system and protects it, `delete` removes it."""


class CachesOfFile(Section):
    """What a stack file says about caches."""

    caches: dict[str, Annotated[CacheEntry, unset({})]] = {}
    """Shared caches, by name."""
