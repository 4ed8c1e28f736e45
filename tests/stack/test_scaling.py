"""`scaling` in a stack file."""

from typing import Any

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
