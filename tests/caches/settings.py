"""Settings of caches as programs give them, and the findings on them."""

from typing import Any, TypeVar

from scalr_agents.model import parse
from scalr_agents.model.findings import Finding
from scalr_agents.model.judge import judge
from scalr_agents.model.section import Section, by_name

S = TypeVar("S", bound=Section)
LATER: Any = object()
"""Known only during deployment."""


def parsed(model: type[S], given: dict[str, Any]) -> S:
    settings, findings = parse.parse_arguments(model, given)
    assert settings is not None, findings
    return settings


def findings(model: type[Section], given: dict[str, Any]) -> list[Finding]:
    settings, wrong = parse.parse_arguments(model, given)
    return wrong if settings is None else list(judge(settings, by_name))


def found(model: type[Section], given: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Severity, path and message of each finding."""
    return [(finding.severity, finding.path, finding.message) for finding in findings(model, given)]
