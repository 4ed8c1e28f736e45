"""Settings that the stacks of a project share: `config` in `Pulumi.yaml`, read and refused as by Pulumi's engine.

A key is a declaration with a `value` or a `default`; a string, number, boolean or list is a short form of that. The name of a key may be
a path: `scalr-agents:common.url` sets `url` in each stack's `common`. What a stack sets itself takes precedence.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, as_path, error, unknown_key
from scalr_agents.model.findings import Path as KeyPath
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.merge import has, lookup
from scalr_agents.model.messages import describe

_KEYS = ("value", "default", "type", "items", "description", "secret")
_TYPES = ("string", "integer", "boolean", "array", "object")
_SHORT = (str, int, bool, list)
_ENCRYPTED = "an encrypted value works in stack files only; set it for each stack, with: pulumi config set --secret"
Config = Mapping[str, Mapping[str, Any]]
"""A stack's configuration: namespace, name, value."""


class Entry(NamedTuple):
    """A setting that a project declares."""

    key: str
    """The key as the file has it."""
    path: KeyPath
    """The namespace, the name, and the path below it."""
    content: Mapping[str, Any]
    """The declaration."""

    @property
    def field(self) -> str:
        """The key of the declaration that holds the value; empty if there is none."""
        return next((field for field in ("value", "default") if self.content.get(field) is not None), "")


def split(key: str, project: str) -> tuple[str, str]:
    """Namespace and name of a key. A key without a namespace is in the one of the project's name."""
    namespace, _, name = key.rpartition(":")
    return namespace.removesuffix(":config") or project, name


def read(config: Any, project: str) -> tuple[list[Entry], list[Finding]]:
    """What a project declares, in the order in which the engine applies it, and the findings on what the engine refuses."""
    if config is None or isinstance(config, str):  # a string is an earlier form of `stackConfigDir`
        return [], []
    if not isinstance(config, dict):
        return [], [error("config", f"expected a map, given {describe(config, repeated=False)}")]
    entries = [_entry(key, content, project) for key, content in sorted(config.items())]
    return entries, [finding.under(("config", each.key)) for each in entries for finding in _check(each, project)]


def _entry(key: str, content: Any, project: str) -> Entry:
    namespace, name = split(key, project)
    if isinstance(content, _SHORT):
        content = {"default" if namespace == project else "value": content}
    return Entry(key, (namespace, *as_path(name)), content)


def _check(entry: Entry, project: str) -> Iterator[Finding]:
    path, content = entry.path, entry.content
    if len(path) == 1 or ":" in str(path[0]):
        yield error((), "not a key of Pulumi's configuration, which has the form <namespace>:<name>")
    elif any(isinstance(part, int) for part in path):
        yield error((), "an item of a list; share the whole list")
    elif not isinstance(content, dict):
        yield error((), f"expected a map with the key `value`, given {describe(content, repeated=False)}")
    elif not content.keys() & set(_KEYS) and content:
        yield error((), "Pulumi refuses settings directly under this key; put them one level deeper, under `value:`")
    elif unknown := [key for key in content if key not in _KEYS]:
        yield from (error((key,), unknown_key(key, _KEYS)) for key in unknown)
    else:
        yield from _check_types(content)
        yield from _check_own(content) if path[0] == project else _check_foreign(content, project)


def _check_types(content: Mapping[str, Any]) -> Iterator[Finding]:
    for field, kind, expected in (("description", str, "a string"), ("secret", bool, "true or false"), ("items", dict, "a map")):
        if field in content and not isinstance(content[field], kind):
            yield error((field,), f"expected {expected}, given {describe(content[field], repeated=False)}")
    if content.get("type", _TYPES[0]) not in _TYPES:
        yield error(("type",), f"given {describe(content['type'], repeated=True)}; allowed: {', '.join(_TYPES)}")
    if content.get("value") is not None and content.get("default") is not None:
        yield error((), "set exactly one of value and default")
    yield from (error((field,), _ENCRYPTED) for field in ("value", "default") if _is_encrypted(content.get(field)))


def _check_own(content: Mapping[str, Any]) -> Iterator[Finding]:
    """A key of the project's own namespace, for which it may declare a type."""
    kind, items, value = content.get("type"), content.get("items"), content.get("default")
    if kind == "array" and items is None:
        yield error((), "requires `items`, because its type is array: items: {type: ...}")
    elif kind in _TYPES and value is not None and not _fits(kind, items, value):
        yield error(("default",), f"not of the declared type {kind}, given {describe(value, repeated=False)}")


