"""Advice for resources that an interrupted deployment has created, and the errors that get it."""

from typing import Any

import pulumi
import pytest
from scalr_agents.machines import Machine
from scalr_agents.machines.settings import AgentSettings, SharedSettings
from scalr_agents.resources.aws.ec2_agents import _while_draining
from scalr_agents.resources.component import is_taken, left_behind

TAKEN = [
    "EntityAlreadyExists: Role with name x already exists.",
    "ResourceExistsException: The operation failed because the secret x already exists.",
    "InvalidLaunchTemplateName.AlreadyExistsException: Launch template name already in use.",
    "InvalidGroup.Duplicate: The security group 'x' already exists",
    "ResourceAlreadyExistsException: The specified log group already exists",
    "AlreadyExists: AutoScalingGroup by this name already exists",
    "Error creating InstanceTemplate: googleapi: Error 409: The resource 'x' already exists, alreadyExists",
    "googleapi: Error 409: Service account x already exists",
]
"""Errors of the clouds, as the providers print them."""


BUSY = [
    "instance refresh cancel: timeout while waiting for state to become 'Cancelled'",
    "InstanceRefreshInProgress: An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.",
]


def failure(operation: str, *errors: str) -> Any:
    return pulumi.ErrorHookArgs("urn", "id", "it", "type", failed_operation=operation, errors=list(errors))


@pytest.mark.parametrize("problem", TAKEN)
def test_existing_names_are_recognized(problem: str) -> None:
    assert is_taken(failure("create", "the provider says:", problem))
    assert not is_taken(failure("update", problem))


@pytest.mark.parametrize("problem", ["AccessDenied: not authorized to perform iam:CreateRole", "Error 403: Permission denied", *BUSY])
def test_other_problems_are_not_explained(problem: str) -> None:
    assert not is_taken(failure("create", problem))


def test_the_advice_deletes_the_resource() -> None:
    assert left_behind("it", "a role r", ["aws iam delete-role --role-name r"]) == (
        "There already is a role r, and the state of this stack does not have it: a deployment of 'it' was interrupted while it was "
        "being created. Delete it, and run `pulumi up` again:\n  aws iam delete-role --role-name r"
    )


@pytest.mark.parametrize("problem", BUSY)
def test_a_change_waits_for_the_previous_one_with_a_limit(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    message: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", message.append)
    now = [1000.0]
    monkeypatch.setattr("scalr_agents.resources.aws.ec2_agents.time.monotonic", lambda: now[0])
    retry = _while_draining("it", Machine("it", "aws", AgentSettings.model_construct(drain_seconds=600), SharedSettings()))
    assert not retry(failure("update", "AccessDenied"))
    answers = []
    for later in (0, 1000, 600, 1000):
        now[0] += later
        answers.append(retry(failure("update", problem)))
    assert answers == [True, True, True, False]
    assert message[0] == "it: an earlier change still waits for runs; waiting for it, at most 28 minutes"
