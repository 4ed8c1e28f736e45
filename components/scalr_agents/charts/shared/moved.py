"""Values of earlier forms of a chart: validation reports where they have moved to, and `convert-values` moves them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, Path, error
from scalr_agents.model.maps import has, lookup, without


class Moved(NamedTuple):
    """A value of an earlier form, and where it is now. Paths are dotted."""

    old: str
    to: tuple[str, ...] = ()
    """Its present places; it goes to each of them. Empty: it has no successor."""
    form: str = ""
    """How its form differs now, or why it has no successor."""
    note: str = ""
    """What changes although the value is converted."""
    change: Callable[[Any], Any] = lambda value: value
    """Its present form. An empty one need not be set. Raises `ValueError` for a value that has none, with the reason."""
    is_section: bool = False
    """Whether the present chart has a section at the old path, so that a map there is not the old value."""
    is_default: bool = False
    """Whether it applies only to those of its present places that are not set."""
    displaces: str = ""
    """Where what is at its present place goes, unless something is set there."""

    @property
    def message(self) -> str:
        """The error on the value."""
        if not self.to:
            return f"an alpha value without a successor; remove it: {self.form}"
        form = f", {self.form}" if self.form else ""
        return f"an alpha value; use {' and '.join(self.to)} instead{form} (scalr-agents convert-values)"

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Whether these values have it."""
        path = self.old.split(".")
        return has(values, path) and not (self.is_section and isinstance(lookup(values, *path), Mapping))


def without_moved(values: Mapping[str, Any], moved: Iterable[Moved]) -> tuple[Mapping[str, Any], list[Finding], list[Path]]:
    """The values without those that have moved, an error for each of those, and their new paths."""
    found = [each for each in moved if each.is_given(values)]
    rest = values
    for each in found:
        rest = without(rest, *each.old.split("."))
    return rest, [error(each.old, each.message) for each in found], [tuple(path.split(".")) for each in found for path in each.to]
