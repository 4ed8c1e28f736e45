"""Converts values of the chart's alpha, which had two shapes, to the present shape.

The alpha was published with agents 0.54 to 0.56, with most values at the top; a later state, described but never published, had them
in the sections `controller` and `task`. Values are of the alpha if they have a key that the present shape does not allow.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.migration.alpha_rows import ROWS, Lost, Needless, Row
from scalr_agents.model import parse as shapes
from scalr_agents.model.findings import Finding, by_severity, dotted, error, unknown_key, warning
from scalr_agents.model.forms import is_set
from scalr_agents.model.manifests import is_empty
from scalr_agents.model.merge import Values, merge
from scalr_agents.model.messages import shown

_SECTIONS = ("controller", "worker", "agent.auth")
"""Sections that only the alpha had."""
_OPEN = "restrictMetadataService"
_ABSENT = object()


def is_alpha(values: Mapping[str, Any]) -> bool:
    """Whether any value is one that only the alpha has."""
    return any(_found(values, row) for row in ROWS if not row.kept)


def convert(values: Mapping[str, Any]) -> tuple[Values, list[Finding]]:
    """Values in the present shape, with errors for values that could not be converted, and warnings for those to check.

    A value that could not be converted stays where it was, unless it has no successor. Values that are in the present shape already are
    returned as they are. Findings name keys and never repeat values.
    """
    new = _copy(values)
    if not is_alpha(values):
        return new, shapes.unknown_keys(AgentJobValues, new)
    findings = [finding for row in ROWS for finding in _carry(new, row)]
    if not _is_given(values, _OPEN) and not _is_given(values, "task.allowMetadataService"):
        message = "not set, so runs could reach the metadata service; now they cannot, unless you set task.allowMetadataService to true"
        findings.append(warning(_OPEN, message))
    findings += [*_unknown_in_sections(new), *shapes.unknown_keys(AgentJobValues, _without_alpha(new))]
    _prune(new)
    return new, by_severity(findings)


def _carry(new: Values, row: Row) -> Iterator[Finding]:
    """Converts one value, within `new`."""
    if not _found(new, row):
        return
    old = _take(new, row.old)
    value = row.change(old)
    if isinstance(value, Lost):
        _put(new, row.old, old)
        yield error(row.old, f"cannot be converted: {value.reason}")
    elif isinstance(value, Needless):
        yield from [warning(row.old, value.reason)] if value.reason else []
    elif not row.new:
        yield error(row.old, f"has no successor: {MOVED[row.old].note}")
    else:
        yield from _settle(new, row, old, value)


def _settle(new: Values, row: Row, old: Any, value: Any) -> Iterator[Finding]:
    if row.displaces:
        yield from _make_room(new, row, value)
    places = [path for path in row.new if not row.fallback or is_empty(_at(new, path))]
    if not places:
        yield warning(row.old, f"removed, because it had no effect: {' and '.join(row.new)} override it")
    elif taken := [path for path in places if not _put(new, path, value)]:
        _put(new, row.old, old)
        yield error(row.old, f"cannot be converted: {taken[0]} has another value; keep one of the two")
    else:
        _put_beneath(new, row.also)
        where = "" if row.kept else f"moved to {' and '.join(row.new)}; "
        if row.note and (row.kept or is_set(old)):
            yield warning(row.old, f"{where}{row.note}")


def _make_room(new: Values, row: Row, value: Any) -> Iterator[Finding]:
    """Moves what the new place has for controller and worker to the place of the worker alone."""
    (path,) = row.new
    shared, own = _at(new, path), _at(new, row.displaces)
    if not is_set(shared):
        _take(new, path)
        if not is_set(own):
            yield warning(row.old, f"moved to {path}, which also applies to the worker unless {row.displaces} is set")
    elif shared != value:
        _take(new, path)
        if is_set(own):
            yield warning(path, f"removed, because it had no effect: {row.old} and {row.displaces} overrode it")
        elif not _put(new, row.displaces, shared):
            _put(new, path, shared)  # no place for both; the finding comes when the value is put


def _unknown_in_sections(values: Mapping[str, Any]) -> Iterator[Finding]:
    """Errors for keys in the alpha's own sections that the alpha did not have either."""
    for section in _SECTIONS:
        yield from _unknown_in(_at(values, section), tuple(section.split(".")))


def _unknown_in(given: Any, path: tuple[str, ...]) -> Iterator[Finding]:
    if not isinstance(given, Mapping):
        if not is_empty(given):
            yield error(dotted(path), "expected a map")
        return
    depth = len(path)
    known = {parts[depth] for parts in (tuple(row.old.split(".")) for row in ROWS) if parts[:depth] == path and len(parts) > depth}
    for key, value in given.items():
        here = (*path, key)
        if key not in known:
            name = shown(key)
            yield error(dotted((*path, name)), unknown_key(name, sorted(known)))
        elif not any(row.old == ".".join(here) for row in ROWS):
            yield from _unknown_in(value, here)


def _found(values: Mapping[str, Any], row: Row) -> bool:
    return _is_given(values, row.old) and row.applies(_at(values, row.old))


def _without_alpha(values: Mapping[str, Any]) -> Values:
    """The values without anything that only the alpha has."""
    rest = _copy(values)
    for path in (*(row.old for row in ROWS if not row.kept and _found(rest, row)), *_SECTIONS):
        _take(rest, path)
    return rest


def _prune(new: Values) -> None:
    """Removes the alpha's own sections if they are empty."""
    for section in ("controller.image", "worker.runner", *_SECTIONS):
        if _is_given(new, section) and is_empty(_at(new, section)):
            _take(new, section)


def _copy(values: Mapping[str, Any]) -> Values:
    """Copies maps, and keeps everything else."""
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in values.items()}


def _is_given(values: Any, path: str) -> bool:
    return _look(values, path) is not _ABSENT


def _at(values: Any, path: str) -> Any:
    found = _look(values, path)
    return None if found is _ABSENT else found


def _look(values: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(values, Mapping) or part not in values:
            return _ABSENT
        values = values[part]
    return values


def _take(values: Values, path: str) -> Any:
    """Removes the value at a path, and returns it."""
    above, _, last = path.rpartition(".")
    parent = _at(values, above) if above else values
    return parent.pop(last, None) if isinstance(parent, dict) else None


def _put(values: Values, path: str, value: Any) -> bool:
    """Puts a value at a path, merged with a map there. Returns false and changes nothing if the two contradict each other."""
    *above, last = path.split(".")
    for depth in range(1, len(above) + 1):
        if not isinstance(_at(values, ".".join(above[:depth])), Mapping | None):
            return False
    for part in above:
        if values.get(part) is None:
            values[part] = {}
        values = values[part]
    there = values.get(last)
    if not is_empty(there) and not _agree(there, value):
        return False
    values[last] = merge(there, value) if isinstance(there, Mapping) and isinstance(value, Mapping) else value
    return True


def _put_beneath(values: Values, more: Mapping[str, Any]) -> None:
    """Adds what is not set yet."""
    for key, value in more.items():
        if isinstance(value, Mapping) and isinstance(values.setdefault(key, {}), dict):
            _put_beneath(values[key], value)
        elif values.get(key) is None:
            values[key] = value


def _agree(one: Any, other: Any) -> bool:
    """Whether two values can be at one place: they are equal, or maps that do not contradict each other."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(_agree(one[key], other[key]) for key in one.keys() & other.keys())
    return bool(one == other)
