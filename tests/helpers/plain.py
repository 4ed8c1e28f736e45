"""A stack of one plain agent, for tests to vary."""

from pathlib import Path
from typing import Any

from scalr_agents import stack
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import DEADLINE

PLAIN: dict[str, Any] = {"kind": "agent-job", "namespace": "scalr", "values": DEADLINE}
BASE: dict[str, Any] = {
    "common": {"url": "https://acme.scalr.io", "agentVersion": "0.57.0"},
    "agents": {"runs": PLAIN},
    "secrets": {"runs": {"token": "s3cr3t-token"}},
}


def load(changed: dict[str, Any], directory: Path = Path(), **options: Any) -> stack.Stack:
    return stack.load(merge(BASE, changed), directory=directory, **options)


def values_of(changed: dict[str, Any], directory: Path = Path()) -> dict[str, Any]:
    """What is new or other than in the values of the plain agent, in the chart's words; an empty map has lost a key."""
    loaded = load(changed, directory)
    assert [str(finding) for finding in loaded.findings if finding.severity == "error"] == []
    given = loaded.agents[0].values.model_dump(by_alias=True)
    plain = load({}).agents[0].values.model_dump(by_alias=True)
    return difference(plain, given)


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What is new or other in the second of two maps, at any depth."""
    changed = {}
    for key, value in new.items():
        if old.get(key) != value:
            changed[key] = difference(old[key], value) if isinstance(value, dict) and isinstance(old.get(key), dict) else value
    return changed


def findings(changed: dict[str, Any], directory: Path = Path()) -> list[tuple[str, str, str]]:
    return [(finding.severity, finding.path, finding.message) for finding in load(changed, directory).findings]
