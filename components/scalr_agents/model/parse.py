"""The first pass of validation: does every key exist and does every value have the right type?

Invalid values are reported and left out, so that the second pass can check the rest in the same call.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from scalr_agents.model import gone
from scalr_agents.model.findings import Finding, Path, as_path, dotted, error, starts, unknown_key
from scalr_agents.model.maps import has, is_deferred
from scalr_agents.model.marks import deprecations
from scalr_agents.model.texts import COMPLETE, describe, expected, shown

M = TypeVar("M", bound=BaseModel)

_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "a map",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "is_instance_of": "a list",
    "list_type": "a list",
    "model_type": "a map",
    "model_attributes_type": "a map",
    "sequence_str": "a list",
    "string_type": "a string",
}
_NO_SECRETS = {
    *("bool_type", "float_type", "int_type", "int_from_float", "literal_error"),
    *("greater_than", "greater_than_equal", "less_than_equal"),
    *("cidr", "count_or_percent", "directory", "image_tag", "label_value", "namespace", "quantity", "quote", "sub_path"),
}
"""Error types of fields in which nobody would put a secret, such as numbers, booleans and enumerations."""
_MOST_PLACES = 4
UNKNOWN = "must be known before deployment, so an output is not allowed here"
"""The message on a deferred value in a field that allows none."""


def parse(model: type[M], given: Mapping[str, Any]) -> tuple[M, list[Finding], list[Path]]:
    """`given` as a `model`, the findings on its types and on deprecated keys, and the paths that were left out because of them.

    Only for models in which every field has a default, so that the rest is valid whatever is left out.
    """
    findings: list[Finding] = []
    left_out: dict[Path, None] = {}
    while True:
        try:
            parsed = model.model_validate(given)
            return parsed, [*findings, *deprecations(parsed)], list(left_out)
        except ValidationError as problem:
            explained = list(_explain(model, problem))
            # What is found above a value that was left out may be due to that, a required field for instance.
            findings += [finding for path, finding in explained if not any(starts(cut, path) for cut in left_out)]
            cuts = dict.fromkeys(_cut(given, path) for path, _ in explained)
            given = _without(given, cuts)
            left_out |= cuts


def unknown_keys(model: type[BaseModel], given: Mapping[str, Any]) -> list[Finding]:
    """Findings on unknown keys only."""
    try:
        model.model_validate(given)
    except ValidationError as problem:
        return [finding for _, finding in _explain(model, problem, only="extra_forbidden")]
    return []


def parse_arguments(model: type[M], given: Mapping[str, Any]) -> tuple[M | None, list[Finding]]:
    """Arguments of a program, with keys in snake_case, as a `model`; or the findings on their types.

    For models that are useless if a part is left out.
    """
    try:
        return model.model_validate(given, by_name=True, by_alias=False), []
    except ValidationError as problem:
        return None, [finding for _, finding in _explain(model, problem, by_name=True)]


def _explain(model: type[BaseModel], problem: ValidationError, only: str = "", *, by_name: bool = False) -> Iterator[tuple[Path, Finding]]:
    for detail in problem.errors(include_url=False):
        if only not in ("", detail["type"]):
            continue
        path = _readable(detail)
        safe = tuple(shown(part) if isinstance(part, str) else part for part in path)
        message = _message(model, path, detail, by_name=by_name) if safe == path else "text instead of a key; add a space after the colon"
        yield path, error(safe, message)


def _readable(problem: ErrorDetails) -> Path:
    """Pydantic's location without its marker `[key]` for invalid keys, unless the input has a key of that name."""
    location = problem["loc"]
    return location[:-1] if location[-1:] == ("[key]",) and problem["type"] != "extra_forbidden" else location


def _cut(given: Mapping[str, Any], path: Path) -> Path:
    """The path to leave out so that the rest is valid.

    That is the key itself, the whole list that contains it, or, for a missing key, the map in which it is missing.
    """
    cut = path[: next((index for index, part in enumerate(path) if isinstance(part, int)), len(path))]
    while cut and not has(given, cut):
        cut = cut[:-1]
    return cut


