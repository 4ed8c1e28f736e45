"""Registers the caches of a stack: file systems in the cloud, and the claims that agents mount.

Each kind of cache has a module for that, which is found by name. The SDK of a cloud is imported only if the stack has a cache on it.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import pulumi

from scalr_agents.caches.kind import CacheKind
from scalr_agents.model.findings import Finding
from scalr_agents.model.spelling import in_stack_files
from scalr_agents.resources.validation import ArgsError
from scalr_agents.stack.cache_model import CacheEntry
from scalr_agents.stack.caches import Claim
from scalr_agents.stack.model import PREFIX

Found = Mapping[str, Any]
"""Results of lookups for caches, by the cache's name."""


def look_up(entries: Mapping[str, CacheEntry]) -> Found:
    """Look up all existing resources that caches name, before anything is created. Raises `ArgsError` with every failed lookup."""
    known: dict[str, Any] = {}
    found: dict[str, Any] = {}
    missing: list[Finding] = []
    for name, entry in entries.items():
        for key, kind in entry.given.items():
            resources = _resources(kind)
            subject = resources.subject(kind)
            if not subject:
                continue
            try:
                found[name] = known[subject] = known[subject] if subject in known else resources.look_up(subject, name)
            except ArgsError as problem:
                place = (f"{PREFIX}:caches", name, key)
                missing += [replace(finding, at=(*place, in_stack_files(finding.path))) for finding in problem.findings]
    if missing:
        raise ArgsError(f"stack {pulumi.get_stack()!r}", missing)
    return found


def file_system(name: str, entry: CacheEntry, found: Found) -> Any:
    """The cloud file system of a cache, a component; `None` if it has none."""
    kind = entry.content
    return _resources(kind).file_system(name, kind, found.get(name), keep=entry.on_delete == "keep") if kind else None


def claim(request: Claim, entry: CacheEntry, system: Any, opts: pulumi.ResourceOptions) -> Any:
    """A claim of the stack, a component with the resources that pods `mounts`."""
    return _resources(request.content).claim(
        f"{request.name}-cache", request, request.content, system, opts, keep=entry.on_delete == "keep"
    )


def _resources(kind: CacheKind) -> Any:
    return import_module(f"scalr_agents.resources.{kind.resources}")
