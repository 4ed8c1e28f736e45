"""Deprecated keys of stack files, values and arguments: they work, and warn, until the version that no longer has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from scalr_agents.model.findings import Finding, Path
from scalr_agents.model.layers import is_given


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
