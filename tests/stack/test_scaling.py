"""`scaling` in a stack file."""

from typing import Any

import pytest

from tests.helpers.plain import findings, load

DRAINS = {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 3600}


def stack_of(scaling: Any, kind: str = "agent-local", values: dict[str, Any] = DRAINS) -> dict[str, Any]:
    words = {"kind": kind, "namespace": "scalr", "agentVersion": "1.4.0", "scaling": scaling, "values": values}
    return {"agents": {"it": words}, "secrets": {"it": {"token": "t"}}}


def of_scaling(given: dict[str, Any]) -> list[tuple[str, str]]:
    return [(path, message) for _, path, message in findings(given) if "scaling" in path]


def test_an_agent_that_scales() -> None:
    given = stack_of({"max": 4})
    assert of_scaling(given) == []
    made = {manifest["kind"]: manifest for manifest in load(given).objects()}
    assert made["HorizontalPodAutoscaler"]["spec"]["maxReplicas"] == 4
    assert "replicas" not in made["Deployment"]["spec"]


@pytest.mark.parametrize("kind", ["agent-job", "agent-k8s"])
def test_other_kinds_have_nothing_to_scale(kind: str) -> None:
    message = f"{kind} starts what each run needs, so there is nothing to scale; remove the key"
    assert of_scaling(stack_of({"max": 4}, kind, {})) == [("scalr-agents:agents.it.scaling", message)]


@pytest.mark.parametrize(
    ("scaling", "path", "said"),
    [
        ({"min": 4, "max": 4}, ".max", "4, but min is 4; raise max, or remove scaling and set replicaCount"),
        ({}, ".max", "missing"),
        ({"min": 0, "max": 4}, ".min", "greater than or equal to 1"),
        ({"max": 4, "cpu": 101}, ".cpu", "less than or equal to 100"),
        ({"max": 4, "cup": 50}, ".cup", "did you mean 'cpu'"),
    ],
)
def test_mistakes(scaling: dict[str, Any], path: str, said: str) -> None:
    [(at, message)] = of_scaling(stack_of(scaling))
    assert at == f"scalr-agents:agents.it.scaling{path}"
    assert said in message
