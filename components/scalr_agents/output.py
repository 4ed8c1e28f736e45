"""Manifests as text."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.model import yaml_io
from scalr_agents.model.forms import Deferred, is_deferred
from scalr_agents.model.manifests import Manifest


def text(objects: Sequence[Manifest], form: str) -> str:
    """The objects as a stream of YAML documents, or as a JSON `List`. Deferred values are printed as their placeholders."""
    printable = [_printable(manifest) for manifest in objects]
    if form == "yaml":
        return yaml_io.dump(printable)
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": printable}, indent=2) + "\n"


def unknown(objects: Iterable[Manifest]) -> list[Deferred]:
    """The values that are printed as placeholders, each once."""
    values = {str(value): value for manifest in objects for value in _leaves(manifest) if is_deferred(value)}
    return [values[text] for text in sorted(values)]


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
