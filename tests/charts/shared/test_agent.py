"""A validated agent and its objects."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.loading import load

from tests.helpers.agent_job import MINIMUM
from tests.helpers.validated import validate


@pytest.mark.parametrize("name", charts.CHARTS)
def test_objects_are_created_once(name: str) -> None:
    chart, made = charts.find(name), Counter[str]()

    def counted(group: str) -> Any:
        def make(*described: Any) -> Any:
            made[group] += 1
            return chart.groups[group](*described)

        return make

    values = {"agent": MINIMUM["agent"]}
    counting: Any = type("Counting", (chart,), {"groups": {group: counted(group) for group in chart.groups}})
    agent = load(counting, values, release="runs", namespace="scalr")
    assert agent.objects == agent.with_definitions()[-len(agent.objects) :]
    assert agent.by_role("digest").keys() == {role for group in chart.groups for role in agent.group(group)}
    assert made == dict.fromkeys(chart.groups, 1)


def test_other_inputs_create_other_objects() -> None:
    agent = validate("agent-job", MINIMUM)
    assert "env-secret" not in agent.group("controller")
    assert "env-secret" in replace(agent, inputs=Inputs(secret_env={"A": "b"})).group("controller")
