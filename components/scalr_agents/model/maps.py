"""Nested maps of values: looking into them, merging and comparing them, and what counts as unset, empty or not known yet.

A *deferred* value is any object that is not plain Python data, such as a `pulumi.Output`: its content is known only during
deployment. The core passes it on into a manifest and never reads, formats or copies it. Fields typed with `Deferred` allow one.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import PurePath
from typing import Any, TypeGuard

Values = dict[str, Any]
_DATA = (str, int, float, bool, list, tuple, dict, type(None), bytes, bytearray, set, frozenset, complex, date, time, Decimal, PurePath)
"""Types of plain data: those of JSON, and others whose content is known at once."""


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


def everything(values: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Nested maps and lists, and everything in them, each with its path."""
    yield path, values
    for key, value in values.items() if isinstance(values, Mapping) else enumerate(values) if isinstance(values, list) else ():
        yield from everything(value, (*path, key))


def is_given(values: Any, path: Sequence[str | int]) -> bool:
    """Whether values set a path, even to null. Lists and scalars are set as a whole."""
    for part in path:
        if not isinstance(values, Mapping):
            return True
        if part not in values:
            return False
        values = values[part]
    return True


def is_empty(value: object) -> bool:
    """Whether a value is `None`, or an empty string, map or list. Zero and false are not empty."""
    return value is None or (isinstance(value, str | Mapping | list | tuple) and not value)


def is_blank(values: Any) -> bool:
    """Whether nested maps have only empty values, like those that users copy from a chart's own values file."""
    return all(map(is_blank, values.values())) if isinstance(values, Mapping) else is_empty(values)


class Deferred:
    """A value that is known only during deployment. Only for type annotations: the values can be of any class."""


class Placeholder(Deferred):
    """A deferred value in place of one that is unknown when manifests are only printed."""


def is_deferred(value: object) -> TypeGuard[Deferred]:
    return not isinstance(value, _DATA)


def is_set(value: object) -> bool:
    """Whether a value is set: not empty, zero or false, or deferred (its content is not known yet)."""
    return is_deferred(value) or bool(value)
