"""A validated agent and its objects."""

from dataclasses import replace

from scalr_agents.charts.shared.inputs import Inputs

from tests.charts.agent_job.changes import MINIMUM
from tests.helpers.validated import validate


def test_objects_are_made_once() -> None:
    agent = validate("agent-job", MINIMUM)
    assert agent.group("controller")["deployment"] is agent.group("controller")["deployment"]


def test_an_agent_with_other_inputs_has_objects_of_its_own() -> None:
    agent = validate("agent-job", MINIMUM)
    assert "env-secret" not in agent.group("controller")
    assert "env-secret" in replace(agent, inputs=Inputs(secret_env={"A": "b"})).group("controller")
