"""Manifests as plain data."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Manifest = dict[str, Any]
"""A Kubernetes object as in the API: camelCase keys, JSON types; leaves may be deferred."""


class Key(NamedTuple):
    """An object: its kind, namespace (empty for the cluster) and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def place(self) -> str:
        """The object with its namespace."""
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else str(self)


def key_of(manifest: Manifest) -> Key:
    metadata = manifest["metadata"]
    return Key(manifest["kind"], metadata.get("namespace", ""), metadata["name"])


def present(fields: Mapping[str, Any]) -> Manifest:
    """The fields without `None` and without empty strings, maps and lists. Zero and false are kept."""
    return {key: value for key, value in fields.items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | dict | list) and not value)
