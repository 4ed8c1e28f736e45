"""Manifests as text and as files."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scalr_agents import yaml_io
from scalr_agents.manifests.objects import Manifest
from scalr_agents.values.fields import Deferred, is_deferred

_PRIVATE = 0o600
_PUBLIC = 0o644


def text(objects: Sequence[Manifest], form: str) -> str:
    """The objects as a stream of YAML documents, or as a JSON `List`. Deferred values are printed as their placeholders."""
    printable = [_printable(manifest) for manifest in objects]
    if form == "yaml":
        return yaml_io.dump(printable)
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": printable}, indent=2) + "\n"


def unknown(objects: Iterable[Manifest]) -> list[Deferred]:
    """What is printed as a placeholder, each once."""
    values = {str(value): value for manifest in objects for value in _leaves(manifest) if is_deferred(value)}
    return [values[text] for text in sorted(values)]


def write(objects: Sequence[Manifest], directory: Path, form: str) -> list[Manifest]:
    """One file per object, those with Secrets readable by their owner alone.

    Objects of which something is not known are left out, since applying a placeholder would destroy the real one; they are returned.
    """
    left_out = [manifest for manifest in objects if unknown([manifest])]
    directory.mkdir(parents=True, exist_ok=True)
    for manifest in objects:
        if manifest in left_out:
            continue
        content = yaml_io.dump([manifest]) if form == "yaml" else json.dumps(manifest, indent=2) + "\n"
        _write_file(directory / f"{_file_name(manifest)}.{form}", content, _PRIVATE if manifest["kind"] == "Secret" else _PUBLIC)
    return left_out


def _file_name(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return "_".join(part for part in (metadata.get("namespace"), manifest["kind"].lower(), metadata["name"]) if part)


def _write_file(file: Path, content: str, mode: int) -> None:
    """Never wider than its mode, not even for a moment, and not where an older file was wider."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as handle:
        os.fchmod(handle.fileno(), mode)
        handle.write(content)


def _printable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _printable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_printable(item) for item in value]
    return str(value) if is_deferred(value) else value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(item)
    else:
        yield value