def _check_foreign(content: Mapping[str, Any], project: str) -> Iterator[Finding]:
    """A key of another namespace, which has a value and nothing else."""
    reason = f"only keys of the project's own namespace, {project}, may have it"
    if content.get("default") is not None:
        yield error(("default",), f"{reason}; use value")
    elif content.get("value") is None:
        yield error((), "missing `value`; add it, or remove the key")
    if "type" in content:
        yield error(("type",), f"{reason}; remove it")


def applied(entries: list[Entry], config: Config) -> tuple[Config, list[Entry]]:
    """A stack's configuration with the project's settings, and the entries that have set something."""
    used = [entry for entry in entries if entry.field and not has(config, entry.path) and not _obstacle(config, entry.path)]
    for entry in used:
        if not has(config, entry.path):  # of two keys for the same setting, the first counts
            config = _placed(config, entry.path, entry.content[entry.field])
    return config, used


def refused(entries: list[Entry], config: Config) -> Iterator[Finding]:
    """Findings on a stack's configuration that does not match what the project declares. Their paths begin with namespace and name."""
    for entry in entries:
        kind, items, value = entry.content.get("type"), entry.content.get("items"), lookup(config, *map(str, entry.path))
        if place := _obstacle(config, entry.path):
            given = describe(lookup(config, *map(str, place)), repeated=False)
            yield error(place, f"expected a map, because Pulumi.yaml sets {entry.key}; given {given}")
        elif not has(config, entry.path):
            yield error(entry.path, "missing: Pulumi.yaml declares it without a value; set it here, or add `value` there")
        elif kind and entry.content.get("secret") and not _is_sealed(value):
            yield error(entry.path, "Pulumi.yaml declares it as a secret; encrypt it with: pulumi config set --secret")
        elif kind and not _fits(kind, items, _as_text(value, shared=entry.field)):
            yield error(entry.path, f"not of the type {kind}, which Pulumi.yaml declares; given {describe(value, repeated=False)}")


def _obstacle(config: Config, path: KeyPath) -> KeyPath:
    """The beginning of a path at which a stack has no map. For null, and for a whole key that is no list, the engine makes one."""
    namespace, name, *below = map(str, path)
    content = lookup(config, namespace, name)
    if not isinstance(content, dict):
        return (namespace, name) if isinstance(content, list) and below else ()
    for depth in range(1, len(below)):
        content = lookup(config, namespace, name, *below[:depth])
        if content is not None and not isinstance(content, dict):
            return (namespace, name, *below[:depth])
    return ()


def _placed(content: Any, path: KeyPath, value: Any) -> Any:
    if not path:
        return value
    inside = content if isinstance(content, Mapping) else {}
    return {**inside, path[0]: _placed(inside.get(path[0]), path[1:], value)}


def _fits(kind: str, items: Any, value: Any) -> bool:
    """Whether a value is of a declared type. That of a secret is known to the engine only."""
    if is_deferred(value):
        return kind not in ("array", "object")
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return (isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()) or (
                isinstance(value, str) and bool(re.fullmatch(r"[-+]?[0-9]+", value))
            )
        case "boolean":
            return isinstance(value, bool) or value in ("true", "false")
        case "object":
            return isinstance(value, dict)
    of_items = items if isinstance(items, dict) else {}
    return isinstance(value, list) and all(_fits(str(of_items.get("type")), of_items.get("items"), item) for item in value)


def _as_text(value: Any, *, shared: str) -> Any:
    """A value as the engine has it: those that are no maps or lists are text."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int) or (isinstance(value, float) and not shared) else value


def _is_encrypted(value: Any) -> bool:
    if isinstance(value, dict):
        return set(value) == {"secure"} or any(map(_is_encrypted, value.values()))
    return isinstance(value, list) and any(map(_is_encrypted, value))


def _is_sealed(value: Any) -> bool:
    """Whether a value of a stack is encrypted, or a part of it."""
    if isinstance(value, dict | list):
        return any(map(_is_sealed, value.values() if isinstance(value, dict) else value))
    return is_deferred(value)
