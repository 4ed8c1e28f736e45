"""Values of earlier shapes of a chart: validation knows that they have moved and where to, and `convert-values` moves them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, Path, error
from scalr_agents.model.merge import Values

COMMAND = "scalr-agents convert-values"


class Moved(NamedTuple):
    """Where a value of an earlier shape is now."""

    to: tuple[str, ...] = ()
    """At each of these places. None: it has no successor."""
    note: str = ""
    """How its form differs there, or why it has no successor."""
    is_section: bool = False
    """Whether a section of the present shape stands at the old place, so that a map there is not the old value."""

    @property
    def message(self) -> str:
        if not self.to:
            return f"an alpha value without a successor: {self.note}"
        form = f", {self.note}" if self.note else ""
        return f"an alpha value; it is {' and '.join(self.to)} now{form} ({COMMAND})"


def without(values: Mapping[str, Any], moved: Mapping[str, Moved]) -> tuple[Mapping[str, Any], list[Finding], list[Path]]:
    """The values without those that have moved, an error for each of these, and the places where these are now."""
    found = {old: entry for old, entry in moved.items() if _is_given(values, old.split("."), entry)}
    if not found:
        return values, [], []
    rest: Values = dict(values)
    for old in found:
        _remove(rest, old.split("."))
    findings = [error(old, entry.message) for old, entry in found.items()]
    return rest, findings, [tuple(path.split(".")) for entry in found.values() for path in entry.to]


def _is_given(values: Any, path: list[str], entry: Moved) -> bool:
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return False
        values = values[key]
    return not (entry.is_section and isinstance(values, Mapping))


def _remove(values: Values, path: list[str]) -> None:
    """Remove what stands at a path, and what is empty above it then; `values` are changed, maps in them are copied."""
    key, *below = path
    if not below:
        del values[key]
        return
    values[key] = dict(values[key])
    _remove(values[key], below)
    if not values[key]:
        del values[key]
