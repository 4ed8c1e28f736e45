"""Values of earlier forms of a chart: validation reports where they have moved to, and `convert-values` moves them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, Path, error
from scalr_agents.model.merge import Values

COMMAND = "scalr-agents convert-values"


class Moved(NamedTuple):
    """Where a value of an earlier shape is now."""

    to: tuple[str, ...] = ()
    """The paths where it is now. Empty: it has no successor."""
    note: str = ""
    """How its form differs now, or why it has no successor."""
    is_section: bool = False
    """Whether the current chart has a section at the old path, so that a map there is not the old value."""

    @property
    def message(self) -> str:
        if not self.to:
            return f"an alpha value without a successor; remove it: {self.note}"
        form = f", {self.note}" if self.note else ""
        return f"an alpha value; use {' and '.join(self.to)} instead{form} ({COMMAND})"


def without(values: Mapping[str, Any], moved: Mapping[str, Moved]) -> tuple[Mapping[str, Any], list[Finding], list[Path]]:
    """The values without those that have moved, an error for each of those, and their new paths."""
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
    """Remove the value at a path, and the maps above it that become empty. Changes `values`; copies the maps in it."""
    key, *below = path
    if not below:
        del values[key]
        return
    values[key] = dict(values[key])
    _remove(values[key], below)
    if not values[key]:
        del values[key]
