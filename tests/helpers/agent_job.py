"""The objects of an agent-job and the values of its chart."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from scalr_agents import charts
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.inputs import Inputs

from tests.helpers.validated import by_role

LINES = {line.generation: line for line in charts.find("agent-job").versions.lines}
LEGACY, CURRENT = "0.57.0", "1.4.0"
DEADLINE = {"task": {"job": {"activeDeadlineSeconds": 14400}}}
"""Without it every agent is warned of runs that hang."""
MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}, **DEADLINE}
"""The least that an agent needs, and that nothing is found about."""


def objects(
    given: Mapping[str, Any], inputs: Inputs | None = None, naming: Any = "scoped", version: str = LEGACY
) -> dict[str, dict[str, Any]]:
    """All objects of a release `runs` in namespace `scalr`, by role."""
    return by_role("agent-job", given, agent_version=version, naming=naming, inputs=inputs)


def value_paths(model: type[BaseModel] = AgentJobValues, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every value of the chart, by its path."""
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from value_paths(field.annotation, here)
        else:
            yield ".".join(here)


def paths_of(generation: str) -> list[str]:
    """Every value that a line knows."""
    absent = charts.find("agent-job").versions.unsupported(LINES[generation].default_version)
    return [path for path in value_paths() if not any(path == gone or path.startswith(f"{gone}.") for gone in absent)]


def nested(path: str, value: Any) -> dict[str, Any]:
    """Values that say one thing."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)
