"""The positions of findings in the files of a stack."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from scalr_agents.model.findings import Finding, Path as KeyPath, Position
from scalr_agents.model.origins import Document
from scalr_agents.stack.model import PREFIX
from scalr_agents.stack.source import Source, SourceError, read_text, shown


def locate(findings: Iterable[Finding], source: Source) -> list[Finding]:
    """The findings with their positions."""
    positions = SourceMap(source)
    return [replace(finding, position=_position(finding, positions)) for finding in findings]


def _position(finding: Finding, positions: "SourceMap") -> Position:
    known = finding.position
    if known is None:
        return positions.of(_path(finding, positions.source))
    if known.line:
        return known._replace(file=shown(positions.source.directory / known.file))
    return positions.in_values_file(known.file, finding.at)


def _path(finding: Finding, source: Source) -> KeyPath:
    """The path of a finding in the configuration. `pulumi config set` without `--path` makes one key of a whole path."""
    flat = finding.path.removeprefix(f"{PREFIX}:")
    if (flat,) in source.origins or not finding.at:
        return (flat,)
    return str(finding.at[0]).removeprefix(f"{PREFIX}:"), *finding.at[1:]


class SourceMap:
    """Positions in a stack's configuration, by path. Each file is read once more for them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._documents: dict[Path, Document] = {}

    def of(self, path: KeyPath) -> Position:
        """The position of a path such as `("agents", "runs", "kind")` in the stack file, or in the project file for a default."""
        for length in range(len(path), 0, -1):
            if origin := self.source.origins.get(path[:length]):
                return self._document(origin.file).position((*origin.path, *path[length:]))
        return Position(shown(self.source.file))

    def in_values_file(self, name: str, path: KeyPath) -> Position:
        """The position in a values file, by the name that the stack file has for it."""
        return self._document(self.source.directory / name).position(path)

    def _document(self, file: Path) -> Document:
        if file not in self._documents:
            try:
                self._documents[file] = Document(shown(file), read_text(file))
            except SourceError:  # gone since it was read
                self._documents[file] = Document(shown(file), "")
        return self._documents[file]
