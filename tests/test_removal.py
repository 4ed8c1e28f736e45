"""In what order an agent goes, and how long its removal may wait for runs that mount its claims."""

from typing import Any

import pulumi
import pytest
import scalr_agents

from tests.components import record
from tests.programs import ARGS, TOKEN
from tests.recording import Recording, run

_CLAIMS = {"data": {"enabled": True}, "cache": {"enabled": True}}
_PERMISSIONS = {"service-account", "role", "role-binding", "cluster-role", "cluster-role-binding"}


def _agent(component: str = "AgentJob", **values: Any) -> Recording:
    return record(component, {**ARGS, "token": TOKEN, "values": values})


@pytest.mark.parametrize("version", ["0.57.0", "1.4.0"])
def test_claims_go_before_what_runs_need(version: str) -> None:
    recording = record("AgentJob", {**ARGS, "token": TOKEN, "agent_version": version, "values": {"persistence": _CLAIMS}})
    permissions = {f"it-rbac-{role}" for role in _PERMISSIONS}
    needed = {*permissions, "it-network-policy-egress", "it-controller-token-secret", "it-controller-task-budget"}
    assert recording.depends("it-controller-data-claim") == needed
    assert recording.depends("it-controller-cache-claim") == {*needed, "it-controller-data-claim"}
    assert recording["it-controller-deployment"].dependencies > {"it-controller-data-claim", "it-controller-cache-claim"}
    assert recording.depends("it-controller-task-template") == {*permissions, "it-network-policy-egress"}


def test_a_cache_of_the_stack_goes_after_the_agent() -> None:
    def program() -> None:
        claim = scalr_agents.StorageClassClaim("cache", {"namespace": ARGS["namespace"], "release": "it", "storage_class_name": "shared"})
        name = claim.persistent_volume_claim_name
        opts = pulumi.ResourceOptions(depends_on=[claim])
        scalr_agents.AgentJob("it", {"namespace": ARGS["namespace"], "url": ARGS["url"], "token": TOKEN, "cache_claim_name": name}, opts)

    recording = run(program)
    assert recording.error is None
    agent = [resource.name for resource in recording.resources if resource.custom and resource.name.startswith("it-")]
    assert len(agent) == 10
    assert all("cache-claim" in recording.depends(name) for name in agent)


def test_nothing_waits_for_placeholders() -> None:
    recording = _agent(persistence=_CLAIMS, task={"buffer": {"replicas": 1}})
    assert not [resource.name for resource in recording.resources if "it-controller-buffer" in resource.dependencies]


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        ({"job": {"activeDeadlineSeconds": 600}}, 600 + 360 + 60 + 120),
        ({"job": {"activeDeadlineSeconds": 600}, "terminationGracePeriodSeconds": 900}, 600 + 900 + 60 + 120),
        ({"job": {"activeDeadlineSeconds": 600, "ttlSecondsAfterFinished": 3600}}, 600 + 360 + 3600 + 120),
    ],
)
def test_the_removal_of_a_claim_waits_for_the_longest_run(task: dict[str, Any], seconds: int) -> None:
    recording = _agent(persistence=_CLAIMS, task=task)
    for claim in ("data", "cache"):
        assert dict(recording[f"it-controller-{claim}-claim"].timeouts) == {"delete": f"{seconds}s"}
        assert recording[f"it-controller-{claim}-claim"].error_hooks == ()


@pytest.mark.parametrize("job", [{}, {"activeDeadlineSeconds": 600, "ttlSecondsAfterFinished": None}])
def test_without_a_limit_nobody_knows_how_long(job: dict[str, Any]) -> None:
    recording = _agent(persistence=_CLAIMS, task={"job": job})
    assert [dict(claim.timeouts) for claim in recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")] == [{}, {}]


def test_runs_of_other_kinds_end_with_their_agent() -> None:
    recording = _agent("AgentLocal", persistence={"enabled": True})
    [claim] = recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert dict(claim.timeouts) == {}
    assert claim.name in recording["it-deployment"].dependencies
