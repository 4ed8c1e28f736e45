"""A `pulumi up` that is killed while AWS creates a resource: the next one, and leftover resources."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clouds.aws.server import AwsCloud
from tests.clouds.conftest import New
from tests.clouds.stacks import CloudStack
from tests.engine.stacks import up

NAME = "scalr-agents-aws-machines-legacy"
DOCUMENT = Path(__file__).parents[2] / "docs" / "operations.md"


@pytest.fixture
def stack(on_aws: New, aws: AwsCloud) -> CloudStack:
    made = on_aws("aws-machines")
    made.edit(
        {"machines": {"legacy": {"ec2": {"subnets": aws.places["dev"].private[:2], "instanceType": "t3.large", "logRetentionDays": 30}}}}
    )
    made.set_secrets({"legacy.token": "token-of-legacy"})
    return made


def _delete_profile(aws: AwsCloud) -> None:
    iam = aws.client("iam")
    for role in iam.get_instance_profile(InstanceProfileName=NAME)["InstanceProfile"]["Roles"]:
        iam.remove_role_from_instance_profile(InstanceProfileName=NAME, RoleName=role["RoleName"])
    iam.delete_instance_profile(InstanceProfileName=NAME)


def _delete_secret(aws: AwsCloud) -> None:
    secrets = aws.client("secretsmanager")
    [left] = secrets.list_secrets(Filters=[{"Key": "name", "Values": [NAME]}])["SecretList"]
    secrets.delete_secret(SecretId=left["Name"], ForceDeleteWithoutRecovery=True)


def _delete_security_group(aws: AwsCloud) -> None:
    ec2 = aws.client("ec2")
    filters = [{"Name": "group-name", "Values": ["scalr-agents-aws-machines-legacy-443-3128"]}]
    [left] = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    ec2.delete_security_group(GroupId=left["GroupId"])


def _delete_group(aws: AwsCloud) -> None:
    aws.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=NAME, ForceDelete=True)


REMOVE_GROUP = "aws autoscaling delete-auto-scaling-group --force-delete --auto-scaling-group-name {}"
LEFT_BEHIND: dict[str, tuple[str, Callable[[AwsCloud], None]]] = {
    "CreateRole": ("aws iam delete-role --role-name {}", lambda aws: aws.client("iam").delete_role(RoleName=NAME)),
    "CreateInstanceProfile": ("aws iam delete-instance-profile --instance-profile-name {}", _delete_profile),
    "CreateSecret": ("aws secretsmanager delete-secret --force-delete-without-recovery --secret-id <name>", _delete_secret),
    "CreateLaunchTemplate": (
        "aws ec2 delete-launch-template --launch-template-name {}",
        lambda aws: aws.client("ec2").delete_launch_template(LaunchTemplateName=NAME),
    ),
    "CreateSecurityGroup": ("aws ec2 delete-security-group --group-id <id>", _delete_security_group),
    "CreateLogGroup": (
        "aws logs delete-log-group --log-group-name {}",
        lambda aws: aws.client("logs").delete_log_group(logGroupName=NAME),
    ),
    "CreateAutoScalingGroup": (REMOVE_GROUP, _delete_group),
    "UpdateAutoScalingGroup": (REMOVE_GROUP, _delete_group),
}
"""The command that deletes what an operation has created, and the same through the API."""


@pytest.mark.parametrize("operation", LEFT_BEHIND)
def test_leftover_resources_are_found_and_not_created_twice(operation: str, stack: CloudStack, aws: AwsCloud) -> None:
    advised, delete = LEFT_BEHIND[operation]
    stack.killed_while(aws.holding(operation))
    refused = stack.up()
    assert refused.failed
    assert "There already is a" in refused.output
    assert f"  {advised.format(NAME)}\n" in refused.output
    assert advised.partition(" --")[0] in DOCUMENT.read_text(encoding="utf-8")

    delete(aws)
    up(stack)
    assert stack.preview().steps == {}
    assert not stack.destroy().failed
    left = [role["RoleName"] for role in aws.client("iam").list_roles()["Roles"]]
    assert left == ["eks"]
    assert aws.client("iam").list_instance_profiles()["InstanceProfiles"] == []
    assert aws.client("ec2").describe_launch_templates()["LaunchTemplates"] == []
    assert aws.client("secretsmanager").list_secrets()["SecretList"] == []
    assert aws.security_groups(NAME) == []
    assert aws.scaling.groups == {}


@pytest.mark.parametrize("operation", ["PutRolePolicy", "PutLifecycleHook", "PutSecretValue"])
def test_repeatable_operations_need_no_repair(operation: str, stack: CloudStack, aws: AwsCloud) -> None:
    stack.killed_while(aws.holding(operation))
    if operation == "PutLifecycleHook":
        _delete_group(aws)  # it is put while the group is being created
    up(stack)
    assert stack.preview().steps == {}


def test_a_leftover_group_has_no_machine(stack: CloudStack, aws: AwsCloud) -> None:
    """The group gets machines only after its hook, so a leftover group is empty."""
    stack.killed_while(aws.holding("CreateAutoScalingGroup"))
    assert not stack.destroy().failed
    assert {name: group.machines for name, group in aws.scaling.groups.items()} == {NAME: []}
    assert aws.security_groups(NAME) == []
