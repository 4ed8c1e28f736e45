"""The kinds of agents: what a user may say about each of them, and how that is checked.

A kind has one model for all contract lines of its agents: that of the newest, with the newest defaults. Where an older line differs,
the difference is data: values laid under the user's, and values that the line does not know.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from scalr_agents.lines import LINES, Line
from scalr_agents.release import Labels, Names, Naming, Release
from scalr_agents.values.common import ReleaseValues
from scalr_agents.values.findings import Finding, Path
from scalr_agents.values.inputs import Inputs
from scalr_agents.values.layers import says
from scalr_agents.values.merge import Values, lookup

Modern = tuple[Mapping[str, Any], list[Finding], list[Path]]
"""Values in the model's shape, an error for each that was not, and the paths that these have now."""


def _as_they_are(values: Mapping[str, Any]) -> Modern:
    return values, [], []


class Differences(NamedTuple):
    """What a line has otherwise than the model."""

    defaults: Values = {}
    """Defaults of the line, where they are others."""
    absent: tuple[str, ...] = ()
    """Values that the line does not know, dotted."""
    names: Callable[[str, str, str, Naming], Names] | None = None
    """Names of the objects, where they are others."""


class Kind(NamedTuple):
    """A kind of agent."""

    model: type[ReleaseValues]
    check: Callable[[Any, Release, Inputs], Iterator[Finding]]
    names: Callable[[str, str, str, Naming], Names]
    """Names of the objects, from full name, namespace and service account."""
    differences: Mapping[str, Differences]
    """By the line's generation."""
    common: Callable[[Any], tuple[Labels, Mapping[str, Any]]] = lambda _: ({}, {})
    """Labels and annotations of all objects, from the values."""
    chart_names: Callable[[Names, str], Names] = lambda names, _: names
    """The chart's own names where they do not follow the full name, from our names and the label `app.kubernetes.io/name`."""
    modernize: Callable[[Mapping[str, Any]], Modern] = _as_they_are
    """Values of a shape that the chart once had, in that of the model."""


def find(chart: str) -> Kind:
    """The kind that a chart is for. Only what is used is imported."""
    kind: Kind = import_module(f"scalr_agents.values.{chart.replace('-', '_')}.kind").KIND
    return kind


def unknown_to(line: Line, given: Mapping[str, Any]) -> Iterator[Finding]:
    """Values that a line does not know, with the line that does."""
    for path in find(line.chart).differences[line.generation].absent:
        parts = path.split(".")
        if says(given, parts) and not _is_empty(lookup(given, *parts)):
            others = " or ".join(other.versions for other in LINES if other.chart == line.chart and other is not line)
            message = f"agents {line.versions} do not know it; agents {others} do (agent version)"
            yield Finding("error", path, f"unknown key {parts[-1]!r}: {message}")


def _is_empty(value: Any) -> bool:
    """Whether a value says nothing, as those that people copy from a chart's own file."""
    return all(map(_is_empty, value.values())) if isinstance(value, Mapping) else value is None or value in ("", [])
