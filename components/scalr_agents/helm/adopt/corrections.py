"""Which row of docs/helm-differences.md a change belongs to."""

from collections.abc import Mapping
from typing import Any

from scalr_agents import charts
from scalr_agents.charts.shared.corrections import Change


def rows(chart: str) -> list[str]:
    """The rows that a chart's changes may belong to."""
    return list(dict.fromkeys(rule.row for rule in charts.find(chart).corrections()))


def row_of(change: Change, chart: str, chart_version: str, values: Mapping[str, Any]) -> str | None:
    """The row of a change; `None` if no correction makes it. `values` are all values of the release."""
    return next((rule.row for rule in charts.find(chart).corrections() if rule.fits(change, values, chart_version)), None)
