"""Positions in YAML files by path.

Reading a file does not record lines, because valid input needs none. A file with findings is parsed a second time.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property

import yaml

from scalr_agents.model.findings import Finding, Path, Position, error
from scalr_agents.model.yaml_io import YamlError

_MERGE = "<<"
_Pair = tuple[yaml.Node, yaml.Node]


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
