"""Every place of a stack file and of a chart's values where something can be put."""

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from scalr_agents import charts
from scalr_agents.model import release
from scalr_agents.stack.caches import CachesOfFile
from scalr_agents.stack.machines import MachinesOfFile
from scalr_agents.stack.model import StackFile

from tests.helpers.validated import LINES

Place = tuple[str | int, ...]
BASE = {"agents": {"x": {"kind": "agent-job", "namespace": "scalr"}}}
"""A stack with one agent, `x`."""


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def places(model: type[BaseModel], path: Place = ()) -> Iterator[Place]:
    """Every place of a model where something can be put: fields, items of lists, entries of maps."""
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        yield here
        kind = str(field.annotation)
        item = [0] if "list[" in kind or "Sequence[" in kind else ["x"] if "dict[" in kind else []
        if item:
            yield (*here, *item)
        for below in _models(field.annotation):
            yield from places(below, (*here, *item))


def put(place: Place, leaf: Any) -> Any:
    for part in reversed(place):
        leaf = [leaf] if isinstance(part, int) else {part: leaf}
    return leaf


@cache
def of_values() -> list[tuple[release.Line, Place]]:
    return [(line, place) for line in LINES for place in places(charts.find(line.chart).model)]


@cache
def of_stacks() -> list[Place]:
    return [place for model in (StackFile, CachesOfFile, MachinesOfFile) for place in places(model)]
