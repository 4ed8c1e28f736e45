"""Agents on EC2, in an Auto Scaling group: their settings, and the IAM policies of the machines' role.

The role may read its secret, complete its lifecycle action, and write the agent's log.
"""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.machines.settings import MOST_EGRESS_PORTS, Arguments, Port, Volume, Whole, count
from scalr_agents.model import aws
from scalr_agents.model.fields import Flag, unset
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.forms import REQUIRED, OneOf, Unique, integral
from scalr_agents.model.relations import Is, Relations, check, excludes, no_effect, risky
from scalr_agents.model.section import Section, default

Architecture = Literal["x86_64", "arm64"]
DaysOfLogs = Annotated[
    int | None,
    BeforeValidator(integral),
    OneOf((1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)),
]
"""Retention periods of CloudWatch, in days."""
UBUNTU_ON_EC2 = "/aws/service/canonical/ubuntu/server/22.04/stable/current/{architecture}/hvm/ebs-gp2/ami-id"
"""The public SSM parameter with the ID of the newest image."""


class Ec2Volume(Volume):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    kms_key: aws.KmsKey = ""
    """ARN of the key that encrypts the disk, and the secret. Default: the key that AWS manages. The disk is always encrypted."""


def _architecture_of(instance_type: str) -> Architecture | None:
    """The architecture of common instance types, `None` for others."""
    match = re.fullmatch(r"(?:t3a?|(?P<arm>t4g)|[cmr][5-8](?:(?P<graviton>gd|gn|g)|i|a|id|ad|d|n|in)?)\.\w+", instance_type)
    return None if match is None else "arm64" if match["arm"] or match["graviton"] else "x86_64"


def _architecture(kind: str, others: Sequence[str], architecture: Architecture) -> Findings:
    for each in (kind, *others):
        known = _architecture_of(each)
        if known and known != architecture:
            yield error("architecture", f"is {architecture}, but {each} is {known}")


class Ec2Settings(Section):
    """Machines in an Auto Scaling group on AWS."""

    subnets: Annotated[list[aws.SubnetId], REQUIRED, unset([])] = []
    """IDs of private subnets, all in one VPC, with a NAT gateway or a proxy. The machines run in their zones. Required."""
    instance_type: Annotated[aws.InstanceType, REQUIRED] = ""
    """Instance type. Required."""
    other_instance_types: Annotated[list[aws.InstanceType], unset([])] = []
    """Further instance types that AWS may choose from, as Spot capacity of one type may not be available. Only with `spot`."""
    min: Whole = 1
    """Minimum number of machines. With 0 there may be no machine, and the group cannot scale with CPU use."""
    max: Annotated[int, Field(gt=0), BeforeValidator(integral)] | None = None
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    max_instance_lifetime: Annotated[int, Field(ge=86400, le=31536000), BeforeValidator(integral)] | None = None
    """Seconds after which AWS replaces a machine: a day (86400) to a year. New machines start from the newest image. Default: never."""
    architecture: Architecture = "x86_64"
    """Architecture of the default image."""
    ami: aws.AmiId = ""
    """ID of the machines' image, which must have cloud-init. Default: that of `amiParameter`."""
    ami_parameter: aws.ParameterName = ""
    """Name of an SSM parameter with the ID of an image. Machines read it when they start. Default: the public parameter of Ubuntu 22.04."""
    volume: Ec2Volume = default(Ec2Volume)
    """Root volume of the machines. Its key also encrypts the secret."""
    security_groups: Annotated[list[aws.SecurityGroupId], unset([])] = []
    """IDs of existing security groups. Default: a new group without ingress rules."""
    egress_ports: Annotated[list[Port], Field(max_length=MOST_EGRESS_PORTS)] = []
    """Further TCP ports that the new security group opens for egress, for instance 80 for updates of Ubuntu's packages."""
    policies: Annotated[list[aws.PolicyArn], Unique(), unset([])] = []
    """ARNs of policies for the machines' role: what runs may do in AWS. Runs can use them only with `allowMetadataService`."""
    permissions_boundary: aws.PolicyArn = ""
    """ARN of the policy that limits what the machines' role may do. Default: no boundary."""
    role_path: aws.RolePath = ""
    """Path of the machines' role and instance profile, for instance `/scalr/`. Default: `/`."""
    ssm: Flag = False
    """Allow logins through SSM Session Manager."""
    log_retention_days: DaysOfLogs = None
    """Send the agent's log to CloudWatch, and retain it for this number of days. Default: the log stays on the machine."""
    spot: Flag = False
    """Use Spot instances. AWS can reclaim them with two minutes' notice."""
    tags: aws.Tags = {}
    """Tags of all AWS resources that support them."""

    relations: ClassVar[Relations] = (
        no_effect("ami_parameter", when="ami", because="{ami} is set; keep one of them"),
        no_effect("other_instance_types", unless="spot"),
        no_effect("egress_ports", when="security_groups", because="{security_groups} is set; open the ports there"),
        excludes("log_retention_days", when=Is("runtime", "package"), because="requires {runtime}: docker"),
        risky(
            "spot",
            when=Is("role", "runs"),
            because="AWS reclaims Spot instances with two minutes' notice, also during runs; do not use them for runs",
        ),
        risky(
            "policies",
            unless="allow_metadata_service",
            because="runs cannot use them: set {allow_metadata_service}, which gives runs the machine's identity",
        ),
        risky(
            "ssm",
            when="allow_metadata_service",
            because="its policy, AmazonSSMManagedInstanceCore, can read all parameters of Systems Manager, and with "
            "{allow_metadata_service} so can runs; turn off one of the two",
        ),
        check("max", "min", by=count, named="min"),
        check("instance_type", "other_instance_types", "architecture", by=_architecture),
    )


class Ec2Arguments(Ec2Settings, Arguments):
    """Arguments of `Ec2Agents`."""


_VERSION = "2012-10-17"
SSM_POLICY = "policy/AmazonSSMManagedInstanceCore"


def trust_policy() -> str:
    """The trust policy of the role: EC2 may assume it for the machines."""
    statement = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": _VERSION, "Statement": [statement]})


def machine_policy(secret_arn: str, group: str, key_arn: str = "", log_group: str = "") -> str:
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
