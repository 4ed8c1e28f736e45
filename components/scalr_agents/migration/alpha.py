"""Converts values of the chart's alpha to the present shape, by the table of what has moved."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.versions import Moved, without_moved
from scalr_agents.model import parse
from scalr_agents.model.findings import Finding, by_severity, error, warning
from scalr_agents.model.maps import Values, has, is_empty, is_set, leaves, lookup, merge, nested, without, without_nulls
from scalr_agents.model.texts import shown

_SECTIONS = (("controller",), ("worker",), ("agent", "auth"))
"""Sections that only the alpha had."""
_FOLLOWING: tuple[tuple[str, tuple[Any, ...], str, str], ...] = (
    ("podSecurityContext.runAsUser", (0,), "task.runner.securityContext.runAsNonRoot", "root, as before"),
    ("serviceAccount.create", (False, None), "rbac.create", "the alpha made no Role without its own account"),
)
"""Values, and what becomes false because of them unless it is set, and why."""


def is_alpha(values: Mapping[str, Any]) -> bool:
    """Whether any value is one that only the alpha has."""
    return any(row.is_given(values) for row in MOVED)


def convert(values: Mapping[str, Any]) -> tuple[Values, list[Finding]]:
    """Values in the present shape, with errors for values that could not be converted, and warnings for those to check.

    A value that could not be converted stays where it was, unless it has no successor. Values that are in the present shape already are
    returned as they are. Findings name keys and never repeat values.
    """
    new, findings = dict(values), list[Finding]()
    if not is_alpha(values):
        return new, parse.unknown_keys(AgentJobValues, new)
    for row in MOVED:
        if row.is_given(new):
            new, found = move_value(new, row)
            findings += found
    for old, meant, path, why in _FOLLOWING:
        is_meant = has(values, old.split(".")) and lookup(values, *old.split(".")) in meant and lookup(new, *path.split(".")) is None
        if is_meant and (placed := place_value(new, path, False)):
            new = placed
            findings.append(warning(old, f"{why}; {path} is set to false for it (default: true)"))
    if lookup(new, "task", "job", "backoffLimit"):
        message = "cannot be converted: agents up to 0.60 never retry a Job; agents 1.3 or newer support it"
        findings.append(error("task.job.backoffLimit", message))
    else:
        new = without(new, "task", "job", "backoffLimit")
    if "restrictMetadataService" not in values and not has(new, ("task", "allowMetadataService")):
        message = "not set, so runs could reach the metadata service; now they cannot, unless you set task.allowMetadataService to true"
        findings.append(warning("restrictMetadataService", message))
    rest = without_moved(new, MOVED)[0]
    for section in _SECTIONS:
        unknown = leaves(lookup(rest, *section) or {}, section)
        findings += [error(tuple(map(shown, leaf)), "neither a value of the alpha nor of the present chart") for leaf in unknown]
        rest = without(rest, *section)
        if not any(leaves(lookup(new, *section) or {}, section)):
            new = without(new, *section)
    return new, by_severity([*findings, *parse.unknown_keys(AgentJobValues, rest)])


def move_value(values: Values, row: Moved) -> tuple[Values, list[Finding]]:
    """Values with one of them at its present places, and what is to be said about it."""
    old = lookup(values, *row.old.split("."))
    rest = without(values, *row.old.split("."))
    try:
        value = row.change(old)
    except ValueError as problem:
        return values, [error(row.old, f"cannot be converted: {problem}")]
    if is_empty(value):
        return rest, []
    if not row.to:
        return rest, [error(row.old, f"has no successor: {row.form}")]
    places = [path for path in row.to if not row.is_default or is_empty(lookup(rest, *path.split(".")))]
    if not places:
        return rest, [warning(row.old, f"removed, because it had no effect: {' and '.join(row.to)} override it")]
    note = f"moved to {' and '.join(row.to)}; {row.note}" if row.note and is_set(old) else ""
    found = [warning(row.old, note)] if note else []
    if row.displaces:
        rest, found = split_shared_value(rest, row, value)
    for path in places:
        placed = place_value(rest, path, value)
        if placed is None:
            return values, [error(row.old, f"cannot be converted: {path} has another value; keep one of the two")]
        rest = placed
    return rest, found


def place_value(values: Values, path: str, value: Any) -> Values | None:
    """Values with one at a path, merged with a map there; `None` if the two contradict each other."""
    keys = path.split(".")
    rest, placed = without(values, *keys) if is_empty(lookup(values, *keys)) else values, nested(keys, value)
    known = without_nulls(rest)
    return merge(rest, placed) if merge(known, placed) == merge(placed, known) else None


def split_shared_value(values: Values, row: Moved, value: Any) -> tuple[Values, list[Finding]]:
    """Values that have room for one at its present place: what controller and worker share there becomes the worker's own."""
    (path,), own = row.to, lookup(values, *row.displaces.split("."))
    shared = lookup(values, *path.split("."))
    if not is_set(shared):
        applies = f"moved to {path}, which also applies to the worker unless {row.displaces} is set"
        return values, [] if is_set(own) else [warning(row.old, applies)]
    rest = without(values, *path.split("."))
    if shared == value or is_set(own):
        overridden = f"removed, because it had no effect: {row.old} and {row.displaces} overrode it"
        return rest, [] if shared == value else [warning(path, overridden)]
    return place_value(rest, row.displaces, shared) or values, []
