"""The kinds of agents: what a user may say about each of them, and how that is checked.

A kind has one model for all versions of its agents: that of the newest, with the newest defaults. Where an older one differs, the
difference is data (`scalr_agents.charts.shared.versions`): values laid under the user's, and values that its agents do not know.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from scalr_agents.charts.shared import versions
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.values import ReleaseValues
from scalr_agents.model.findings import Finding, Path
from scalr_agents.model.layers import says
from scalr_agents.model.merge import lookup
from scalr_agents.model.release import Labels, Names, Naming, Release

Modern = tuple[Mapping[str, Any], list[Finding], list[Path]]
"""Values in the model's shape, an error for each that was not, and the paths that these have now."""


def _as_they_are(values: Mapping[str, Any]) -> Modern:
    return values, [], []


class Kind(NamedTuple):
    """A kind of agent."""

    model: type[ReleaseValues]
    check: Callable[[Any, Release, Inputs], Iterator[Finding]]
    names: Mapping[str, Callable[[str, str, str, Naming], Names]]
    """Names of the objects, from full name, namespace and service account, by the line's generation."""
    common: Callable[[Any], tuple[Labels, Mapping[str, Any]]] = lambda _: ({}, {})
    """Labels and annotations of all objects, from the values."""
    chart_names: Callable[[Names, str], Names] = lambda names, _: names
    """The chart's own names where they do not follow the full name, from our names and the label `app.kubernetes.io/name`."""
    modernize: Callable[[Mapping[str, Any]], Modern] = _as_they_are
    """Values of a shape that the chart once had, in that of the model."""


def find(chart: str) -> Kind:
    """The kind that a chart is for. Only what is used is imported."""
    kind: Kind = import_module(f"scalr_agents.charts.{chart.replace('-', '_')}.kind").KIND
    return kind


def keys(chart: str) -> frozenset[str]:
    """The keys at the top of a chart's values."""
    return frozenset(field.alias or name for name, field in find(chart).model.model_fields.items())


def unknown_to(chart: str, version: str, given: Mapping[str, Any]) -> Iterator[Finding]:
    """Values that the agents of a version do not know, with those that do."""
    table = versions.find(chart)
    for path in table.unknown(version):
        parts = path.split(".")
        if says(given, parts) and not _is_empty(lookup(given, *parts)):
            message = f"agents {table.ignorant(version, path)} do not know it; agents {table.knowing(path)} do (agent version)"
            yield Finding("error", path, f"unknown key {parts[-1]!r}: {message}")


def _is_empty(value: Any) -> bool:
    """Whether a value says nothing, as those that people copy from a chart's own file."""
    return all(map(_is_empty, value.values())) if isinstance(value, Mapping) else value is None or value in ("", [])
