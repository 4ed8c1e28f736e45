"""The keys of the stack file for caches, apart from `model` because most commands do not need them."""

from typing import Annotated, Any

from pydantic import Field, create_model

from scalr_agents import caches
from scalr_agents.caches import OnDelete
from scalr_agents.caches.kind import CacheKind
from scalr_agents.model.fields import Name, unset
from scalr_agents.model.relations import exactly_one, no_effect
from scalr_agents.model.section import Section, in_stack_files


class CacheEntry(Section):
    """A shared cache. The description names the keys of which exactly one is to be set."""

    claim: Name = ""
    """Name of a PersistentVolumeClaim that exists in the agents' namespace. It must be `ReadWriteMany`."""
    on_delete: OnDelete = "keep"
    """What happens to the file system when the cache is removed from the stack: `keep` keeps and protects it, `delete` deletes it."""

    @property
    def given(self) -> dict[str, CacheKind]:
        """The kinds that are given, of which there should be one, by their keys."""
        kinds = {name: getattr(self, name, None) for name in caches.KINDS}
        return {name: kind for name, kind in kinds.items() if kind}

    @property
    def content(self) -> CacheKind | None:
        """The cache's own settings; `None` for a claim that exists."""
        return next(iter(self.given.values()), None)


def _file() -> type[Section]:
    """The part of a stack file about caches, with a key for each kind."""
    kinds: dict[str, type[CacheKind]] = {name: caches.find(name) for name in caches.KINDS}
    keys: dict[str, Any] = {name: (kind | None, Field(None, description=kind.key_text)) for name, kind in kinds.items()}
    *others, last = (f"`{in_stack_files(key)}`" for key in [*kinds, "claim"])
    described = f"A shared cache. Set exactly one of {', '.join(others)} and {last}."
    entry: Any = create_model("CacheEntry", __base__=CacheEntry, __doc__=described, __module__=__name__, **keys)
    existing = [f"{name}.{kind.existing}" for name, kind in kinds.items() if kind.existing]
    entry.relations = (
        exactly_one(*kinds, "claim"),
        no_effect("on_delete", when=(*existing, "claim"), because="the stack never deletes what exists already; remove it"),
    )
    named: Any = (dict[str, Annotated[entry, unset({})]], Field({}, description="Shared caches, by name."))
    return create_model("CachesOfFile", __base__=Section, __doc__=_file.__doc__, __module__=__name__, caches=named)


CachesOfFile = _file()
