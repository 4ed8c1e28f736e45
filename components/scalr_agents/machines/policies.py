"""IAM policies of a machine's role in AWS: it may read its secret, complete its lifecycle action, and write the agent's log."""

import json
from typing import Any

_VERSION = "2012-10-17"
SSM_POLICY = "policy/AmazonSSMManagedInstanceCore"


def trust() -> str:
    """The trust policy of the role: EC2 may assume it for the machines."""
    statement = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": _VERSION, "Statement": [statement]})


def machine(secret_arn: str, group: str, key_arn: str = "", log_group: str = "") -> str:
    """The policy of the role of the machines in a group.

    `secret_arn` is the ARN of their secret, and `key_arn` that of its key, empty if AWS manages it. `log_group` is the name of the log
    group of the agent, empty if there is none.
    """
    _, partition, _, region, account, *_ = secret_arn.split(":")
    named = f"arn:{partition}:autoscaling:{region}:{account}:autoScalingGroup:*:autoScalingGroupName/{group}"
    statements: list[dict[str, Any]] = [
        {"Sid": "Secret", "Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": secret_arn}
    ]
    if key_arn:
        through = {"kms:ViaService": f"secretsmanager.{region}.amazonaws.com", "kms:EncryptionContext:SecretARN": secret_arn}
        statements.append(
            {"Sid": "Key", "Effect": "Allow", "Action": "kms:Decrypt", "Resource": key_arn, "Condition": {"StringEquals": through}}
        )
    statements.append({"Sid": "Drained", "Effect": "Allow", "Action": "autoscaling:CompleteLifecycleAction", "Resource": named})
    if log_group:
        streams = f"arn:{partition}:logs:{region}:{account}:log-group:{log_group}:*"
        statements.append({"Sid": "Logs", "Effect": "Allow", "Action": ["logs:CreateLogStream", "logs:PutLogEvents"], "Resource": streams})
    return json.dumps({"Version": _VERSION, "Statement": statements})
