"""What the role of a machine on AWS may do: read its secret, leave its group, and write its log."""

from typing import Any

import pytest
from scalr_agents.machines.aws import machine_policy

from tests.helpers.mocked_clouds import ACCOUNT, REGION
from tests.helpers.policies import allows

NAME = "scalr-agents-test-it"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/11111111-2222-3333-4444-555555555555"
SECRET = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:it-AbCdEf"
GROUP = f"arn:aws:autoscaling:{REGION}:{ACCOUNT}:autoScalingGroup:0a1b:autoScalingGroupName/{{}}"


@pytest.mark.parametrize(
    ("action", "resource", "allowed"),
    [
        ("secretsmanager:GetSecretValue", SECRET, True),
        ("secretsmanager:GetSecretValue", SECRET.replace("it-", "other-"), False),
        ("secretsmanager:PutSecretValue", SECRET, False),
        ("autoscaling:CompleteLifecycleAction", GROUP.format(NAME), True),
        ("autoscaling:CompleteLifecycleAction", GROUP.format("other"), False),
        ("autoscaling:SetDesiredCapacity", GROUP.format(NAME), False),
        ("kms:Decrypt", KEY, False),
        ("ec2:DescribeInstances", "*", False),
    ],
)
def test_the_secret_and_the_group_of_the_machine(action: str, resource: str, allowed: bool) -> None:
    assert allows(machine_policy(SECRET, NAME), action, resource) == allowed


def test_the_key_may_only_decrypt_the_secret() -> None:
    policy = machine_policy(SECRET, NAME, KEY)
    context = "kms__EncryptionContext:SecretARN"
    through: dict[str, Any] = {"kms__ViaService": f"secretsmanager.{REGION}.amazonaws.com", context: SECRET}
    assert allows(policy, "kms:Decrypt", KEY, **through)
    assert not allows(policy, "kms:Decrypt", KEY)
    assert not allows(policy, "kms:Decrypt", KEY, **{**through, "kms__ViaService": f"s3.{REGION}.amazonaws.com"})


def test_the_log_group_is_write_only() -> None:
    group = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{NAME}"
    policy = machine_policy(SECRET, NAME, log_group=NAME)
    for action in ("logs:CreateLogStream", "logs:PutLogEvents"):
        assert allows(policy, action, f"{group}:log-stream:ip-10-0-0-1")
        assert not allows(policy, action, f"{group}-other:log-stream:ip-10-0-0-1")
        assert not allows(machine_policy(SECRET, NAME), action, f"{group}:log-stream:ip-10-0-0-1")
    assert not allows(policy, "logs:GetLogEvents", f"{group}:log-stream:ip-10-0-0-1")
