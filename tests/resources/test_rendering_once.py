"""A deployment makes the objects of an agent once: they are shared by its checks and its components."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from scalr_agents import charts

from tests.helpers.agent_job import DEADLINE
from tests.helpers.components import record
from tests.helpers.programs import stack_with

KINDS = {"AgentJob": "agent-job", "AgentLocal": "agent-local", "AgentK8s": "agent-k8s"}
ARGS: dict[str, Any] = {"namespace": "scalr", "url": "https://acme.scalr.io", "token": "s3cr3t-token"}
AGENTS: dict[str, dict[str, Any]] = {
    "agent-job": {"agentVersion": "0.57.0", "values": DEADLINE},
    "agent-local": {"agentVersion": "0.59.0"},
    "agent-k8s": {"agentVersion": "0.53.0"},
}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each group of each chart is made."""
    counted: Counter[str] = Counter()

    def counting(at: str, function: Any) -> Any:
        def call(*args: Any) -> Any:
            counted[at] += 1
            return function(*args)

        return call

    for kind in charts.CHARTS:
        groups = charts.find(kind).groups
        for group, function in dict(groups).items():
            monkeypatch.setitem(groups, group, counting(f"{kind} {group}", function))
    return counted


def once(kind: str) -> dict[str, int]:
    return {f"{kind} {group}": 1 for group in charts.find(kind).groups}


@pytest.mark.parametrize("component", KINDS)
@pytest.mark.parametrize(
    ("more", "looks_up"),
    [
        (dict, False),
        (lambda: {"agent_image": pulumi.Output.from_input("acme.io/agent:1")}, False),
        (lambda: {"network": {"egress": {"enforced_by": "gke"}}}, True),
    ],
    ids=["plain", "image of an output", "API server"],
)
def test_a_component_makes_its_objects_once(
    component: str, more: Callable[[], dict[str, Any]], made: Counter[str], *, looks_up: bool
) -> None:
    values = {"serviceAccount": {"create": True, "automountToken": True}} if component == "AgentLocal" else {}  # else it needs no server
    recording = record(component, lambda: {**ARGS, "values": values, **more()})
    assert bool(recording.readings) is looks_up
    assert made == once(KINDS[component])


@pytest.mark.parametrize("kind", KINDS.values())
def test_a_stack_makes_the_objects_of_an_agent_once(kind: str, made: Counter[str]) -> None:
    recording = stack_with({}, {"runs": {"kind": kind, "namespace": "scalr", **AGENTS[kind]}})
    assert recording.error is None, recording.error
    assert made == once(kind)
