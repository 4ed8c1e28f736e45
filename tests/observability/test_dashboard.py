"""The dashboard: that it is the one of its generator, and what it has for each agent. A real Prometheus answers its queries in
`tests/cluster/test_alerts_on_cluster.py`.
"""

import json
from typing import Any

from scalr_agents import observability
from scalr_agents.observability import TEMPLATE

from tests.observability import cases, grafana

STACK = cases.loaded()
DASHBOARD: dict[str, Any] = json.loads(observability.dashboard_of(STACK))
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}


def test_the_dashboard_is_current() -> None:
    """If not: `.venv/bin/python -m tests.observability.grafana`."""
    assert TEMPLATE.read_text(encoding="utf-8") == grafana.template()


def test_every_panel_asks_about_every_agent_that_has_it() -> None:
    agents = {title: {target["legendFormat"].split()[0] for target in panel["targets"]} for title, panel in PANELS.items()}
    with_runs = {"web", "data", "stages"}
    every = {*with_runs, "local", "sets"}
    assert agents == {
        "Runs started": with_runs,
        "Runs pending": with_runs,
        "Runs in progress": with_runs,
        "Duration of runs": with_runs,
        "Failures by reason": every,
        "Memory of limit": every,
        "Disk of limit": every,
        "Cache use": {"web"},
        "Nodes used": every,
        "Controllers available": every,
        "Restarts": every,
        "Alerts": every,
    }


def test_queries_are_complete_and_have_names_of_their_own() -> None:
    for panel in DASHBOARD["panels"]:
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        assert [target["expr"] for target in panel["targets"] if "<" in target["expr"].replace("<=", "")] == []


def test_the_sidecar_finds_the_dashboard() -> None:
    [made] = [each for each in observability.complete(STACK) if each["kind"] == "ConfigMap"]
    metadata = made["metadata"]
    assert (metadata["namespace"], metadata["name"]) == ("scalr", "web-scalr-agent-dashboard")
    assert metadata["labels"]["grafana_dashboard"] == "1"
    [content] = made["data"].values()
    assert json.loads(content) == DASHBOARD


def test_dashboards_of_stacks_differ() -> None:
    other = STACK._replace(agents=STACK.agents[1:])
    assert json.loads(observability.dashboard_of(other))["uid"] != DASHBOARD["uid"]
    assert len(DASHBOARD["uid"]) <= 40
