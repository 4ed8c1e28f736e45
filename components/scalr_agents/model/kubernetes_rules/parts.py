"""Parts of rules that several types need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.model.findings import Path
from scalr_agents.model.forms import integral, is_subdomain
from scalr_agents.model.maps import is_deferred, is_set

Problems = Iterator[tuple[Path, str]]
Fields = Mapping[str, Any]


def known(given: Fields, field: str) -> Any:
    """The value of a field; `None` if it is not set, or known only during deployment."""
    value = given.get(field)
    return None if is_deferred(value) else value


def number(given: Fields, field: str) -> int | None:
    """The whole number in a field, if it is known."""
    value = integral(known(given, field))
    return value if isinstance(value, int) else None


def items(given: Fields, field: str) -> Sequence[Any]:
    """The items of a list, if it is known."""
    return known(given, field) or ()


def within(given: Fields, field: str, least: int, most: int) -> Problems:
    """A whole number between two others."""
    value = number(given, field)
    if value is not None and not least <= value <= most:
        yield (field,), f"given {value}; allowed: {least} to {most}"


def not_negative(given: Fields, fields: Iterable[str]) -> Problems:
    for field in fields:
        value = number(given, field)
        if value is not None and value < 0:
            yield (field,), f"given {value}; allowed: 0 or more"


def one_of(given: Fields, fields: Sequence[str], *, needed: bool = True) -> Problems:
    """Exactly one of some fields, or at most one."""
    found = [field for field in fields if given.get(field) is not None]
    if needed and not found:
        yield (), f"missing; set one of {', '.join(fields)}"
    if found[1:]:
        yield (found[1],), f"not allowed together with {found[0]}; remove one of them"


def object_name(given: Fields, field: str, kind: str) -> Problems:
    """The name of an object, which is needed. One that cannot be there is no mistake where the object is optional."""
    name = given.get(field)
    if not is_set(name):
        yield (field,), f"missing; set the name of a {kind}"
    elif isinstance(name, str) and not is_subdomain(name) and given.get("optional") is not True:
        yield (field,), f"not a valid name of a {kind}: use lower case letters, digits, '-' and '.'"


def relative_path(given: Fields, field: str) -> Problems:
    """A path inside a volume."""
    path = known(given, field)
    if path is not None and (path.startswith("/") or ".." in path.split("/")):
        yield (field,), "not a path inside the volume: it must not start with '/' or contain '..'"
