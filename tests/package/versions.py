"""What values have or lack with older agents, in words, from the tables of the charts' versions."""

import json
from itertools import groupby
from typing import Any

from scalr_agents import charts
from scalr_agents.charts.shared.versions import Row
from scalr_agents.model.maps import lookup, merge


def only(chart: str, path: str) -> str:
    """The agents that know a value, if not all do: `agents 1.2 or newer`."""
    versions = charts.find(chart).versions
    known = versions.supported_range(path)
    return "" if known == versions.supported_range("") else f"agents {known}"


def older_defaults(chart: str, path: str, default: Any) -> str:
    """The defaults of a value that differ from that of the newest agents: "`2048Mi` (agents 0.57 to 0.60)"."""
    table = charts.find(chart).versions

    def own(row: Row) -> Any:
        version = ".".join(map(str, (*row.since, 0)[:3]))
        given = lookup(table.defaults(version), *path.split(".")) if table.supports(version, path) else None
        return merge(default or {}, given) if isinstance(given, dict) else given

    found = [(value, list(rows)) for value, rows in groupby(table.rows, own) if value not in (None, default)]
    return ", ".join(f"{_shown(value)} (agents {table.span(rows)})" for value, rows in found)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "other items"
    return f"`{value}`" if isinstance(value, str) and value else f"`{json.dumps(value)}`"
