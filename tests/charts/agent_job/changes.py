"""Says exactly what a value changes in the objects of a release."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel
from scalr_agents import charts
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.model.findings import errors

from tests.helpers.validated import validate

LINES = {line.generation: line for line in charts.find("agent-job").versions.lines}
LEGACY, CURRENT = "0.57.0", "1.4.0"
TABLE, TABLE_CURRENT = (
    yaml.safe_load((Path(__file__).parent / name).read_text()) for name in ("values_table.yaml", "values_table_current.yaml")
)
"""The effects of every value: on the legacy line, and on the current line if they differ or the value is new."""
DEADLINE = {"task": {"job": {"activeDeadlineSeconds": 14400}}}
"""Without it every agent is warned of runs that hang."""
MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}, **DEADLINE}
"""The least that an agent needs, and that nothing is found about."""
_TASK_POD = "task-template.spec.jobTemplate.spec.template"
_SHORT = {
    "deployment.spec.template.spec.containers[controller].": "controller: ",
    f"{_TASK_POD}.spec.containers[runner].": "runner: ",
    f"{_TASK_POD}.spec.containers[worker].": "worker: ",
    "deployment.spec.template.": "controller pod: ",
    f"{_TASK_POD}.": "task pod: ",
}


def objects(
    given: Mapping[str, Any], inputs: Inputs | None = None, naming: Any = "scoped", version: str = LEGACY
) -> dict[str, dict[str, Any]]:
    """All objects of a release `runs` in namespace `scalr`, by role."""
    inputs = inputs or Inputs()
    checked = validate("agent-job", given, release="runs", namespace="scalr", agent_version=version, naming=naming, inputs=inputs)
    assert not errors(checked.findings), checked.findings
    return checked.by_role(secrets.known_digest(checked.secret_data))


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What differs, by path: what stands there now, or `None` where it is gone. An object as a whole is `added` or gone.

    Items of a list are known by their mount path or name, where they have one, and paths into the two pods are short.
    """
    found: dict[str, Any] = {}
    for role in sorted(before.keys() | after.keys()):
        if role in before and role in after:
            found |= dict(_differences(before[role], after[role], role))
        else:
            found[role] = "added" if role in after else None
    return {_shortened(path): value for path, value in found.items()}


def _differences(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        old_items, new_items = ({f".{key}": value for key, value in side.items()} for side in (old, new))
    elif _is_keyed(old) and _is_keyed(new):
        old_items, new_items = ({f"[{_key(item, index)}]": item for index, item in enumerate(side)} for side in (old, new))
    else:
        if old != new:
            yield path, new
        return
    for key in sorted(old_items.keys() | new_items.keys()):
        if key in old_items and key in new_items:
            yield from _differences(old_items[key], new_items[key], path + key)
        else:
            yield path + key, new_items.get(key)


def _is_keyed(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(item: Mapping[str, Any], index: int) -> str:
    return str(item.get("mountPath") or item.get("name") or index)


def _shortened(path: str) -> str:
    return next((short + path.removeprefix(long) for long, short in _SHORT.items() if path.startswith(long)), path)


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
    absent = charts.find("agent-job").versions.unknown(LINES[generation].default_version)
    return [path for path in value_paths() if not any(path == gone or path.startswith(f"{gone}.") for gone in absent)]


def nested(path: str, value: Any) -> dict[str, Any]:
    """Values that say one thing."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)
