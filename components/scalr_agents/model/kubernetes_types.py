"""Checks of values with Kubernetes types: does every field exist, and does the API server accept its value?

Rules beyond the types of fields are in `kubernetes_rules`.

`python -m tests.helpers.kubernetes_types` generates `kubernetes_types.json` from a Kubernetes release: an enum is the list of its values, a
struct the map of its fields to their types, in Go's notation, with a `!` for required fields. Deferred values are not checked, and
`null` means that the field is not set.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from scalr_agents.model import kubernetes_rules, quantities
from scalr_agents.model.findings import Path as Place, nearest
from scalr_agents.model.forms import integral
from scalr_agents.model.maps import is_deferred
from scalr_agents.model.pod_rules import HUGE_PAGES
from scalr_agents.model.texts import COMPLETE, describe, expected

_Problems = Iterator[tuple[Place, str]]
_INTEGERS = {"int32": 2**31, "int64": 2**63}
_RESOURCES = ("cpu", "memory", "ephemeral-storage", f"{HUGE_PAGES}<size>", "<domain>/<name>")
"""Resources of a container."""


def demand(kind: str, given: Any) -> None:
    """Raise a `ValidationError` with all problems of a value of a Kubernetes type."""
    problems = [
        InitErrorDetails(type=PydanticCustomError(COMPLETE, "{reason}", {"reason": message}), loc=path, input=None)
        for path, message in _check(kind, given, ())
    ]
    if problems:
        raise ValidationError.from_exception_data(kind, problems)


def without_nulls(given: Any) -> Any:
    """The value without `null` fields at any depth, so that other code need not distinguish them from missing ones."""
    if isinstance(given, Mapping):
        return {key: without_nulls(value) for key, value in given.items() if value is not None}
    return [without_nulls(item) for item in given] if isinstance(given, list | tuple) else given


@cache
def table() -> dict[str, Any]:
    """The Kubernetes release, and its types by name."""
    content: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return content


def _check(kind: str, given: Any, path: Place) -> _Problems:
    """The problems of a value. Rules on its content apply only to one that has none else."""
    if given is None or is_deferred(given):
        return
    problems = list(_shape(kind, given, path))
    yield from problems or kubernetes_rules.check(kind, given, path)


def _shape(kind: str, given: Any, path: Place) -> _Problems:
    if kind.startswith("[]"):
        yield from _list(kind.removeprefix("[]"), given, path)
    elif kind.startswith("map "):
        yield from _map(kind.removeprefix("map "), given, path)
    elif kind in _SCALARS:
        yield from ((path, problem) for problem in _SCALARS[kind](kind, given))
    elif kind == "ContainerResources":
        yield from _resources(given, path)
    elif isinstance(table()["types"][kind], list):
        yield from _enum(table()["types"][kind], given, path)
    else:
        yield from _struct(kind, given, path)


def _list(kind: str, given: Any, path: Place) -> _Problems:
    if not isinstance(given, list | tuple):
        yield path, expected("a list", given, repeated=False)
        return
    for index, item in enumerate(given):
        if item is None and kind not in _SCALARS:
            yield (*path, index), expected("a map", item, repeated=False)
        yield from _check(kind, item, (*path, index))


def _map(kind: str, given: Any, path: Place) -> _Problems:
    if not isinstance(given, Mapping):
        yield path, expected("a map", given, repeated=False)
        return
    for key, value in given.items():
        yield from _check(kind, value, (*path, str(key)))


def _struct(kind: str, given: Any, path: Place) -> _Problems:
    if not isinstance(given, Mapping):
        yield path, expected("a map", given, repeated=False)
        return
    fields = table()["types"][kind]
    for key, value in given.items():
        if key in fields:
            yield from _check(fields[key].removesuffix("!"), value, (*path, key))
        else:
            where = f"{kind} of Kubernetes {table()['kubernetes']}"
            yield (*path, str(key)), f"unknown field {str(key)!r} ({where}); {nearest(str(key), fields)}"
    if missing := [field for field, content in fields.items() if content.endswith("!") and given.get(field) is None]:
        yield path, f"missing: {', '.join(missing)}"


def _enum(allowed: list[str], given: Any, path: Place) -> _Problems:
    """Check the value of an enum. An empty string means that the field is not set; the API server checks required fields."""
    if not isinstance(given, str):
        yield path, f"{expected('a string', given, repeated=True)}; allowed: {', '.join(allowed)}"
    elif given and given not in allowed:
        yield path, f"given {describe(given, repeated=True)}; {_choice(given, allowed)}"


def _resources(given: Any, path: Place) -> _Problems:
    yield from _map("Quantity", given, path)
    for key in given if isinstance(given, Mapping) else ():
        name = str(key)
        if "/" not in name and name not in _RESOURCES and not name.startswith(HUGE_PAGES):
            yield (*path, name), f"unknown resource {name!r}; {_choice(name, _RESOURCES)}"


def _choice(given: str, allowed: Sequence[str]) -> str:
    """All allowed values, and the one that was probably meant."""
    meant, everything = nearest(given, allowed), f"allowed: {', '.join(allowed)}"
    return meant if meant == everything else f"{meant} {everything}"


def _boolean(_: str, given: Any) -> Iterator[str]:
    if not isinstance(given, bool):
        yield expected("true or false", given, repeated=True)


def _integer(kind: str, given: Any) -> Iterator[str]:
    number = integral(given)
    if not isinstance(number, int) or isinstance(number, bool):
        yield expected("a whole number", given, repeated=True)
    elif not -_INTEGERS[kind] <= number < _INTEGERS[kind]:
        yield f"given {describe(given, repeated=True)}, which is too large for Kubernetes ({kind})"


def _string(_: str, given: Any) -> Iterator[str]:
    if not isinstance(given, str):
        yield expected("a string", given, repeated=False)


def _quantity(_: str, given: Any) -> Iterator[str]:
    if not quantities.is_quantity(given):
        yield f"{quantities.refusal(given)}; given {describe(given, repeated=True)}"


def _int_or_string(_: str, given: Any) -> Iterator[str]:
    if not isinstance(integral(given), int | str) or isinstance(given, bool):
        yield expected("a whole number or a string", given, repeated=True)


_SCALARS: dict[str, Callable[[str, Any], Iterator[str]]] = {
    "boolean": _boolean,
    "int32": _integer,
    "int64": _integer,
    "string": _string,
    "Quantity": _quantity,
    "IntOrString": _int_or_string,
    "any": lambda _, __: iter(()),
}
