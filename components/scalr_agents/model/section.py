"""The base of all models of user input, and how their keys are spelled: programs and stack files have the same settings, as
`vpc_id` and as `vpcId`. Checks take the spelling as an argument, so that a finding names a key as the user writes it.
"""

import re
from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from scalr_agents.model.findings import Path
from scalr_agents.model.maps import Values, coalesce, without_nulls
from scalr_agents.model.relations import Relations

Spelling = Callable[[str], str]
"""How a front end spells a key."""
SpellPath = Callable[[type[BaseModel], Path], Path]
"""How a front end spells a path of a model."""


def without_null(given: Any) -> Any:
    """A map without what is `null`: it is the same as a key that is not there."""
    return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given


class Section(BaseModel):
    """A map with known keys: camelCase in YAML, snake_case in Python, every key optional unless it has no default."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        strict=True,
    )

    relations: ClassVar[Relations] = ()
    """What its settings have to do with each other. Those of its bases hold too."""

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, given: Any) -> Any:
        return without_null(given)


S = TypeVar("S", bound=Section)


def default(section: type[S]) -> S:
    """An empty section as a default. It is not validated, so that its model is built only when it is used."""
    return section.model_construct()


class ChartSection(Section):
    """A section of a chart's values, merged with the chart's defaults as in Helm."""

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, given: Any) -> Any:
        """Merge maps of Kubernetes types with their defaults key by key, as Helm merges a values file with the chart's.

        What is `null` stays: it unsets a default.
        """
        if not isinstance(given, dict):
            return given
        maps = {key: default for key, default in _default_maps(cls).items() if isinstance(given.get(key), dict)}
        return given | {key: coalesce(default, given[key]) for key, default in maps.items()} if maps else given


@cache
def _default_maps(section: type[ChartSection]) -> dict[str, Values]:
    """The defaults of the fields whose default is a plain map, by key."""
    defaults = {field.alias or name: field.get_default(call_default_factory=False) for name, field in section.model_fields.items()}
    return {key: without_nulls(default) for key, default in defaults.items() if isinstance(default, dict)}


def by_name(_model: type[BaseModel], path: Path) -> Path:
    """As programs do: a model has their names."""
    return path


def by_alias(model: type[BaseModel], path: Path) -> Path:
    """As stack files do: fields have their aliases. Keys of maps and indexes of lists stay as they are."""
    spelled: list[str | int] = []
    here: Any = model
    for part in path:
        here = _content(here)
        if isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields[str(part)]
            spelled.append(field.alias or in_stack_files(str(part)))
            here = field.annotation
        else:
            spelled.append(part)
            here = next(reversed(get_args(here)), None)
    return tuple(spelled)


def _content(annotation: Any) -> Any:
    """An annotation without metadata and `None`."""
    choices = [each for each in get_args(annotation) if each is not NoneType]
    wrapped = get_origin(annotation) in (Annotated, Union, UnionType)
    return _content(choices[0]) if wrapped and choices else annotation


def in_programs(key: str) -> str:
    """A key, or a dotted path, as programs write it."""
    return key


def in_stack_files(key: str) -> str:
    """A key, or a dotted path, as stack files write it."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), key)