def _without(given: Mapping[str, Any], paths: Collection[Path]) -> Mapping[str, Any]:
    """Nested maps without the values at some paths."""
    below = defaultdict[Any, list[Path]](list)
    for path in paths:
        below[path[0] if path else None].append(path[1:])
    if None in below:
        return {}
    return {key: _without(value, below[key]) if key in below else value for key, value in given.items() if () not in below.get(key, ())}


def _message(model: type[BaseModel], path: Path, problem: ErrorDetails, *, by_name: bool) -> str:
    value, kind = problem["input"], problem["type"]
    if kind in (COMPLETE, "missing"):
        return problem["msg"] if kind == COMPLETE else kind
    if kind == "extra_forbidden":
        if went := gone.of_key(path):
            return went
        section = _model_at(model, path[:-1], by_name=by_name)
        elsewhere = [] if by_name else _elsewhere(model, section, path)  # arguments are flat
        return unknown_key(str(path[-1]), list(_fields(section, by_name=by_name)), elsewhere)
    if is_deferred(value):
        return UNKNOWN
    return _type_message(kind, value) if kind in _EXPECTED else _refusal(problem)


def _refusal(problem: ErrorDetails) -> str:
    """The message on a value of the right type. It does not repeat an invalid key, which the path contains."""
    given = describe(problem["input"], repeated=problem["type"] in _NO_SECRETS)
    if problem["type"] == "literal_error":
        return f"given {given}; allowed: {problem['ctx']['expected']}"
    message = problem["msg"][:1].lower() + problem["msg"][1:]
    return message if problem["loc"][-1:] == ("[key]",) else f"{message}; given {given}"


def _type_message(kind: str, value: object) -> str:
    if value is None and _EXPECTED[kind] == "a map":
        return "null is not allowed here; unset its keys one by one"
    return expected(_EXPECTED[kind], value, repeated=kind in _NO_SECRETS)


def misshapen_sections(model: type[BaseModel], given: Mapping[str, Any], path: Path = ()) -> Iterator[Finding]:
    """Findings on sections that are not maps."""
    known = sections(model)
    for key in (key for key in given if key in known):
        value, here = given[key], (*path, key)
        if isinstance(value, Mapping):
            yield from misshapen_sections(known[key], value, here)
        else:
            yield error(here, _type_message("model_type", value))


@cache
def sections(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """The models of the sections of a model, by their keys."""
    fields = {key: field.annotation for key, field in _fields(model).items()}
    return {key: kind for key, kind in fields.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


def _fields(model: type[BaseModel], *, by_name: bool = False) -> dict[str, FieldInfo]:
    """The fields by their keys: in stack files and values, or in programs."""
    return {name if by_name else field.alias or name: field for name, field in model.model_fields.items()}


def _model_at(model: type[BaseModel], path: Path, *, by_name: bool) -> type[BaseModel]:
    """The model of the section at a path."""
    entry = False
    for part in path:
        if entry or isinstance(part, int):  # the name of an entry, the position in a list
            entry = False
            continue
        field = _fields(model, by_name=by_name)[part]
        model = next(_models(field.annotation), model)
        entry = get_origin(field.annotation) is dict
    return model


def _elsewhere(model: type[BaseModel], section: type[BaseModel], path: Path) -> list[str]:
    """Paths of other keys with the name of an unknown key: below its section, or else anywhere."""
    key, here = str(path[-1]), path[:-1]
    return [dotted((*here, *as_path(found))) for found in places(section, key)] or places(model, key)


def places(model: type[BaseModel], key: str) -> list[str]:
    """The paths in a model that end in a key, shortest first; none if there are too many to be helpful."""
    found = sorted(_paths(model).get(key, ()), key=lambda path: (path.count("."), path))
    return found if len(found) <= _MOST_PLACES else []


@cache
def _paths(model: type[BaseModel]) -> Mapping[str, Sequence[str]]:
    """The paths in a model that end in a key, for every key."""
    found = {key: [key] for key in _fields(model)}
    for section, inner in sections(model).items():
        for key, paths in _paths(inner).items():
            found.setdefault(key, []).extend(f"{section}.{path}" for path in paths)
    return found


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
