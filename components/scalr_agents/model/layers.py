"""Layers of values: what each source says, and which of them a finding speaks of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

from scalr_agents.model.findings import Finding, Path, Position
from scalr_agents.model.merge import Values, merge


class Layer(NamedTuple):
    """Values from one place of the user's input.

    `place` is that place, and empty for a values file, whose name is `file`. A `word` is translated: its whole content comes from the
    place itself, and paths of values mean nothing to the user there.
    """

    place: Path
    values: Values
    word: bool = False
    file: str = ""

    def own(self, finding: Finding) -> Finding:
        """A finding on one of the values, with the place where the user would look for it."""
        at = self.place if self.word else (*self.place, *finding.at)
        return replace(finding, at=at, position=Position(self.file) if self.file else finding.position)


def combine(layers: Sequence[Layer]) -> Values:
    """All layers merged, later ones winning."""
    return reduce(merge, (layer.values for layer in layers), {})


def locate(finding: Finding, layers: Sequence[Layer], default: Path) -> Finding:
    """The finding with the place in the user's input that it speaks of: the last layer that says something there, or `default`."""
    saying = [layer for layer in layers if finding.at and says(layer.values, finding.at)]
    return (saying[-1] if saying else Layer(default, {})).own(finding)


def says(values: Any, path: Sequence[str | int]) -> bool:
    """Whether values say anything, be it null, at a path. A list or a scalar is said as a whole."""
    for part in path:
        if not isinstance(values, Mapping):
            return True
        if part not in values:
            return False
        values = values[part]
    return True
