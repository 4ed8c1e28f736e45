"""Agents whose number follows their load: the autoscaler, and what would end a run early."""

from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import Inputs, Scaling
from scalr_agents.model.maps import merge

from tests.helpers.agent_local import MINIMUM, VERSIONS, objects
from tests.helpers.opaque import Later
from tests.helpers.schemas import assert_valid
from tests.helpers.validated import validate

SCALED = Inputs(scaling=Scaling(min=2, max=8, cpu=70))
DRAINS: dict[str, Any] = merge(MINIMUM, {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 3600})
CLAIM: dict[str, Any] = {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"accessMode": "ReadWriteOnce"}}}}


def findings(given: dict[str, Any], inputs: Inputs = SCALED) -> list[tuple[str, str, str]]:
    release = {"release": "vcs", "namespace": "scalr", "agent_version": VERSIONS["current"]}
    return [(found.severity, found.path, found.message) for found in validate("agent-local", given, inputs=inputs, **release).findings]


@pytest.mark.parametrize("line", VERSIONS)
def test_the_autoscaler_sets_the_number_of_agents(line: str) -> None:
    plain, made = objects(DRAINS, line=line), objects(DRAINS, SCALED, line=line)
    deployment = made["deployment"]
    assert list(made) == [*plain, "autoscaler"]
    assert deployment["spec"] == {key: value for key, value in plain["deployment"]["spec"].items() if key != "replicas"}
    assert made["autoscaler"] == {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": deployment["metadata"],
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment["metadata"]["name"]},
            "minReplicas": 2,
            "maxReplicas": 8,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 600, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}},
        },
    }
    assert_valid(made["autoscaler"])


def test_a_stateful_set_is_scaled_as_well() -> None:
    made = objects(merge(DRAINS, {"workload": {"kind": "StatefulSet"}}), SCALED)
    assert "replicas" not in made["stateful-set"]["spec"]
    assert made["autoscaler"]["spec"]["scaleTargetRef"] == {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "name": made["stateful-set"]["metadata"]["name"],
    }


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, []),
        ({"replicaCount": None}, []),
        ({"replicaCount": 3}, [("warning", "replicaCount", "has no effect: scaling decides how many agents run")]),
        (
            {"agent": {"shutdownMode": "graceful"}},
            [("error", "agent.shutdownMode", "graceful ends the run of an agent that scaling removes; set drain")],
        ),
        (
            {"agent": {"shutdownMode": "force"}},
            [("error", "agent.shutdownMode", "force ends the run of an agent that scaling removes; set drain")],
        ),
        (
            {"resources": {"requests": {"cpu": None}, "limits": {"cpu": None}}},
            [
                (
                    "error",
                    "resources.requests.cpu",
                    "not set, but scaling compares what agents use with what they request; set it",
                )
            ],
        ),
        ({"resources": {"requests": {"cpu": None}}}, []),
        ({"resources": {"requests": Later(), "limits": None}}, []),
    ],
)
def test_checks(given: dict[str, Any], found: list[tuple[str, str, str]]) -> None:
    assert findings(merge(DRAINS, given)) == found


def test_a_run_needs_time_to_finish() -> None:
    [(severity, path, message)] = findings(merge(MINIMUM, {"agent": {"shutdownMode": "drain"}}))
    assert (severity, path) == ("error", "terminationGracePeriodSeconds")
    assert message == (
        "not set: scaling would give a run 120 seconds to finish when it removes the agent; set it longer than your longest run"
    )


@pytest.mark.parametrize(("least", "most"), [(4, 4), (5, 4)])
def test_the_number_must_be_able_to_change(least: int, most: int) -> None:
    found = findings(DRAINS, Inputs(scaling=Scaling(min=least, max=most)))
    message = f"{most}, but min is {least}; raise max, or remove scaling and set replicaCount"
    assert found == [("error", "scaling.max", message)]


def test_agents_that_scale_cannot_share_a_volume_of_one_node() -> None:
    assert findings(merge(DRAINS, CLAIM), Inputs()) != findings(merge(DRAINS, CLAIM))
    [(severity, path, message)] = findings(merge(DRAINS, CLAIM))
    assert (severity, path) == ("warning", "persistence.cache.persistentVolumeClaim.accessMode")
    assert message.startswith("ReadWriteOnce, but any number of agents mount the claim")


def test_nothing_is_checked_without_scaling() -> None:
    assert findings(MINIMUM, Inputs()) == []
