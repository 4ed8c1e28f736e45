"""Environment variables, declared on the fields that set them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from scalr_agents.model.findings import Path, dotted


@dataclass(frozen=True)
class Variable:
    """The environment variables that a field sets. The field's description lists them."""

    names: tuple[str, ...]
    convert: Callable[[Any], Any] | None = None
    """Converts the value of the field into that of the variable. Default: unchanged."""


def variable(*names: str, convert: Callable[[Any], Any] | None = None) -> Variable:
    """Declare the variables of a field: `debug: Annotated[EnvText, variable("SCALR_AGENT_DEBUG")]`."""
    return Variable(names, convert)


def of(section: BaseModel, *fields: str) -> dict[str, Any]:
    """The variables that some fields of a section set, with their values, without those that are `None`."""
    found: dict[str, Any] = {}
    for field in fields:
        value = getattr(section, field)
        for one in _variables(type(section).model_fields[field]):
            if value is not None:
                found |= dict.fromkeys(one.names, one.convert(value) if one.convert else value)
    return found


@cache
def declared(model: type[BaseModel]) -> dict[str, str]:
    """All variables of a model, with the dotted paths of the values that set them, joined by `or`."""
    found: dict[str, list[str]] = {}
    for name, path in _declared(model, ()):
        found.setdefault(name, []).append(dotted(path))
    return {name: " or ".join(paths) for name, paths in found.items()}


def described(field: FieldInfo, text: str) -> str:
    """The description of a field, with the variables that it sets."""
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
