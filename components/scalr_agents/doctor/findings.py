"""What doctor finds: each finding has a subject, says what is wrong, and then what to do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from scalr_agents.model.characters import escaped

Severity = Literal["error", "warning", "note"]
_ORDER: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Diagnosis:
    """A finding about a cluster."""

    severity: Severity
    """`error`: the stack does not work on this cluster as it is. `warning`: it may not. `note`: what could not be seen, or is good to
    know."""
    subject: str
    """What the finding is about, for instance `namespace scalr-payments`."""
    problem: str
    """What is wrong."""
    advice: str = ""
    """What to do."""

    def __str__(self) -> str:
        return escaped(f"{self.severity}: {self.subject}: {self.problem}" + (f". {self.advice}" if self.advice else ""))

    def as_json(self) -> dict[str, str | None]:
        return {"severity": self.severity, "subject": self.subject, "problem": self.problem, "advice": self.advice or None}


Diagnoses = Iterator[Diagnosis]


def error(subject: str, problem: str, advice: str) -> Diagnosis:
    return Diagnosis("error", subject, problem, advice)


def warning(subject: str, problem: str, advice: str) -> Diagnosis:
    return Diagnosis("warning", subject, problem, advice)


def note(subject: str, problem: str, advice: str = "") -> Diagnosis:
    return Diagnosis("note", subject, problem, advice)


def by_severity(findings: Iterable[Diagnosis]) -> list[Diagnosis]:
    """Errors first, then warnings, then notes; otherwise in the order of the checks, without duplicates."""
    return sorted(dict.fromkeys(findings), key=lambda finding: _ORDER.index(finding.severity))


def count(findings: Iterable[Diagnosis], severity: Severity) -> int:
    return sum(finding.severity == severity for finding in findings)
