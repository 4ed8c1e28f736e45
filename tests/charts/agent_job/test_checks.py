"""The cross-checks of agent-job: what each finds, where, and what it lets pass."""

import pytest
from scalr_agents import charts
from scalr_agents.model.findings import ValuesError

from tests.helpers.agent_job import DEADLINE, MINIMUM


def test_all_findings_are_returned_errors_first() -> None:
    given = {
        "agent": {"url": "http://acme", "replicaCount": "2", "logFormat": "xml", "tokn": "x"},
        "task": {"runner": {"resources": {"requests": {"cpu": 9}}}},
        "persistence": {"cache": {"enabled": "yes"}},
    }
    found = charts.check("agent-job", given, release="Runs", namespace="scalr")
    assert [(finding.severity, finding.path) for finding in found] == [
        ("error", "agent.logFormat"),
        ("error", "agent.replicaCount"),
        ("error", "agent.tokn"),
        ("error", "task.runner.resources.requests.cpu"),
        ("error", "persistence.cache.enabled"),
        ("error", "release"),
        ("error", "agent.token"),
        ("warning", "agent.url"),
        ("warning", "task.job.activeDeadlineSeconds"),
    ]


def test_render_raises_every_finding_as_text() -> None:
    with pytest.raises(ValuesError) as raised:
        charts.render("agent-job", {"agent": {"url": "http://acme"}, "tasks": {}, **DEADLINE}, release="runs", namespace="scalr")
    assert str(raised.value).splitlines() == [
        "error: tasks: unknown key 'tasks'; did you mean 'task'?",
        "error: agent.token: missing: set the token of the agent pool, or the name of an existing Secret in agent.tokenExistingSecret.name",
        "warning: agent.url: http:// sends the agent's token unencrypted; use https://",
    ]


@pytest.mark.parametrize(
    ("chart", "version", "message"),
    [
        ("agent-jobs", None, "unknown chart 'agent-jobs'; allowed: agent-job, agent-local, agent-k8s"),
        ("agent-job", "0.56.9", "agent-job does not support agent version 0.56.9; supported: 0.57 to 0.60; 0.61.3 or newer"),
        ("agent-job", "0.61.0", "agent-job does not support agent version 0.61.0; supported: 0.57 to 0.60; 0.61.3 or newer"),
        ("agent-job", "0.61.2", "agent-job does not support agent version 0.61.2; supported: 0.57 to 0.60; 0.61.3 or newer"),
        ("agent-job", "0.57", "agent version '0.57' is incomplete; write 0.57.0"),
    ],
)
def test_unknown_charts_and_versions_are_errors(chart: str, version: str | None, message: str) -> None:
    found = charts.check(chart, MINIMUM, release="runs", namespace="scalr", agent_version=version)
    assert [(finding.severity, finding.path, finding.message) for finding in found] == [("error", "", message)]
    with pytest.raises(ValuesError, match=r"^error: "):
        charts.render(chart, MINIMUM, release="runs", namespace="scalr", agent_version=version)
