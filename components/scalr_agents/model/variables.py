"""Environment variables, declared on the fields of values that become them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from scalr_agents.model.findings import Path, dotted


@dataclass(frozen=True)
class Variable:
    """The environment variables that a field becomes. The description of the field names them."""

    names: tuple[str, ...]
    convert: Callable[[Any], Any] | None = None
    """The value of the variable from that of the field. Default: the same."""


def variable(*names: str, convert: Callable[[Any], Any] | None = None) -> Variable:
    """Declare what a field becomes: `debug: Annotated[EnvText, variable("SCALR_AGENT_DEBUG")]`."""
    return Variable(names, convert)


def of(section: BaseModel, *fields: str) -> dict[str, Any]:
    """The variables that some fields of a section become, with their values; those that are `None` are left out."""
    found: dict[str, Any] = {}
    for field in fields:
        value = getattr(section, field)
        for one in _variables(type(section).model_fields[field]):
            if value is not None:
                found |= dict.fromkeys(one.names, one.convert(value) if one.convert else value)
    return found


@cache
def declared(model: type[BaseModel]) -> dict[str, str]:
    """All variables of a model, and the values that set them, dotted; of several, all are named."""
    found: dict[str, list[str]] = {}
    for name, path in _declared(model, ()):
        found.setdefault(name, []).append(dotted(path))
    return {name: " or ".join(paths) for name, paths in found.items()}


def described(field: FieldInfo, text: str) -> str:
    """The description of a field, with the variables that it becomes."""
    names = [f"`{name}`" for one in _variables(field) for name in one.names]
    return f"{text} Environment variable{'s' if names[1:] else ''} {' and '.join(names)}." if names else text


def _declared(model: type[BaseModel], path: Path) -> Iterator[tuple[str, Path]]:
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        yield from ((variable, here) for one in _variables(field) for variable in one.names)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _declared(field.annotation, here)


def _variables(field: FieldInfo) -> Iterator[Variable]:
    return (item for item in field.metadata if isinstance(item, Variable))
