"""Findings: errors and warnings on a user's input, or on a cluster, written for the person at the terminal."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from scalr_agents.model.texts import escaped

Severity = Literal["error", "warning", "note"]
_ORDER: tuple[Severity, ...] = ("error", "warning", "note")
Path = tuple[str | int, ...]

_PART = re.compile(r"""\[(\d+)\]|\["([^"]*)"\]|((?:\\.|[^.\[\\])+)""")
_MOST_NAMES = 50


class Position(NamedTuple):
    """A position in a file. Line and column start at 1, and are `None` if unknown."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part is not None)


@dataclass(frozen=True)
class Finding:
    """An error or a warning for the user. Create it with `error` or `warning`, those about a cluster with the functions of `doctor`."""

    severity: Severity
    """An `error` stops everything; a `warning` is printed and work continues; a `note`, only about clusters, is good to know."""
    at: Path
    """Path in the user's input: keys of maps and indexes of lists."""
    message: str
    presumes: tuple[Path, ...] = field(default=(), compare=False)
    """Paths of other values that must be valid for the finding to apply. Findings that say the same are equal whatever they presume."""
    position: Position | None = None
    """Position in a file; `None` for a program's arguments. The line is looked up when the finding is printed."""
    subject: str = ""
    """What the finding is about if that is no path of the input: `namespace scalr-payments`."""
    advice: str = ""
    """What to do, if the message does not say it."""

    def __str__(self) -> str:
        advice = f". {self.advice}" if self.advice else ""
        return _joined(self.position, self.severity, self.subject or self.path, f"{self.message}{advice}")

    @property
    def path(self) -> str:
        """The path as text, dotted as in `--set` (`agent.tolerations[0].key`)."""
        return dotted(self.at)

    @property
    def text(self) -> str:
        """The finding without its severity, for logs that have their own."""
        return _joined(self.position, self.path, self.message)

    def as_json(self) -> dict[str, Any]:
        """The finding as `check` and `doctor` print it with `-o json`: with its place, or its subject. Unknown fields are null."""
        if self.subject:
            return {"severity": self.severity, "subject": self.subject, "problem": self.message, "advice": self.advice or None}
        position = self.position or Position("")
        return {
            "severity": self.severity,
            "file": escaped(position.file) or None,
            "line": position.line,
            "column": position.column,
            "path": escaped(self.path) or None,
            "message": escaped(self.message),
        }

    def as_github(self) -> str:
        """The finding as a command of GitHub Actions, which makes it an annotation of its line."""
        position = self.position or Position("")
        places = {"file": position.file or None, "line": position.line, "col": position.column}
        properties = ",".join(f"{name}={_encoded(str(value), ':,')}" for name, value in places.items() if value is not None)
        return f"::{self.severity} {properties}".rstrip() + f"::{_encoded(_joined(self.path, self.message))}"

    def under(self, prefix: Path) -> "Finding":
        """The finding with `prefix` added to its path, and to those that it presumes."""
        return replace(self, at=(*prefix, *self.at), presumes=tuple((*prefix, *path) for path in self.presumes))


def error(path: str | Path, message: str, presumes: Iterable[str | Path] = (), position: Position | None = None) -> Finding:
    """A finding that stops everything. The path may be dotted text."""
    return Finding("error", as_path(path), message, tuple(map(as_path, presumes)), position)


def warning(path: str | Path, message: str, presumes: Iterable[str | Path] = (), position: Position | None = None) -> Finding:
    """A finding that is printed while work continues. The path may be dotted text."""
    return Finding("warning", as_path(path), message, tuple(map(as_path, presumes)), position)


def _joined(*parts: object) -> str:
    return ": ".join(escaped(str(part)) for part in parts if part)


def _encoded(text: str, more: str = "") -> str:
    """A text in a command of GitHub Actions, without the characters that end it."""
    return re.sub(f"[%{more}]", lambda found: f"%{ord(found[0]):02X}", escaped(text))


class FindingsError(ValueError):
    """Invalid input. The text lists all findings, errors first; `findings` has them as objects."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = by_severity(findings)
        super().__init__("\n".join(map(str, self.findings)))


class ValuesError(FindingsError):
    """Invalid values of a chart."""


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first, notes last, otherwise in the order of the checks, without duplicates."""
    return sorted(dict.fromkeys(findings), key=lambda finding: _ORDER.index(finding.severity))


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def warnings(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "warning"]


def dotted(path: Sequence[str | int], *, quoted: bool = False) -> str:
    """`("agent", "tolerations", 0, "key")` as `agent.tolerations[0].key`.

    A key with dots is escaped as in `--set`. With `quoted`, and below a key of a stack file, it is quoted, as
    `pulumi config set --path` expects it.
    """
    in_stack_file = bool(path) and ":" in str(path[0])
    text = str(path[0]) if in_stack_file else ""
    for part in path[1:] if in_stack_file else path:
        in_quotes = (quoted or in_stack_file) and isinstance(part, str) and "." in part
        text = f'{text}["{part}"]' if in_quotes else f"{text}[{part}]" if isinstance(part, int) else entry(text, part)
    return text


def as_path(path: str | Path) -> Path:
    """The parts of a path that may be dotted text: the inverse of `dotted`. Also accepts Pulumi's form of an entry, `tokens["a.b"]`."""
    if not isinstance(path, str):
        return path
    return tuple(int(index) if index else quoted or re.sub(r"\\(.)", r"\1", key) for index, quoted, key in _PART.findall(path))


def entry(path: str, key: str) -> str:
    """The path of a map entry, with the dots of its key escaped as in `--set`."""
    escaped = key.replace(".", "\\.")
    return f"{path}.{escaped}" if path else escaped


def starts(path: Path, prefix: Path) -> bool:
    """Whether a path equals `prefix` or is below it."""
    return path[: len(prefix)] == prefix


def unknown_key(given: str, allowed: Iterable[str], elsewhere: Sequence[str] = ()) -> str:
    """The message for an unknown key, with the nearest known key, or with the sections that have a key of this name."""
    names = list(allowed)
    if elsewhere and close_to(given, names) is None:
        return f"unknown key {given!r}; did you mean {' or '.join(elsewhere)}?"
    return f"unknown key {given!r}; {nearest(given, names)}"


def nearest(given: str, allowed: Iterable[str]) -> str:
    """The name that the user may have meant, or a list of the allowed ones, shortened if it is long."""
    names = list(allowed)
    close = close_to(given, names)
    if close is not None:
        return f"did you mean {close!r}?"
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"allowed: {', '.join(names[:_MOST_NAMES]) or 'none'}{more}"


def close_to(given: str, names: Sequence[str]) -> str | None:
    """The name that the user may have meant with one that is wrong. Only the first of many names are compared."""
    return _similar(given, names, 0.6)


def almost(given: str, names: Sequence[str]) -> str | None:
    """The name that the user may have meant with one that could be right: they differ in one letter of seven."""
    return _similar(given, names, 0.85)


def _similar(given: str, names: Sequence[str], likeness: float) -> str | None:
    """The most similar name. `likeness` is the least similarity, as difflib measures it."""
    close = difflib.get_close_matches(given, names[:_MOST_NAMES], n=1, cutoff=likeness)
    if not close:  # difflib does not find names that differ only in case
        close = [name for name in names if name.lower() == given.lower()]
    return close[0] if close else None


Findings = Iterator[Finding]
"""What a check yields."""
