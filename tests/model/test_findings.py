"""Findings: messages, paths and order."""

import pytest
from scalr_agents.model.findings import (
    Finding,
    FindingsError,
    Path,
    ValuesError,
    as_path,
    by_severity,
    dotted,
    entry,
    error,
    errors,
    nearest,
    unknown_key,
    warning,
    warnings,
)

ODD = warning("agent.url", "is odd")
WRONG = error("agent.token", "is wrong")
WORSE = error("", "is worse")


@pytest.mark.parametrize(
    ("finding", "text"),
    [(ODD, "warning: agent.url: is odd"), (WRONG, "error: agent.token: is wrong"), (WORSE, "error: is worse")],
)
def test_a_finding_is_one_line(finding: Finding, text: str) -> None:
    assert str(finding) == text


@pytest.mark.parametrize(
    ("finding", "prefix", "path"),
    [(WRONG, "agents.runs.values", "agents.runs.values.agent.token"), (WRONG, "", "agent.token"), (WORSE, "agents", "agents")],
)
def test_a_finding_moves_under_a_prefix(finding: Finding, prefix: str, path: str) -> None:
    assert finding.under(as_path(prefix)) == Finding(finding.severity, as_path(path), finding.message)


def test_errors_come_first_without_duplicates() -> None:
    odder = warning("task", "is odder")
    assert by_severity([odder, WRONG, ODD, WORSE, odder, WRONG]) == [WRONG, WORSE, odder, ODD]
    assert by_severity(finding for finding in (ODD, WRONG)) == [WRONG, ODD]
    assert by_severity([]) == []


def test_findings_are_split_into_errors_and_warnings() -> None:
    findings = [ODD, WRONG, WORSE]
    assert (errors(findings), warnings(findings)) == ([WRONG, WORSE], [ODD])


@pytest.mark.parametrize("kind", [FindingsError, ValuesError])
def test_an_error_lists_every_finding(kind: type[FindingsError]) -> None:
    problem = kind([ODD, WRONG, ODD])
    assert str(problem) == "error: agent.token: is wrong\nwarning: agent.url: is odd"
    assert problem.findings == [WRONG, ODD]
    assert isinstance(problem, ValueError)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("agent",), "agent"),
        (("agent", "tolerations", 0, "key"), "agent.tolerations[0].key"),
        (("rules", 0, 1), "rules[0][1]"),
        ((0, "a"), "[0].a"),
        (("nodeSelector", "kubernetes.io/os"), "nodeSelector.kubernetes\\.io/os"),
        (("scalr-agents:secrets", "runs", "env", "A.B"), 'scalr-agents:secrets.runs.env["A.B"]'),
        (("scalr-agents:agents.runs.kind",), "scalr-agents:agents.runs.kind"),
        (("scalr-agents:agents", "runs", "valuesFiles", 1), "scalr-agents:agents.runs.valuesFiles[1]"),
    ],
)
def test_paths_are_written_as_helm_or_pulumi_takes_them(path: Path, text: str) -> None:
    assert dotted(path) == text


@pytest.mark.parametrize(
    ("path", "key", "text"),
    [("labels", "app", "labels.app"), ("labels", "a.b/c.d", "labels.a\\.b/c\\.d"), ("", "a.b", "a\\.b")],
)
def test_dots_in_entries_are_escaped(path: str, key: str, text: str) -> None:
    assert entry(path, key) == text


@pytest.mark.parametrize(
    ("given", "allowed", "text"),
    [
        ("tokn", ["url", "token"], "did you mean 'token'?"),
        ("replicacount", ["replicas", "replicaCount"], "did you mean 'replicaCount'?"),
        ("replica_count", ["url", "replicaCount"], "did you mean 'replicaCount'?"),
        ("URL", ["token", "url"], "did you mean 'url'?"),
        ("zzz", ["url", "token"], "allowed: url, token"),
        ("zzz", [], "allowed: none"),
        ("", ["url"], "allowed: url"),
    ],
)
def test_a_typo_gets_the_nearest_name_or_all_names(given: str, allowed: list[str], text: str) -> None:
    assert nearest(given, allowed) == text
    assert nearest(given, (name for name in allowed)) == text
    assert unknown_key(given, allowed) == f"unknown key {given!r}; {text}"
