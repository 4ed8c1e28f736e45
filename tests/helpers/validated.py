"""Charts by their names, for tests that go over all of them."""

from collections.abc import Mapping
from typing import Any

from scalr_agents import charts
from scalr_agents.charts.shared.agent import AnyAgent, load

LINES = [line for name in charts.CHARTS for line in charts.find(name).versions.lines]
"""The contract lines of all charts."""


def validate(chart: str, values: Mapping[str, Any], **more: Any) -> AnyAgent:
    """An agent of a chart, of release `runs` in namespace `scalr` by default."""
    return load(charts.find(chart), values, **{"release": "runs", "namespace": "scalr", **more})
