"""What the annotation of a field says beside its type: that its key is deprecated, and which environment variables it sets."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from scalr_agents.model.findings import Finding, Path, dotted
from scalr_agents.model.maps import is_given


class Deprecated(NamedTuple):
    """Marks a deprecated key in the annotation of its field: `tag: Annotated[Text, Deprecated("0.5.0", "use image")] = ""`."""

    until: str
    """The first version without the key."""
    advice: str
    """What to do, as an imperative."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema) | {"deprecated": True}


@dataclass(frozen=True)
class Deprecation(Finding):
    """A warning on a deprecated key."""


def without_deprecated_defaults(findings: Iterable[Finding], *given: Mapping[str, Any]) -> list[Finding]:
    """The findings without deprecations of values that no user wrote: defaults of a version, and what settings are converted into."""
    return [
        finding for finding in findings if not isinstance(finding, Deprecation) or any(is_given(values, finding.at) for values in given)
    ]


def deprecations(given: BaseModel, at: Path = (), *, by_name: bool = False) -> Iterator[Finding]:
    """Warnings on the deprecated keys that a section, or one below it, was given; with `by_name` in snake_case."""
    for name, field in type(given).model_fields.items() if has_deprecated(type(given)) else ():
        if name not in given.model_fields_set:
            continue
        here = (*at, name if by_name else field.alias or name)
        for mark in (mark for mark in field.metadata if isinstance(mark, Deprecated)):
            yield Deprecation("warning", here, f"deprecated, will be removed in version {mark.until}: {mark.advice}")
        yield from _below(getattr(given, name), here, by_name=by_name)


@cache
def has_deprecated(model: type[BaseModel]) -> bool:
    """Whether a section, or one that its fields can have, has a deprecated key. Almost none has, so that no section must be walked."""
    fields = model.model_fields.values()
    own = any(isinstance(mark, Deprecated) for field in fields for mark in field.metadata)
    return own or any(has_deprecated(below) for field in fields for below in _models(field.annotation))


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in an annotation, also those of lists, maps and alternatives."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _below(value: Any, at: Path, *, by_name: bool) -> Iterator[Finding]:
    if isinstance(value, BaseModel):
        yield from deprecations(value, at, by_name=by_name)
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    for key, item in value.items() if isinstance(value, Mapping) else enumerate(value) if is_list else ():
        yield from _below(item, (*at, key), by_name=by_name)


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
