"""Findings about a cluster: each has a subject, says what is wrong, and then what to do."""

from scalr_agents.model.findings import Finding


def error(subject: str, problem: str, advice: str) -> Finding:
    """The stack does not work on this cluster as it is."""
    return Finding("error", (), problem, subject=subject, advice=advice)


def warning(subject: str, problem: str, advice: str) -> Finding:
    """The stack may not work on this cluster."""
    return Finding("warning", (), problem, subject=subject, advice=advice)


def note(subject: str, problem: str, advice: str = "") -> Finding:
    """What could not be seen, or is good to know."""
    return Finding("note", (), problem, subject=subject, advice=advice)
