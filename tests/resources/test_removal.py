"""The order in which an agent is deleted, and the timeouts for runs that mount its claims."""

from typing import Any
from unittest.mock import patch

import pulumi
import pytest
import scalr_agents

from tests.helpers.components import record
from tests.helpers.programs import ARGS, TOKEN, agent_job, stack_with
from tests.helpers.recording import Recording, run

_CLAIMS = {"data": {"enabled": True}, "cache": {"enabled": True}}
_PERMISSIONS = {"service-account", "role", "role-binding", "cluster-role", "cluster-role-binding"}
_EFS: dict[str, Any] = {"efs": {"eksCluster": "prod"}}
_FILESTORE: dict[str, Any] = {"filestore": {"location": "europe-west1-b"}}
_DYNAMIC: dict[str, Any] = {"storageClass": {"name": "agents"}, "onDelete": "delete"}
_UNLIMITED = {"task": {"job": {"activeDeadlineSeconds": None}}}


def _needed_by_runs(agent: str) -> set[str]:
    """What is there before a claim that runs of an agent mount."""
    permissions = {f"{agent}-rbac-{role}" for role in _PERMISSIONS}
    return {*permissions, f"{agent}-network-policy-egress", f"{agent}-controller-token-secret", f"{agent}-controller-task-budget"}


def _agent(component: str = "AgentJob", **values: Any) -> Recording:
    return record(component, {**ARGS, "token": TOKEN, "values": values})


@pytest.mark.parametrize("version", ["0.57.0", "1.4.0"])
def test_claims_are_deleted_before_dependencies_of_runs(version: str) -> None:
    recording = record("AgentJob", {**ARGS, "token": TOKEN, "agent_version": version, "values": {"persistence": _CLAIMS}})
    needed = _needed_by_runs("it")
    assert recording.depends("it-controller-data-claim") == needed
    assert recording.depends("it-controller-cache-claim") == {*needed, "it-controller-data-claim"}
    assert recording["it-controller-deployment"].dependencies > {"it-controller-data-claim", "it-controller-cache-claim"}
    assert recording.depends("it-controller-task-template") == needed - {"it-controller-token-secret", "it-controller-task-budget"}


@pytest.mark.parametrize("cache", [_EFS, _FILESTORE, _DYNAMIC], ids=["efs", "filestore", "class"])
def test_stack_claims_are_deleted_before_dependencies_of_runs(cache: dict[str, Any]) -> None:
    recording = stack_with({"team": cache})
    assert recording.error is None
    [claim] = recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert recording.depends(claim.name) >= _needed_by_runs("runs")
    for name in _needed_by_runs("runs"):
        assert claim.name not in recording.depends(name)
    users = {resource.name for resource in recording.resources if claim.name in recording.depends(resource.name)}
    assert {name for name in users if recording[name].custom} == {"runs-controller-deployment"}
    assert dict(claim.timeouts)["delete"] == f"{14400 + 360 + 60 + 120}s"


def test_permissions_and_policy_stay_without_secrets_and_budgets() -> None:
    """Nothing that an agent has not got leads from its claim to them."""
    bare = {"agent": {"tokenExistingSecret": {"name": "pool"}}, "task": {"podDisruptionBudget": {"enabled": False}}}
    recording = stack_with({"team": _DYNAMIC}, {"runs": {"cache": "team", "values": bare}}, secrets={})
    assert recording.error is None
    direct = {f"runs-rbac-{role}" for role in _PERMISSIONS} | {"runs-network-policy-egress"}
    assert direct <= recording["runs-cache-claim"].dependencies


@pytest.mark.parametrize("given", [pulumi.CustomTimeouts(delete="4h", update="5m"), {"delete": "4h", "update": "5m"}])
def test_given_timeouts_take_precedence(given: Any) -> None:
    values = {"task": {"job": {"activeDeadlineSeconds": 600}}, "persistence": _CLAIMS}
    opts = pulumi.ResourceOptions(custom_timeouts=given)
    recording = run(agent_job("it", opts, values=values))
    assert recording.error is None
    assert recording["it-controller-cache-claim"].timeouts == {"delete": "4h", "update": "5m"}


