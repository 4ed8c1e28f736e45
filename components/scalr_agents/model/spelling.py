"""The spelling of keys: programs and stack files have the same settings, as `vpc_id` and as `vpcId`.

Checks take the spelling as an argument, so that a finding names a key as the user writes it.
"""

import re
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from scalr_agents.model.findings import Path

Spelling = Callable[[str], str]
SpellPath = Callable[[type[BaseModel], Path], Path]
"""How a front end spells a path of a model."""


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
