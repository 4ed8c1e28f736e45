"""Changes of fields, one after another or together, for the stand-ins of clouds and for the real providers."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.engine.stacks import Deployment, up

STEPS = {
    ("create",): "create",
    ("update",): "update",
    ("delete",): "delete",
    ("create-replacement", "replace", "delete-replaced"): "create, delete",
    ("delete-replaced", "replace", "create-replacement"): "delete, create",
}


class Change(NamedTuple):
    """Changed settings, by path, and the steps of the engine, by resource name without that of the component."""

    words: dict[str, Any]
    steps: dict[str, str]


def check(stack: Deployment, below: str, changes: Iterable[Change]) -> None:
    """Make the changes below a path, one after another."""
    component = below.split(".")[1]
    for expected in changes:
        stack.edit({f"{below}.{path}": value for path, value in expected.words.items()})
        made = {name.removeprefix(f"{component}-"): STEPS[steps] for name, steps in up(stack).steps.items()}
        assert made == expected.steps, f"{expected.words}: {made}, expected {expected.steps}"
        assert stack.preview().steps == {}, expected.words


ROLLED = {"launch-template": "update", "group": "update"}
_RULES = ("egress-443-ipv4", "egress-443-ipv6")
_OTHER_NETWORK = {**dict.fromkeys(("security-group", *_RULES), "create, delete"), **ROLLED}
_OTHER_IDENTITY = {
    **dict.fromkeys(("role", "role-policy", "profile", "group"), "create, delete"),
    **dict.fromkeys(("launch-template", "drain"), "update"),
}
_BOUNDARY, _READER = (f"arn:aws:iam::aws:policy/{name}" for name in ("PowerUserAccess", "ReadOnlyAccess"))
_ATTACHED = "policy-arn-aws-iam-aws-policy-ReadOnlyAccess"


def of_places_on_aws(subnets: list[str], group: str) -> list[Change]:
    """Where machines are, and what they may do: in other subnets, and with a security group of the user's."""
    own = ("security-group", *_RULES)
    closed, boundary = {"ec2.policies": None, "allowMetadataService": None}, {"role": "update"}
    return [
        Change(
            {"ec2.egressPorts": [80], "ec2.ssm": True},
            {"egress-80-ipv4": "create", "egress-80-ipv6": "create", "policy-ssm": "create", **_OTHER_NETWORK},
        ),
        Change(
            {"ec2.egressPorts": None, "ec2.ssm": None},
            {"egress-80-ipv4": "delete", "egress-80-ipv6": "delete", "policy-ssm": "delete", **_OTHER_NETWORK},
        ),
        Change({"ec2.policies": [_READER], "allowMetadataService": True}, {_ATTACHED: "create", **ROLLED}),
        Change({"ec2.permissionsBoundary": _BOUNDARY}, boundary),
        Change({"ec2.rolePath": "/scalr/"}, {_ATTACHED: "create, delete", **_OTHER_IDENTITY}),
        Change({"ec2.permissionsBoundary": None, **closed}, {_ATTACHED: "delete", **boundary, **ROLLED}),
        Change({"ec2.rolePath": None}, _OTHER_IDENTITY),
        Change(
            {"ec2.tags": {"team": "web"}, "ec2.subnets": subnets},
            {**dict.fromkeys(("secret", "role", "profile", *own), "update"), **ROLLED},
        ),
        Change({"ec2.securityGroups": [group]}, {**dict.fromkeys(own, "delete"), **ROLLED}),
        Change({"ec2.securityGroups": None}, {**dict.fromkeys(own, "create"), **ROLLED}),
    ]
