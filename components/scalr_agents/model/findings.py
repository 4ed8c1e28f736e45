"""Findings: what is wrong with a user's input, in words for the person at the terminal."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

Severity = Literal["error", "warning"]
Path = tuple[str | int, ...]

_PART = re.compile(r"""\[(\d+)\]|\["([^"]*)"\]|((?:\\.|[^.\[\\])+)""")
_MOST_NAMES = 50


class Position(NamedTuple):
    """Where something stands in a file. Line and column begin at 1, and are `None` where they are not known."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


@dataclass(frozen=True)
class Finding:
    """One thing to tell the user. `error` and `warning` make them."""

    severity: Severity
    """An `error` stops everything; a `warning` is printed and the work goes on."""
    at: Path
    """Where it stands in what the user wrote: keys of maps and indexes of lists."""
    message: str
    presumes: tuple[Path, ...] = ()
    """Paths of other values that it would be wrong without."""
    position: Position | None = None
    """Where it stands in a file. A program's arguments have none; a line is looked up when the finding is printed."""

    def __str__(self) -> str:
        return _joined(self.position, self.severity, self.path, self.message)

    @property
    def path(self) -> str:
        """Where it stands, for people: dotted as in `--set` (`agent.tolerations[0].key`)."""
        return dotted(self.at)

    @property
    def text(self) -> str:
        """The finding without its severity, for logs that have one."""
        return _joined(self.position, self.path, self.message)

    def as_json(self) -> dict[str, Any]:
        """The finding as `check -o json` prints it. What is not known is null."""
        position = self.position or Position("")
        return {
            "severity": self.severity,
            "file": position.file or None,
            "line": position.line,
            "column": position.column,
            "path": self.path or None,
            "message": self.message,
        }

    def under(self, prefix: Path) -> "Finding":
        """The same finding, for input in which its path begins with `prefix`."""
        return replace(self, at=(*prefix, *self.at))


def error(path: str | Path, message: str, presumes: Iterable[str | Path] = (), position: Position | None = None) -> Finding:
    """What stops everything. A path may be written dotted."""
    return Finding("error", as_path(path), message, tuple(map(as_path, presumes)), position)


def warning(path: str | Path, message: str, presumes: Iterable[str | Path] = (), position: Position | None = None) -> Finding:
    """What is printed while the work goes on. A path may be written dotted."""
    return Finding("warning", as_path(path), message, tuple(map(as_path, presumes)), position)


def _joined(*parts: object) -> str:
    return ": ".join(str(part) for part in parts if part)


class FindingsError(ValueError):
    """Input that cannot be used. The text lists every finding, errors first; `findings` has them as objects."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = by_severity(findings)
        super().__init__("\n".join(map(str, self.findings)))


class ValuesError(FindingsError):
    """Values of a chart that cannot be rendered."""


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first; within a severity the order of the checks is kept; the same finding once."""
    return sorted(dict.fromkeys(findings), key=lambda finding: finding.severity != "error")


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def warnings(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "warning"]


def dotted(path: Sequence[str | int]) -> str:
    """`("agent", "tolerations", 0, "key")` as `agent.tolerations[0].key`.

    A key with dots is escaped as in `--set`; below a key of a stack file it is quoted, as `pulumi config set --path` takes it.
    """
    in_stack_file = bool(path) and ":" in str(path[0])
    text = str(path[0]) if in_stack_file else ""
    for part in path[1:] if in_stack_file else path:
        quoted = in_stack_file and isinstance(part, str) and "." in part
        text = f'{text}["{part}"]' if quoted else f"{text}[{part}]" if isinstance(part, int) else entry(text, part)
    return text


def as_path(path: str | Path) -> Path:
    """The parts of a path that may be dotted: the reverse of `dotted`. An entry may also be written as Pulumi does, `tokens["a.b"]`."""
    if not isinstance(path, str):
        return path
    return tuple(int(index) if index else quoted or re.sub(r"\\(.)", r"\1", key) for index, quoted, key in _PART.findall(path))


def entry(path: str, key: str) -> str:
    """The path of an entry of a map, with the dots of its key escaped as in `--set`."""
    escaped = key.replace(".", "\\.")
    return f"{path}.{escaped}" if path else escaped


def starts(path: Path, prefix: Path) -> bool:
    """Whether a path is another one, or leads through it."""
    return path[: len(prefix)] == prefix


def unknown_key(given: str, allowed: Iterable[str], elsewhere: Sequence[str] = ()) -> str:
    """The message for a key that does not exist, with the nearest one that does, or the places that have one of this name."""
    names = list(allowed)
    if elsewhere and close_to(given, names) is None:
        return f"unknown key {given!r}; did you mean {' or '.join(elsewhere)}?"
    return f"unknown key {given!r}; {nearest(given, names)}"


def nearest(given: str, allowed: Iterable[str]) -> str:
    """What the user may have meant, or all that there is, as far as it can be read."""
    names = list(allowed)
    close = close_to(given, names)
    if close is not None:
        return f"did you mean {close!r}?"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"allowed: {', '.join(names[:_MOST_NAMES]) or 'none'}{more}"


def close_to(given: str, names: Sequence[str], likeness: float = 0.6) -> str | None:
    """The name that the user may have meant. Of many names only the first are looked at."""
    import difflib

    close = difflib.get_close_matches(given, names[:_MOST_NAMES], n=1, cutoff=likeness)
    if not close:  # a difference in case alone is far away for difflib
        close = [name for name in names if name.lower() == given.lower()]
    return close[0] if close else None
