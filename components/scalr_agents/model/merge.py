"""Merging of values as Helm does it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Values = dict[str, Any]


def merge(base: Mapping[str, Any], override: Mapping[str, Any]) -> Values:
    """`override` merged over `base`: maps are merged key by key, lists and scalars are replaced.

    A `null` of `override` stays `null`, so that it can still unset a default in a later step. Leaves are passed on and never
    copied: they may be outputs of other resources.
    """
    merged = dict(base)
    for key, value in override.items():
        under = merged.get(key)
        merged[key] = merge(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return merged


def coalesce(default: Mapping[str, Any], given: Mapping[str, Any]) -> Values:
    """`given` merged over `default`; a `null` removes the key, at any depth."""
    return without_nulls(merge(default, given))


def without_nulls(values: Mapping[str, Any]) -> Values:
    """The map without `null` entries at any depth of maps (lists are not changed)."""
    return {key: without_nulls(value) if isinstance(value, Mapping) else value for key, value in values.items() if value is not None}


def lookup(values: Any, *parts: str) -> Any:
    """The value at a path of nested maps, or `None`."""
    for part in parts:
        values = values.get(part) if isinstance(values, Mapping) else None
    return values


def has(values: Any, path: Sequence[str | int]) -> bool:
    """Whether nested maps have a path, even with `null` there. Lists and scalars have none."""
    for part in path:
        if not isinstance(values, Mapping) or part not in values:
            return False
        values = values[part]
    return True


def without(values: Mapping[str, Any], key: str, *below: str) -> Values:
    """The values without the one at a path, and without maps that become empty."""
    if below and not isinstance(values.get(key), Mapping):
        return dict(values)
    rest = without(values[key], *below) if below else {}
    if below and rest == values[key]:
        return dict(values)
    return {other: rest if other == key else value for other, value in values.items() if other != key or rest}


def nested(path: Sequence[str], value: Any) -> Any:
    """Nested maps with a value at a path, and nothing else."""
    for key in reversed(path):
        value = {key: value}
    return value


def leaves(values: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of everything in nested maps that is no map."""
    if not isinstance(values, Mapping):
        yield path
        return
    for key, value in values.items():
        yield from leaves(value, (*path, key))
