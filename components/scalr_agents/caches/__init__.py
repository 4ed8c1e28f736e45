"""Settings of shared caches: cloud file systems and the claims on them."""

from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from scalr_agents.caches.kind import CacheKind

OnDelete = Literal["keep", "delete"]
"""What happens to a file system when it is removed from the program or the stack file."""
KINDS = {
    "efs": "scalr_agents.caches.efs",
    "filestore": "scalr_agents.caches.filestore.kind",
    "storage_class": "scalr_agents.caches.storage_class",
}
"""The module of each kind of cache, by its key in a stack file."""


def find(name: str) -> "type[CacheKind]":
    """A kind of cache by its name, imported when it is needed."""
    kind: type[CacheKind] = import_module(KINDS[name]).KIND
    return kind
