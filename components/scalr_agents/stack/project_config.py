"""Settings that the stacks of a project share: `config` in `Pulumi.yaml`, read as Pulumi's engine reads it.

A key is a declaration with a `value` or a `default`; anything but a map is a short form of that. The name of a key may be a path:
`scalr-agents:common.url` sets `url` in each stack's `common`. What a stack sets itself takes precedence. The engine also refuses what is no
error here, such as a value of another type than the declared one.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, Path as KeyPath, as_path, error
from scalr_agents.model.maps import has, lookup
from scalr_agents.model.texts import describe

_KEYS = {"value", "default", "type", "items", "description", "secret"}
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
    """What a project declares, in the order in which the engine applies it, and findings on what cannot be read."""
    if config is None or isinstance(config, str):  # a string is an earlier form of `stackConfigDir`
        return [], []
    if not isinstance(config, dict):
        return [], [error("config", f"expected a map, given {describe(config, repeated=False)}")]
    entries = [_entry(key, content, project) for key, content in sorted(config.items())]
    return entries, [finding.under(("config", each.key)) for each in entries for finding in _check(each)]


def _entry(key: str, content: Any, project: str) -> Entry:
    namespace, name = split(key, project)
    return Entry(key, (namespace, *as_path(name)), content if isinstance(content, dict) else {"value": content})


def _check(entry: Entry) -> Iterator[Finding]:
    if len(entry.path) == 1 or ":" in str(entry.path[0]):
        yield error((), "not a key of Pulumi's configuration, which has the form <namespace>:<name>")
    elif any(isinstance(part, int) for part in entry.path):
        yield error((), "an item of a list; share the whole list")
    elif not entry.content.keys() <= _KEYS:
        yield error((), "Pulumi refuses settings directly under this key; put them one level deeper, under `value:`")


def applied(entries: list[Entry], config: Config) -> tuple[Config, list[Entry]]:
    """A stack's configuration with the project's settings, and the entries that have set something."""
    used = [entry for entry in entries if entry.field and _is_free(config, entry.path)]
    for entry in used:
        if not has(config, entry.path):  # of two keys for the same setting, the first counts
            config = _placed(config, entry.path, entry.content[entry.field])
    return config, used


def _is_free(config: Config, path: KeyPath) -> bool:
    """Whether a stack leaves a setting open. For null, and for a whole key that is no list, the engine makes a map."""
    namespace, name, *below = map(str, path)
    if not below:
        return name not in config.get(namespace, {})
    content = lookup(config, namespace, name)
    if not isinstance(content, dict):
        return not isinstance(content, list)
    *parents, last = below
    for parent in parents:
        content = content.get(parent)
        if not isinstance(content, dict):
            return content is None
    return last not in content


def _placed(content: Any, path: KeyPath, value: Any) -> Any:
    if not path:
        return value
    inside = content if isinstance(content, Mapping) else {}
    return {**inside, path[0]: _placed(inside.get(path[0]), path[1:], value)}
