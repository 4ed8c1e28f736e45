"""Manifests as plain data."""

from collections.abc import Mapping
from typing import Any

Manifest = dict[str, Any]
"""A Kubernetes object as in the API: camelCase keys, JSON types; leaves may be deferred."""


def present(fields: Mapping[str, Any]) -> Manifest:
    """The fields without `None` and without empty strings, maps and lists. Zero and false are kept."""
    return {key: value for key, value in fields.items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | dict | list) and not value)
