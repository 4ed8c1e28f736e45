"""What taking over a release changes on the cluster: its objects compared with those of the stack, and listed without secrets."""

import base64
import binascii
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents import charts
from scalr_agents.charts.shared import crds
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.corrections import ABSENT, ORDER, TIMES, Change
from scalr_agents.migration.adopt.release import About
from scalr_agents.model import secret_patterns
from scalr_agents.model.findings import Finding, warning
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import lookup
from scalr_agents.model.release import COMPONENT

_KEYS = ("mountPath", "name")
"""Keys that identify the items of a list, if every item has one. Other lists are compared as a whole."""
_OPEN = ("annotations", "labels", "matchLabels")
"""Maps whose entries are compared one by one, even if one side has no map."""
_LONGEST = 100
_SHORTEST_PART = 4
"""Shortest secret that is searched for inside other texts."""
_HIDDEN = "(not shown)"
_VARIABLE = re.compile(r"\.env\[(?P<name>[^\]]*)\](\.value)?")
_ANNOTATION = re.compile(r"annotations[.\[](?P<name>[^\]]+)")
_DIGEST = "[checksum/secrets]"


class Listed(NamedTuple):
    """What changes on the cluster."""

    corrections: Mapping[str, Sequence[Change]]
    """Changes by corrections, by their row in docs/helm-differences.md."""
    others: Sequence[Change]
    """All other changes."""
    secrets: Collection[str]
    """Texts that are never shown."""

    def findings(self) -> Iterator[Finding]:
        """A warning for each change that is not a correction."""
        for change in self.others:
            field = f"{change.kind} {change.name}" + (f": {change.path}" if change.path else "")
            yield warning((), f"{field}: {self._described(change)}; not a correction")

    def lines(self) -> Iterator[str]:
        """The changes by corrections. Equal changes of several objects are one line."""
        for row, its_changes in self.corrections.items():
            yield row
            alike: dict[str, list[str]] = {}
            for change in its_changes:
                text = f"{change.path}: {self._described(change)}" if change.path else self._described(change)
                alike.setdefault(text, []).append(f"{change.kind} {change.name}")
            yield from (f"  {', '.join(names)}: {text}" for text, names in alike.items())

    def _described(self, change: Change) -> str:
        if not change.path:
            return "is new" if change.was is ABSENT else "is not in the stack, and stays in the cluster"
        if change.path.endswith(ORDER):
            return "changes"
        if change.path.endswith(_DIGEST):
            return "a digest is new" if change.was is ABSENT else "the digest changes"
        was, becomes = (self._shown(change.path, value) for value in (change.was, change.becomes))
        if change.was is ABSENT:
            return f"{becomes} is new"
        return f"{was} is not in the stack" if change.becomes is ABSENT else f"{was} becomes {becomes}"

    def _shown(self, path: str, value: Any) -> str:
        variable, annotation = _VARIABLE.search(path), _ANNOTATION.search(path)
        name = variable["name"] if variable else annotation["name"] if annotation else ""
        within = "annotations" if path.endswith("annotations") else ""
        text = json.dumps(self._safe(value, name, within), ensure_ascii=False, default=str)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"

    def _safe(self, value: Any, name: str, within: str = "") -> Any:
        """The value without possible secrets, in a variable or annotation of this name."""
        if isinstance(value, Mapping):
            variable = str(value.get("name", name))
            names = {key: str(key) if within == "annotations" else variable if key == "value" else "" for key in value}
            return {key: self._safe(item, names[key], str(key)) for key, item in value.items()}
        if isinstance(value, list):
            announced = any(isinstance(item, str) and secret_patterns.named_like_a_secret(item.lstrip("-")) for item in value)
            return [_HIDDEN if announced and isinstance(item, str) else self._safe(item, name) for item in value]
        return _HIDDEN if isinstance(value, str) and self._is_secret(value, name.rpartition("/")[2]) else value

    def _is_secret(self, text: str, name: str) -> bool:
        if secret_patterns.is_secret(name, text) or secret_patterns.in_text(text) or secret_patterns.announces_secret(text):
            return True
        if any(secret == text or (len(secret) >= _SHORTEST_PART and secret in text) for secret in self.secrets if secret):
            return True
        decoded = _decoded(text)
        return bool(decoded) and self._is_secret(decoded, name)


def compare(agent: AnyAgent, manifest: Sequence[Manifest], about: About, values: Mapping[str, Any], taken: Collection[str]) -> Listed:
    """The objects of a release, as its manifest has them, compared with those of an agent.

    `values` are all values of the release, `taken` the secrets that were among them.
    """
    # with a digest if the agent has secrets (Helm has none), and with the definitions if the manifest has any
    objects = [*agent.by_role(_DIGEST if any(agent.secret_data.values()) else None).values()]
    if any(item["kind"] == "CustomResourceDefinition" for item in manifest):
        objects = [*crds.objects(agent.release.line).values(), *objects]
    rules = charts.find(about.chart).versions.corrections
    by_row: dict[str, list[Change]] = {}
    others = []
    for change in between(manifest, objects):
        row = next((rule.row for rule in rules if rule.fits(change, values, about.chart_version)), None)
        if row is None:
            others.append(change)
        else:
            by_row.setdefault(row, []).append(change)
    contents = [text for item in manifest if item["kind"] == "Secret" for text in _data_of(item).values() if isinstance(text, str)]
    return Listed(by_row, others, {*taken, *contents, *map(_decoded, contents)} - {""})


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
            one, other = (ABSENT if side.get(key) is None else side[key] for side in (was, becomes))
            name = str(key)
            below = f"{path}[{name}]" if "." in name or "/" in name else f"{path}.{name}" if path else name
            yield from _differences(one, other, below)
        return
    old, new = _named(was), _named(becomes)
    if old and new:
        ours, theirs = dict(new), dict(old)  # of several variables with one name, the last counts, as in Kubernetes
        for name in {**ours, **theirs}:
            yield from _differences(theirs.get(name, ABSENT), ours.get(name, ABSENT), f"{path}[{name}]")
        yield from _order([name for name, _ in old], [name for name, _ in new], path)
    elif was != becomes or isinstance(was, bool) is not isinstance(becomes, bool):
        yield path, was, becomes


def _named(value: Any) -> list[tuple[str, Any]]:
    """The items of a list with their names; nothing unless every item has one."""
    if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        for key in _KEYS:
            if all(isinstance(item.get(key), str) for item in value):
                return [(item[key], item) for item in value]
    return []


def _order(old: Sequence[str], new: Sequence[str], path: str) -> Iterator[tuple[str, Any, Any]]:
    """Differences in the order of common names, and names that occur several times in one list."""
    for name in dict.fromkeys([*old, *new]):
        if max(old.count(name), new.count(name)) > 1:
            yield f"{path}[{name}]{TIMES}", old.count(name), new.count(name)
    common, reordered = ([name for name in dict.fromkeys(one) if name in other] for one, other in ((old, new), (new, old)))
    if common != reordered:
        yield f"{path}{ORDER}", common, reordered


def _decoded(text: str) -> str:
    """The decoded text, or an empty one if the text is not base64."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
