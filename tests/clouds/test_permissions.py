"""The policies of docs/policies allow the calls of deployments, and otherwise only the actions listed here."""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.clouds import samples
from tests.clouds.aws.server import AwsCloud, Call
from tests.clouds.conftest import New
from tests.engine.stacks import up

DOCUMENTS = Path(__file__).parents[2] / "docs" / "policies"
FREE = "sts:GetCallerIdentity"
"""What AWS allows everybody."""
WITH_A_KEY = {
    "kms:CreateGrant": "for disks and file systems",
    "kms:Decrypt": "the content of the secret, to compare it",
    "kms:DescribeKey": "EFS looks at the key that it is given",
    "kms:GenerateDataKey": "the content of the secret",
}
FOR_MACHINES = {
    "autoscaling:CancelInstanceRefresh": "a change before the one before has ended",
    "autoscaling:DescribeInstanceRefreshes": "the same",
    "ec2:RunInstances": "Auto Scaling asks whether the caller may start what the launch template says",
    "iam:CreateServiceLinkedRole": "the first group of an account, and its first Spot instances",
    "iam:PassRole": "machines get their role",
    "iam:PutRolePermissionsBoundary": "a boundary that a role gets later",
    "ssm:GetParameters": "Auto Scaling looks the newest image up for the caller",
    **WITH_A_KEY,
}
"""What AWS demands besides the calls of a deployment, or what the deployments of this module do not need."""
FOR_CACHES = {
    "ec2:CreateNetworkInterface": "EFS creates that of a mount target for the caller",
    "ec2:DeleteNetworkInterface": "the same",
    "eks:DescribeCluster": "`eksCluster`",
    "elasticfilesystem:ModifyMountTargetSecurityGroups": "other `mountTargetSecurityGroups`",
    "iam:CreateServiceLinkedRole": "the first file system of an account",
    **WITH_A_KEY,
}


def allowed(name: str) -> tuple[set[str], list[Mapping[str, Any]]]:
    """The actions of a policy, and its statements."""
    statements = json.loads((DOCUMENTS / f"{name}.json").read_text(encoding="utf-8"))["Statement"]
    return {action for statement in statements for action in statement["Action"]}, statements


def seen(calls: Iterable[Call]) -> set[str]:
    return {call.action for call in calls} - {FREE}


def test_the_machines_policy_matches_the_calls(on_aws: New, aws: AwsCloud) -> None:
    stack = on_aws("aws-machines")
    place = aws.places["dev"]
    key = aws.client("kms").create_key()["KeyMetadata"]["Arn"]
    least = {"subnets": place.private[:2], "instanceType": "t3.large"}
    everything = {
        "otherInstanceTypes": ["t3a.large"],
        "spot": True,
        "max": 3,
        "volume": {"kmsKey": key},
        "policies": ["arn:aws:iam::aws:policy/ReadOnlyAccess"],
        "permissionsBoundary": "arn:aws:iam::aws:policy/PowerUserAccess",
        "logRetentionDays": 30,
        "ssm": True,
        "tags": {"team": "platform"},
    }
    stack.edit({"machines": {"legacy": {"ec2": {**least, **everything}}}})
    stack.set_secrets({"legacy.token": "token-of-legacy"})
    aws.calls.clear()
    up(stack)
    roles = aws.client("iam").list_roles()["Roles"]
    stack.edit({"machines.legacy.ec2": {**least, "logRetentionDays": 60, "tags": {"owner": "web"}, "egressPorts": [80]}})
    up(stack)
    stack.edit({"machines.legacy.ec2.logRetentionDays": None, "machines.legacy.drainSeconds": 600})
    up(stack)
    assert not stack.refresh().failed
    assert not stack.destroy().failed

    actions, statements = allowed("machines-aws")
    assert actions == (seen(aws.calls) | set(FOR_MACHINES)) - {"iam:ListRoles"}
    assert FOR_MACHINES.keys() & seen(aws.calls) == set()
    [only] = [statement["Resource"][0] for statement in statements if statement["Sid"] == "Role"]
    [made] = [role["Arn"].replace("aws-machines", "prod") for role in roles if role["RoleName"] != "eks"]
    assert fnmatchcase(made.replace("123456789012", "111122223333"), only)


def test_the_caches_policy_matches_the_calls(on_aws: New, aws: AwsCloud) -> None:
    stack = on_aws("aws-prod")
    samples.STACKS["aws-prod"](stack, aws)
    aws.calls.clear()
    up(stack)
    words = {"tags": {"owner": "web"}, "throughputMode": "bursting", "infrequentAccessAfterDays": 30}
    stack.edit({f"caches.payments.efs.{word}": value for word, value in words.items()})
    stack.edit({f"caches.{cache}.onDelete": "delete" for cache in ("payments", "platform")})
    up(stack)
    assert not stack.refresh().failed
    assert not stack.destroy().failed
    assert allowed("caches-aws")[0] == seen(aws.calls) | set(FOR_CACHES)
    assert FOR_CACHES.keys() & seen(aws.calls) == set()
