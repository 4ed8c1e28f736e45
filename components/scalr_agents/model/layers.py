"""Layers of values: the values of each source, and the source that a finding belongs to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, Path, Position
from scalr_agents.model.merge import Values, merge


class Layer(NamedTuple):
    """Values from one place of the user's input.

    `place` is its path, and empty for a values file, whose name is `file`. `from_setting` says that a setting was converted into these
    values: findings point to the setting itself, because the user did not write the paths of the values.
    """

    place: Path
    values: Values
    from_setting: bool = False
    file: str = ""

    def at_source(self, finding: Finding) -> Finding:
        """A finding on one of the values, with the path where the user has to look."""
        at = self.place if self.from_setting else (*self.place, *finding.at)
        return replace(finding, at=at, position=Position(self.file) if self.file else finding.position)


def combine(layers: Sequence[Layer]) -> Values:
    """All layers merged; later ones take precedence."""
    return reduce(merge, (layer.values for layer in layers), {})


def locate(finding: Finding, layers: Sequence[Layer], default: Path) -> Finding:
    """The finding with its path in the user's input: in the last layer that sets the value, or `default`."""
    setters = [layer for layer in layers if finding.at and is_given(layer.values, finding.at)]
    return (setters[-1] if setters else Layer(default, {})).at_source(finding)


def is_given(values: Any, path: Sequence[str | int]) -> bool:
    """Whether values set a path, even to null. Lists and scalars are set as a whole."""
    for part in path:
        if not isinstance(values, Mapping):
            return True
        if part not in values:
            return False
        values = values[part]
    return True
