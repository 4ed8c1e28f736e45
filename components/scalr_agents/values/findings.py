"""Findings: what is wrong with a user's input, in words for the person at the terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Severity = Literal["error", "warning"]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Finding:
    """One thing to tell the user.

    `path` is where it stands in what the user wrote, dotted as in `--set` (`agent.tolerations[0].key`), with the place of the
    file in front where there is one. An `error` stops everything; a `warning` is printed and the work goes on.
    """

    severity: Severity
    path: str
    message: str
    presumes: str = ""
    """Path of another value that it would be wrong without."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.path}: {self.message}" if self.path else f"{self.severity}: {self.message}"

    def under(self, prefix: str) -> "Finding":
        """The same finding, for a file in which its path begins with `prefix`."""
        return replace(self, path=join(prefix, self.path))


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
    """`("agent", "tolerations", 0, "key")` as `agent.tolerations[0].key`."""
    text = ""
    for part in path:
        text = f"{text}[{part}]" if isinstance(part, int) else entry(text, part)
    return text


def entry(path: str, key: str) -> str:
    """The path of an entry of a map, with the dots of its key escaped as in `--set`."""
    return join(path, key.replace(".", "\\."))


def join(prefix: str, path: str) -> str:
    if not prefix or not path:
        return prefix or path
    return f"{prefix}{path}" if path.startswith("[") else f"{prefix}.{path}"


def unknown_key(given: str, allowed: Iterable[str]) -> str:
    """The message for a key that does not exist, with the nearest one that does."""
    return f"unknown key {given!r}; {nearest(given, allowed)}"


def nearest(given: str, allowed: Iterable[str]) -> str:
    """What the user may have meant, or all that there is."""
    import difflib

    names = list(allowed)
    close = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    if not close:  # a difference in case alone is far away for difflib
        close = [name for name in names if name.lower() == given.lower()]
    return f"did you mean {close[0]!r}?" if close else f"allowed: {', '.join(names) or 'none'}"
