"""Machines in an Auto Scaling group: creation, changes in place, and runs during changes."""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import pytest

from tests.clouds.aws.network import DEPRECATED
from tests.clouds.aws.server import AwsCloud
from tests.clouds.conftest import New
from tests.clouds.stacks import CloudStack
from tests.clouds.watching import watched
from tests.cluster.client import wait
from tests.engine.stacks import up

GROUP = "scalr-agents-aws-machines-legacy"
ADMINISTRATOR, BILLING, READER = (
    f"arn:aws:iam::aws:policy/{name}" for name in ("AdministratorAccess", "job-function/Billing", "ReadOnlyAccess")
)


@pytest.fixture
def machines(on_aws: New, aws: AwsCloud) -> Callable[..., CloudStack]:
    """A stack with one group of machines for runs."""

    def made(**words: Any) -> CloudStack:
        stack = on_aws("aws-machines")
        place = aws.places["dev"]
        ec2 = {"subnets": place.private[:2], "instanceType": "t3.large", "min": 2, **words}
        stack.edit({"machines": {"legacy": {"ec2": ec2, "concurrency": 3}}})
        stack.set_secrets({"legacy.token": "token-of-legacy"})
        return stack

    return made


def attached(aws: AwsCloud) -> set[str]:
    [role] = [role["RoleName"] for role in aws.client("iam").list_roles()["Roles"] if role["RoleName"] != "eks"]
    return {policy["PolicyArn"] for policy in aws.client("iam").list_attached_role_policies(RoleName=role)["AttachedPolicies"]}


def settle(aws: AwsCloud) -> None:
    """Wait until no machine has to go and no refresh is under way."""
    wait(lambda: aws.scaling.is_settled(GROUP), "machines that stay")


def test_removing_a_policy_detaches_no_other(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    stack = machines(policies=[ADMINISTRATOR, BILLING, READER])
    up(stack)
    assert attached(aws) == {ADMINISTRATOR, BILLING, READER}
    for policies in ([BILLING, READER], [READER, ADMINISTRATOR]):
        stack.edit({"machines.legacy.ec2.policies": policies})
        up(stack)
        assert attached(aws) == set(policies)
        assert stack.preview().steps == {}


def _held(aws: AwsCloud, group: str) -> tuple[int, list[int]]:
    """The number of machines with a security group, and its rules."""
    return len(aws.machines_with(group)), aws.rules(group)


def test_the_old_security_group_is_deleted_after_its_machines(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    """The rules stay as long as the group, which stays as long as a machine has it: if another port needs another, and if none does."""
    stack = machines(min=1)
    up(stack)
    other_port = {"common.proxy": {"https": "http://proxy.acme.internal:8080", "except": [".amazonaws.com"]}}
    for words, new in ((other_port, [[443, 443, 8080, 8080]]), ({"machines.legacy.ec2.securityGroups": [aws.places["dev"].nodes]}, [])):
        settle(aws)
        aws.scaling.drain_seconds[GROUP] = 5
        [old] = aws.security_groups(GROUP)
        rules = aws.rules(old)
        assert len(rules) == 4
        stack.edit(words)
        with watched(partial(_held, aws, old)) as seen:
            up(stack)
        assert {tuple(had) for machines, had in seen if machines} == {tuple(rules)}
        assert [aws.rules(group) for group in aws.security_groups(GROUP)] == new
        assert stack.preview().steps == {}


def test_machines_keep_their_role_until_they_are_removed(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    stack = machines(min=1, policies=[READER])
    up(stack)
    settle(aws)
    aws.scaling.drain_seconds[GROUP] = 5
    iam = aws.client("iam")

    def rights() -> tuple[bool, int]:
        """Whether there are machines of the old group, and how many policies their role had just before."""
        try:
            own, others = iam.list_role_policies(RoleName=GROUP), iam.list_attached_role_policies(RoleName=GROUP)
            policies = len(own["PolicyNames"]) + len(others["AttachedPolicies"])
        except iam.exceptions.NoSuchEntityException:
            policies = 0
        group = aws.scaling.groups.get(GROUP)
        return bool(group and group.machines), policies

    stack.edit({"machines.legacy.ec2.rolePath": "/scalr/"})
    with watched(rights) as seen:
        up(stack)
    assert {policies for there, policies in seen if there} == {2}
    assert rights() == (False, 0)
    [other] = aws.scaling.groups
    assert other.startswith(f"{GROUP}-")
    assert stack.preview().steps == {}


def test_changing_the_agent_role_leaves_no_machine_waiting(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    """Machines of both roles complete the action of the one hook, which is there before the first of them and while any is."""
    stack = machines(min=1)
    up(stack)
    settle(aws)
    [first] = aws.scaling.machines(GROUP)
    hooks = aws.client("autoscaling").describe_lifecycle_hooks(AutoScalingGroupName=GROUP)["LifecycleHooks"]
    stack.edit({"machines.legacy.role": "vcs", "machines.legacy.concurrency": None})
    up(stack)
    assert aws.client("autoscaling").describe_lifecycle_hooks(AutoScalingGroupName=GROUP)["LifecycleHooks"] == hooks
    settle(aws)
    [second] = aws.scaling.machines(GROUP)
    assert second.id != first.id
    stack.edit({"machines.legacy.ec2.volume": {"size": "50Gi"}})
    up(stack)
    settle(aws)
    assert aws.scaling.machines(GROUP)[0].id not in {first.id, second.id}
    assert not stack.destroy().failed
    assert aws.scaling.groups == {}


def test_changing_min_does_not_wait_for_machines(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    stack = machines(min=1, max=4)
    up(stack)
    aws.scaling.scale(GROUP, 3)
    settle(aws)
    stack.edit({"machines.legacy.ec2.min": 2})
    changed = up(stack)
    assert changed.steps == {"legacy-group": ("update",)}
    assert len(aws.scaling.machines(GROUP)) == 3
    assert stack.preview().steps == {}


def test_a_deprecated_image_is_still_found(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    aws.client("ec2").create_tags(Resources=[aws.images["amd64"]], Tags=[{"Key": DEPRECATED, "Value": "true"}])
    stack = machines(ami=aws.images["amd64"])
    up(stack)
    assert stack.preview().steps == {}


def test_a_second_change_waits_for_draining_machines(machines: Callable[..., CloudStack], aws: AwsCloud) -> None:
    stack = machines(min=1)
    up(stack)
    settle(aws)
    aws.scaling.drain_seconds[GROUP] = inf
    stack.edit({"machines.legacy.ec2.volume": {"size": "50Gi"}})
    up(stack)
    wait(lambda: any(not machine.stays for machine in aws.scaling.machines(GROUP)), "a machine that drains")
    stack.edit({"machines.legacy.ec2.volume": {"size": "60Gi"}})

    def refreshes() -> list[str]:
        return [each["Status"] for each in aws.scaling.groups[GROUP].refreshes]

    with stack.killable_up() as operation:
        wait(lambda: operation.has_ended() or refreshes() == ["Cancelling"], "the end of the first change")
        assert not operation.has_ended()
        aws.scaling.drain_seconds[GROUP] = 0
        assert not operation.result().failed
    settle(aws)
    assert {machine.version for machine in aws.scaling.machines(GROUP)} == {"3"}
    assert refreshes() == ["Successful", "Cancelled"]
