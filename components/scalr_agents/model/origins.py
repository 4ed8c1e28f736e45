"""Where a value comes from: layers of values, and positions in YAML files by path."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, reduce
from typing import NamedTuple

import yaml

from scalr_agents.model.findings import Finding, Path, Position, error
from scalr_agents.model.maps import Values, is_given, merge
from scalr_agents.model.yaml_io import YamlError

_MERGE = "<<"
_Pair = tuple[yaml.Node, yaml.Node]


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


class Document:
    """A YAML file in which positions are looked up. `name` is its name in findings."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._maps: dict[yaml.MappingNode, dict[str, _Pair]] = {}

    @cached_property
    def _root(self) -> yaml.Node | None:
        with suppress(yaml.YAMLError):
            return yaml.compose(self.text, yaml.CSafeLoader)
        return None

    def position(self, path: Path) -> Position:
        """The position of a key or an item, or of its nearest ancestor in the file; only the file if there is none."""
        node, mark = self._root, None
        for part in path:
            below = self._below(node, part)
            if below is None:
                break
            mark, node = below[0].start_mark, below[1]
        return Position(self.name, mark.line + 1, mark.column + 1) if mark else Position(self.name)

    def _below(self, node: yaml.Node | None, part: str | int) -> _Pair | None:
        """The node under a key of a map, with the key's node, or at an index of a list."""
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            return node.value[part], node.value[part]
        return self._entries(node).get(str(part)) if isinstance(node, yaml.MappingNode) else None

    def _entries(self, node: yaml.MappingNode) -> Mapping[str, _Pair]:
        """The entries of a map: its own, then those that it merges. They are collected once per map."""
        if node in self._maps:
            return self._maps[node]
        entries = self._maps[node] = {key.value: (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
        for key, merged in node.value:
            if key.value == _MERGE:
                for other in merged.value if isinstance(merged, yaml.SequenceNode) else [merged]:
                    for name, pair in self._entries(other).items() if isinstance(other, yaml.MappingNode) else ():
                        entries.setdefault(name, pair)
        return entries


def broken(file: str, problem: YamlError) -> Finding:
    """The finding on a file that is not valid YAML."""
    return error("", problem.message, position=Position(file, problem.line, problem.column))