def test_a_shared_claim_depends_on_objects_of_all_agents() -> None:
    longer = {"values": {"task": {"job": {"activeDeadlineSeconds": 20000}}}}
    vcs = {"kind": "agent-local", "cache": "team"}
    agents = {"one": {"cache": "team"}, "two": {"cache": "team", **longer}, "three": vcs}
    recording = stack_with({"team": _FILESTORE}, agents)
    assert recording.error is None
    [claim] = recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert recording.depends(claim.name) > _needed_by_runs("one") | _needed_by_runs("two")
    assert not [name for name in recording.depends(claim.name) if name.startswith("three-")]
    for deployment in ("one-controller-deployment", "two-controller-deployment", "three-deployment"):
        assert claim.name in recording.depends(deployment)
    assert dict(claim.timeouts) == {"delete": f"{20000 + 360 + 60 + 120}s"}


def test_one_agent_without_deadline_uses_the_default_timeout() -> None:
    recording = stack_with({"team": _FILESTORE}, {"one": {"cache": "team"}, "two": {"cache": "team", "values": _UNLIMITED}})
    [claim] = recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert dict(claim.timeouts) == {}


def test_agents_with_own_claims_do_not_wait_for_others() -> None:
    recording = stack_with({"team": _EFS}, {"one": {"cache": "team"}, "two": {"cache": "team"}})
    assert not [name for name in recording.depends("one-cache-claim") if name.startswith("two-")]
    assert "two-cache-claim" not in recording.depends("one-controller-deployment")


def test_a_stack_that_fails_between_claim_and_agent_ends() -> None:
    with patch("scalr_agents.resources.kubernetes.agent_job.AgentController.of", side_effect=pulumi.RunError("no")):
        recording = stack_with({"team": _EFS})
    assert str(recording.error) == "no"


def test_a_program_can_order_its_own_claim() -> None:
    args: Any = {"namespace": ARGS["namespace"], "url": ARGS["url"], "token": TOKEN, "release": "it"}

    def program() -> None:
        rbac, policy = scalr_agents.AgentRbac("rbac", args), scalr_agents.AgentNetworkPolicy("policy", args)
        opts = pulumi.ResourceOptions(depends_on=[rbac, policy], custom_timeouts=pulumi.CustomTimeouts(delete="4h"))
        claim = scalr_agents.StorageClassClaim("cache", {"namespace": "scalr", "release": "it", "storage_class_name": "shared"}, opts)
        mounted: Any = {**args, "claim_name": claim.claim_name}
        scalr_agents.AgentController("agent", mounted, pulumi.ResourceOptions(depends_on=[rbac, policy]))

    recording = run(program)
    assert recording.error is None
    assert recording.depends("cache-claim") == {f"rbac-{role}" for role in _PERMISSIONS} | {"policy-egress"}
    assert recording["cache-claim"].timeouts == {"create": "1200s", "delete": "4h"}
    assert "cache-claim" in recording["agent-deployment"].dependencies


def test_a_stack_cache_is_deleted_after_the_agent() -> None:
    def program() -> None:
        claim = scalr_agents.StorageClassClaim("cache", {"namespace": ARGS["namespace"], "release": "it", "storage_class_name": "shared"})
        name = claim.claim_name
        opts = pulumi.ResourceOptions(depends_on=[claim])
        scalr_agents.AgentJob("it", {"namespace": ARGS["namespace"], "url": ARGS["url"], "token": TOKEN, "claim_name": name}, opts)

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
def test_without_deadline_the_default_timeout_is_used(job: dict[str, Any]) -> None:
    recording = _agent(persistence=_CLAIMS, task={"job": job})
    assert [dict(claim.timeouts) for claim in recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")] == [{}, {}]


def test_runs_of_other_kinds_end_with_their_agent() -> None:
    recording = _agent("AgentLocal", persistence={"enabled": True})
    [claim] = recording.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert dict(claim.timeouts) == {}
    assert claim.name in recording["it-deployment"].dependencies
