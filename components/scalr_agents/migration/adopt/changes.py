"""Compares the objects of a manifest with those of a stack, field by field."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.corrections import ABSENT, ORDER, TIMES, Change
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.merge import lookup
from scalr_agents.model.release import COMPONENT

_KEYS = ("mountPath", "name")
"""Keys that identify the items of a list, if every item has one. Other lists are compared as a whole."""
_OPEN = ("annotations", "labels", "matchLabels")
"""Maps whose entries are compared one by one, even if one side has no map."""


def between(before: Sequence[Manifest], after: Sequence[Manifest]) -> list[Change]:
    """All differences between old and new objects, matched by kind and name. `null` counts as absent.

    Of Secrets only the keys are compared, not their content.
    """
    old, new = ({(item["kind"], item["metadata"]["name"]): _comparable(item) for item in side} for side in (before, after))
    found = []
    for identity in {**new, **old}:
        was, becomes = old.get(identity, ABSENT), new.get(identity, ABSENT)
        component = str(lookup(becomes if was is ABSENT else was, "metadata", "labels", COMPONENT) or "")
        whole = was is ABSENT or becomes is ABSENT
        differing = [("", was, becomes)] if whole else _differences(was, becomes, "")
        found += [Change(*identity, path, one, other, component) for path, one, other in differing]
    return found


def _comparable(item: Manifest) -> Manifest:
    """The object. A Secret has only its keys, whether it is given with `data` or `stringData`."""
    if item["kind"] != "Secret":
        return item
    keys = dict.fromkeys(_data_of(item), "not compared")
    return {key: value for key, value in item.items() if key != "stringData"} | {"type": item.get("type") or "Opaque", "data": keys}


def _data_of(secret: Manifest) -> dict[str, Any]:
    """The content of a Secret, by key, in base64 or not."""
    forms = (secret.get("data"), secret.get("stringData"))
    return {key: content for form in forms if isinstance(form, Mapping) for key, content in form.items()}


def _differences(was: Any, becomes: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if path.endswith(_OPEN):
        was, becomes = ({} if side is ABSENT else side for side in (was, becomes))
    if isinstance(was, Mapping) and isinstance(becomes, Mapping) and ("valueFrom" in was) is ("valueFrom" in becomes):
        for key in {**becomes, **was}:
            yield from _differences(_of(was, key), _of(becomes, key), _below(path, str(key)))
        return
    old, new = _by_key(was), _by_key(becomes)
    if old is not None and new is not None:
        for key in {**new, **old}:
            yield from _differences(old.get(key, ABSENT), new.get(key, ABSENT), f"{path}[{key}]")
        yield from _order(was, becomes, path)
    elif was != becomes or isinstance(was, bool) is not isinstance(becomes, bool):
        yield path, was, becomes


def _of(fields: Mapping[str, Any], key: str) -> Any:
    value = fields.get(key)
    return ABSENT if value is None else value


def _by_key(value: Any) -> dict[str, Any] | None:
    """The items of a list by their key. Of several variables with one name, the last counts, as in Kubernetes."""
    if not isinstance(value, list) or not value or not all(isinstance(item, Mapping) for item in value):
        return None
    for key in _KEYS:
        if all(isinstance(item.get(key), str) for item in value):
            return {item[key]: item for item in value}
    return None


def _order(was: list[Any], becomes: list[Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    """Differences in the order of common items, and items that occur several times in one list."""
    old, new = _names(was), _names(becomes)
    for name in dict.fromkeys(name for name in [*old, *new] if (old.count(name), new.count(name)) not in {(1, 1), (1, 0), (0, 1)}):
        yield f"{path}[{name}]{TIMES}", old.count(name), new.count(name)
    common = [name for name in dict.fromkeys(old) if name in new]
    if common != (reordered := [name for name in dict.fromkeys(new) if name in old]):
        yield f"{path}{ORDER}", common, reordered


def _names(items: list[Any]) -> list[str]:
    key = next(key for key in _KEYS if all(isinstance(item.get(key), str) for item in items))
    return [item[key] for item in items]


def _below(path: str, key: str) -> str:
    if "." in key or "/" in key:
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def secrets_of(objects: Sequence[Manifest]) -> set[str]:
    """The content of all Secrets of a manifest, as text."""
    contents = [content for item in objects if item["kind"] == "Secret" for content in _data_of(item).values() if isinstance(content, str)]
    return {text for content in contents for text in (content, decoded_text(content)) if text}


def decoded_text(text: Any) -> str:
    """The decoded text, or an empty one if the text is not base64."""
    try:
        return base64.b64decode(text, validate=True).decode() if isinstance(text, str) else ""
    except (binascii.Error, ValueError):
        return ""
