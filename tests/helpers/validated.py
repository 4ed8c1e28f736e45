"""Charts by their names, for tests that go over all of them."""

from collections.abc import Mapping
from typing import Any

from scalr_agents import charts
from scalr_agents.charts.shared import secrets
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.loading import load
from scalr_agents.model.findings import errors

LINES = [line for name in charts.CHARTS for line in charts.find(name).versions.lines]
"""The contract lines of all charts."""


def validate(chart: str, values: Mapping[str, Any], **more: Any) -> AnyAgent:
    """An agent of a chart, of release `runs` in namespace `scalr` by default."""
    return load(charts.find(chart), values, **{"release": "runs", "namespace": "scalr", **more})


def by_role(chart: str, values: Mapping[str, Any], *, digest: str = "", **more: Any) -> dict[str, dict[str, Any]]:
    """All objects of such an agent by role. No finding may be an error."""
    agent = validate(chart, values, **more)
    assert not errors(agent.findings), agent.findings
    return agent.by_role(digest or secrets.known_digest(agent.secret_data))
