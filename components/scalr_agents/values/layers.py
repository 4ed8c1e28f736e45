"""Layers of values: what each source says, and which of them a finding speaks of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

from scalr_agents.values.findings import Finding, join
from scalr_agents.values.merge import Values, merge

_PART = re.compile(r"\[\d+\]|(?:\\.|[^.\[\\])+")


class Layer(NamedTuple):
    """Values from one place of the user's input.

    `place` is that place (`values`, a file's name, `scalr-agents:common.url`). A `word` is translated: its whole content comes from
    the place itself, and paths of values mean nothing to the user there.
    """

    place: str
    values: Values
    word: bool = False

    def at(self, path: str) -> str:
        """The place of one of the values, as the user would look for it. A file's name ends with a colon."""
        if self.word:
            return self.place
        return f"{self.place} {path}" if self.place.endswith(":") else join(self.place, path)


def combine(layers: Sequence[Layer]) -> Values:
    """All layers merged, later ones winning."""
    return reduce(merge, (layer.values for layer in layers), {})


def locate(finding: Finding, layers: Sequence[Layer], default: str) -> Finding:
    """The finding with the place in the user's input that it speaks of: the last layer that says something there, or `default`."""
    parts = [part.replace("\\", "") for part in _PART.findall(finding.path)]
    places = [layer for layer in layers if parts and says(layer.values, parts)]
    return replace(finding, path=(places[-1] if places else Layer(default, {})).at(finding.path))


def says(values: Any, parts: Sequence[str]) -> bool:
    """Whether values say anything, be it null, at a path. A list or a scalar is said as a whole."""
    for part in parts:
        if not isinstance(values, Mapping):
            return True
        if part not in values:
            return False
        values = values[part]
    return True
