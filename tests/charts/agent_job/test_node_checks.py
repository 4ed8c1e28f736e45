"""The cross-checks of agent-job about deadlines of runs, placeholders, and nodes that are prepared."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.model.findings import Finding
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested
from tests.helpers.validated import validate

BUDGET, JOB, BUFFER = "task.podDisruptionBudget.enabled", "task.job.activeDeadlineSeconds", "task.buffer"
USER = "global.podSecurityContext.runAsUser"
PREPARATION = "persistence.cache.hostPath.preparation"
CACHE = nested("persistence.cache", {"enabled": True, "hostPath": {"path": "/mnt/cache", "preparation": {"enabled": True}}})
NO_RESOURCES = {"worker": {"resources": None}, "runner": {"resources": None}}

Found = list[tuple[str, str]]
HANGS: Found = [("warning", JOB)]


def _findings(given: dict[str, Any], version: str = CURRENT, namespace: str = "scalr", naming: Any = "scoped") -> list[Finding]:
    loaded = validate("agent-job", merge(MINIMUM, given), release="runs", namespace=namespace, agent_version=version, naming=naming)
    return loaded.findings


def _brief(found: list[Finding]) -> Found:
    return [(finding.severity, finding.path) for finding in found]


def _prepared(path: str, value: Any) -> dict[str, Any]:
    return merge(CACHE, nested(path, value))


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (nested(JOB, None), HANGS),
        (merge(nested(JOB, None), nested(BUDGET, False)), []),
        (nested(JOB, 0), [("error", JOB)]),
        (merge(nested(JOB, 0), nested(BUDGET, False)), [("error", JOB)]),
        (nested(JOB, 1), []),
        (merge(nested(JOB, 1), nested(BUDGET, False)), []),
        (nested(JOB, -1), [("error", JOB)]),
        (nested(JOB, "4h"), [("error", JOB)]),
        (nested(f"{BUFFER}.replicas", 3), []),
        (nested(f"{BUFFER}.replicas", -1), [("error", f"{BUFFER}.replicas")]),
        (nested(f"{BUFFER}.replicas", None), []),
        (nested("task", {"buffer": {"replicas": 1}, **NO_RESOURCES}), [("warning", f"{BUFFER}.replicas")]),
        (nested("task", {"buffer": {"replicas": 1}, "worker": {"resources": None}}), []),
        (nested("task", {"buffer": {"replicas": 1}, "runner": {"resources": None}}), []),
        (nested("task", NO_RESOURCES), []),
        (nested(f"{BUFFER}.priorityClassName", "low"), [("warning", f"{BUFFER}.priorityClassName")]),
        (nested(BUFFER, {"replicas": None, "priorityClassName": "low"}), []),
        (nested("task", {"buffer": {"replicas": None}, **NO_RESOURCES}), [("warning", f"{BUFFER}.replicas")]),
        (nested(BUFFER, {"replicas": 1, "priorityClassName": "low"}), []),
        (nested(f"{BUFFER}.priorityClassName", "Not_A_Name"), [("error", f"{BUFFER}.priorityClassName")]),
    ],
)
def test_deadlines_and_placeholders(given: dict[str, Any], version: str, expected: Found) -> None:
    assert _brief(_findings(given, version)) == expected


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_the_defaults_have_one_warning(version: str) -> None:
    given = {"agent": MINIMUM["agent"]}
    found = charts.check("agent-job", given, release="runs", namespace="scalr", agent_version=version)
    (finding,) = found
    assert str(finding) == (
        "warning: task.job.activeDeadlineSeconds: not set: a run that hangs blocks the drain of its node forever; "
        "set the longest time that a run may take, for instance 14400"
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (CACHE, []),
        (nested(f"{PREPARATION}.enabled", True), [("error", f"{PREPARATION}.enabled")]),
        (
            _prepared("persistence.cache.enabled", False),
            [("warning", "persistence.cache.hostPath.path"), ("error", f"{PREPARATION}.enabled")],
        ),
        (_prepared("persistence.cache.hostPath.path", ""), [("error", f"{PREPARATION}.enabled")]),
        (_prepared(f"{PREPARATION}.image.tag", ""), [("error", f"{PREPARATION}.image.tag")]),
        (_prepared(f"{PREPARATION}.image.tag", "latest"), [("warning", f"{PREPARATION}.image.tag")]),
        (nested(f"{PREPARATION}.image.tag", "latest"), []),
        (nested(f"{PREPARATION}.resources.limits.cpu", "fast"), [("error", f"{PREPARATION}.resources.limits.cpu")]),
        (_prepared(f"{PREPARATION}.resources.requests.memory", "1Gi"), [("error", f"{PREPARATION}.resources.requests.memory")]),
        (_prepared("global.podSecurityContext.runAsUser", object()), [("error", f"{PREPARATION}.enabled")]),
        (_prepared("task.podSecurityContext.fsGroup", object()), [("error", f"{PREPARATION}.enabled")]),
        (_prepared("task.worker.securityContext.runAsGroup", object()), [("error", f"{PREPARATION}.enabled")]),
        *((_prepared(USER, user), [("error", USER)]) for user in ("abc", 1.5, True)),
        (_prepared("global.podSecurityContext.runAsUser", 2000.0), []),
        (_prepared("agent.podSecurityContext.runAsUser", object()), []),
        (nested("global.podSecurityContext.runAsUser", object()), []),
    ],
)
def test_preparation_settings_are_checked(given: dict[str, Any], expected: Found) -> None:
    assert sorted(_brief(_findings(given))) == sorted(expected)


@pytest.mark.parametrize("path", ["/", "//", "/etc", "/etc/cache", "/var/lib", "/var/lib/kubelet/x", "/mnt/disks/", "/home/kubernetes/bin"])
def test_system_directories_are_not_prepared(path: str) -> None:
    (finding,) = _findings(_prepared("persistence.cache.hostPath.path", path))
    assert (finding.severity, finding.path) == ("error", "persistence.cache.hostPath.path")
    assert finding.message.startswith(f"{path} is a system directory: preparing it would change the owner of everything in it")
    assert _findings(merge(_prepared("persistence.cache.hostPath.path", path), nested(f"{PREPARATION}.enabled", False))) == []


@pytest.mark.parametrize(
    "path", ["/scalr", "/var/lib/scalr", "/var/lib/kubelets", "/mnt/disks/ssd0/scalr-agent-cache", "/home/kubernetes/bin/scalr-agent-cache"]
)
def test_dedicated_directories_are_prepared(path: str) -> None:
    assert _findings(_prepared("persistence.cache.hostPath.path", path)) == []


def test_node_paths_must_not_contain_dots() -> None:
    (finding,) = _findings(nested("persistence.cache.hostPath.path", "/cache/../etc"))
    assert finding.message == "contains '..', which Kubernetes rejects in a path of the node; given '/cache/../etc'"


def test_preparation_requires_the_current_line() -> None:
    (finding,) = _findings(CACHE, LEGACY)
    assert (finding.severity, finding.path) == ("error", "persistence.cache.hostPath")
    assert "agents 0.57 to 1.1 do not support it" in finding.message


@pytest.mark.parametrize(
    ("namespace", "naming", "version", "name"),
    [
        ("system-runs", "scoped", LEGACY, "system-runs.runs-agent-job-buffer"),
        ("system-runs", "chart", CURRENT, "system-runs.runs-scalr-agent-buffer"),
        ("kube-system", "scoped", CURRENT, ""),
        ("systems", "scoped", CURRENT, ""),
    ],
)
def test_reserved_priority_class_names_are_errors(namespace: str, naming: Any, version: str, name: str) -> None:
    found = _findings(nested(f"{BUFFER}.replicas", 1), version, namespace, naming)
    assert _brief(found) == ([("error", f"{BUFFER}.priorityClassName")] if name else [])
    assert all(f"would be named {name!r}" in finding.message for finding in found)
    assert _findings(nested(BUFFER, {"replicas": 1, "priorityClassName": "low"}), version, namespace, naming) == []
    assert _findings({}, version, namespace, naming) == []
