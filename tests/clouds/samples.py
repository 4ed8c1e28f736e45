"""The sample stacks and the examples of both clouds, and the existing resources that each needs."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.clouds.aws.server import AwsCloud
from tests.clouds.gcp.server import PROJECT
from tests.clouds.stacks import CloudStack
from tests.helpers.example_programs import settings

Prepare = Callable[[CloudStack, Any], None]
"""Sets names of existing resources and tokens in a stack of a cloud."""


def _aws_dev(stack: CloudStack, _: AwsCloud) -> None:
    stack.set_secrets({"runs.token": "token-of-runs"})


def _aws_prod(stack: CloudStack, aws: AwsCloud) -> None:
    place = aws.places["prod"]
    subnets = {f"eu-west-1{zone}": subnet for zone, subnet in zip("abc", place.private, strict=True)}
    driver = aws.client("iam").create_role(RoleName="efs-csi-node", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    words: dict[str, Any] = {"vpcId": place.vpc, "subnets": subnets, "clients": {"securityGroups": [place.nodes]}, "driverRole": driver}
    stack.edit({f"caches.{cache}.efs.{word}": value for cache in ("payments", "platform") for word, value in words.items()})
    stack.edit({"caches.platform.efs.kmsKey": aws.client("kms").create_key()["KeyMetadata"]["Arn"]})
    stack.set_secrets({f"{name}.token": f"token-of-{name}" for name in ("payments", "platform", "vcs")})


def _aws_machines(stack: CloudStack, aws: AwsCloud) -> None:
    first, second, third = aws.places["dev"].private
    stack.edit({"machines.legacy.ec2.subnets": [first, second], "machines.legacy-vcs.ec2.subnets": [third]})
    stack.set_secrets({f"{name}.token": f"token-of-{name}" for name in ("legacy", "legacy-vcs")})


def _gcp_machines(stack: CloudStack, _: Any) -> None:
    stack.set_secrets({"legacy.token": "token-of-legacy"})


def _gcp_prod(stack: CloudStack, _: Any) -> None:
    stack.set_secrets({f"{name}.token": f"token-of-{name}" for name in ("apps", "data")})


STACKS: Mapping[str, Prepare] = {
    "aws-dev": _aws_dev,
    "aws-prod": _aws_prod,
    "aws-machines": _aws_machines,
    "gcp-machines": _gcp_machines,
    "gcp-prod": _gcp_prod,
}


def _on_aws(stack: CloudStack, aws: AwsCloud) -> None:
    place = aws.places["prod"]
    [table] = aws.client("ec2").describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [place.vpc]}])["RouteTables"]
    there = {"subnets": ",".join(place.private), "vpcId": place.vpc, "routeTableId": table["RouteTableId"], "cidr": "10.2.64.0/24"}
    _configure(stack, there)


def _on_google(stack: CloudStack, _: Any) -> None:
    _configure(stack, {"gcp:project": PROJECT})


def _configure(stack: CloudStack, there: Mapping[str, str]) -> None:
    """Set the documented configuration of the example, with the names of existing resources."""
    needed = {each.key: each for each in settings(stack.directory.name)}
    known = {key: there.get(key, each.value) for key, each in needed.items() if not each.secret}
    known |= {key: value for key, value in there.items() if key == "cidr"}  # which the example has a default for
    stack.set_config({_full(stack, key): value for key, value in known.items()})
    stack.set_config({_full(stack, key): f"hidden-{key}" for key, each in needed.items() if each.secret}, secret=True)


def _full(stack: CloudStack, key: str) -> str:
    return key if ":" in key else f"{stack.project_name}:{key}"


EXAMPLES: Mapping[str, Prepare] = {
    "caches-aws": _on_aws,
    "eks": _on_aws,
    "machines-aws": _on_aws,
    "caches-gcp": _on_google,
    "gke": _on_google,
}


def is_on_aws(name: str) -> bool:
    return name.startswith("aws-") or EXAMPLES.get(name) is _on_aws
