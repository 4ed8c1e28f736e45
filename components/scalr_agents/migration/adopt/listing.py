"""The list of changes on the cluster, without secrets."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scalr_agents import charts
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.corrections import ABSENT, ORDER, Change
from scalr_agents.charts.shared.manifests import crds
from scalr_agents.migration.adopt import changes
from scalr_agents.migration.adopt.about import About
from scalr_agents.model import secret_patterns
from scalr_agents.model.findings import Finding, warning
from scalr_agents.model.manifests import Manifest

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
        if change.path.endswith(_DIGEST) and change.was is not ABSENT:
            return "the digest changes"
        was, becomes = (self._shown(change.path, value) for value in (change.was, change.becomes))
        if change.was is ABSENT:
            return f"{becomes} is new"
        return f"{was} is not in the stack" if change.becomes is ABSENT else f"{was} becomes {becomes}"

    def _shown(self, path: str, value: Any) -> str:
        if path.endswith(_DIGEST):
            return "a digest"
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
        decoded = changes.decoded_text(text)
        return bool(decoded) and self._is_secret(decoded, name)


def compare(agent: AnyAgent, manifest: Sequence[Manifest], about: About, values: Mapping[str, Any], taken: Collection[str]) -> Listed:
    """The objects of a release, as its manifest has them, compared with those of an agent.

    `values` are all values of the release, `taken` the secrets that were among them.
    """
    by_row: dict[str, list[Change]] = {}
    others = []
    for change in changes.between(manifest, _objects(agent, manifest)):
        row = row_of(change, about.chart, about.chart_version, values)
        if row is None:
            others.append(change)
        else:
            by_row.setdefault(row, []).append(change)
    return Listed(by_row, others, {*taken, *changes.secrets_of(manifest)})


def _objects(agent: AnyAgent, manifest: Sequence[Manifest]) -> list[Manifest]:
    """The objects of an agent, with a digest if it has secrets (Helm has none), and with the definitions if the manifest has any."""
    objects = agent.by_role(_DIGEST if any(agent.secret_data.values()) else None).values()
    has_definitions = any(item["kind"] == "CustomResourceDefinition" for item in manifest)
    return [*(crds.objects(agent.release.line).values() if has_definitions else ()), *objects]


def rows(chart: str) -> list[str]:
    """The rows of docs/helm-differences.md that a chart's changes may belong to."""
    return list(dict.fromkeys(rule.row for rule in charts.find(chart).versions.corrections))


def row_of(change: Change, chart: str, chart_version: str, values: Mapping[str, Any]) -> str | None:
    """The row of a change; `None` if no correction makes it. `values` are all values of the release."""
    return next((rule.row for rule in charts.find(chart).versions.corrections if rule.fits(change, values, chart_version)), None)
