"""Changes of one field after another, for the stand-ins of clouds and for the real providers."""

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
    return [
        Change({"ec2.egressPorts": [80]}, {"egress-80-ipv4": "create", "egress-80-ipv6": "create", **_OTHER_NETWORK}),
        Change({"ec2.egressPorts": None}, {"egress-80-ipv4": "delete", "egress-80-ipv6": "delete", **_OTHER_NETWORK}),
        Change({"ec2.policies": [_READER], "allowMetadataService": True}, {_ATTACHED: "create", **ROLLED}),
        Change({"ec2.permissionsBoundary": _BOUNDARY}, {"role": "update"}),
        Change({"ec2.rolePath": "/scalr/"}, {_ATTACHED: "create, delete", **_OTHER_IDENTITY}),
        Change({"ec2.permissionsBoundary": None}, {"role": "update"}),
        Change({"ec2.policies": None, "allowMetadataService": None}, {_ATTACHED: "delete", **ROLLED}),
        Change({"ec2.rolePath": None}, _OTHER_IDENTITY),
        Change({"ec2.ssm": True}, {"policy-ssm": "create"}),
        Change({"ec2.ssm": None}, {"policy-ssm": "delete"}),
        Change({"ec2.tags": {"team": "web"}}, {**dict.fromkeys(("secret", "role", "profile", *own), "update"), **ROLLED}),
        Change({"ec2.subnets": subnets}, {"group": "update"}),
        Change({"ec2.securityGroups": [group]}, {**dict.fromkeys(own, "delete"), **ROLLED}),
        Change({"ec2.securityGroups": None}, {**dict.fromkeys(own, "create"), **ROLLED}),
    ]


TEMPLATE = {"template": "create, delete", "group": "update"}
_OTHER_ACCOUNT = {**dict.fromkeys(("secret-reader", "template", "group"), "create, delete"), "scaling": "update"}
_OTHER_VPC = {**dict.fromkeys(("egress", "egress-denied"), "delete, create"), **TEMPLATE}


def of_machines_on_google(project: str, shared: str) -> list[Change]:
    """What machines in a project are; `shared` is the path of a subnetwork of another project."""
    key = f"projects/{project}/locations/europe-west1/keyRings/agents/cryptoKeys/disks"
    url = f"https://www.googleapis.com/compute/v1/{shared}"
    return [
        Change({"gce.machineType": "n2-standard-4"}, TEMPLATE),
        Change({"gce.max": 3}, {"scaling": "update"}),
        Change({"gce.min": 2}, {"scaling": "update"}),
        Change({"gce.max": None}, {"scaling": "update"}),
        Change({"gce.image": "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts"}, TEMPLATE),
        Change({"gce.volume": {"size": "50Gi"}}, TEMPLATE),
        Change({"gce.volume": {"size": "50Gi", "kmsKey": key}}, TEMPLATE),
        Change({"gce.volume": None}, TEMPLATE),
        Change({"gce.egressPorts": [80, 8443]}, {"egress": "update"}),
        Change({"gce.labels": {"team": "web"}}, {"secret": "update", **TEMPLATE}),
        Change({"gce.serviceAccount": f"runs@{project}.iam.gserviceaccount.com"}, {"service-account": "delete", **_OTHER_ACCOUNT}),
        Change({"gce.serviceAccount": None}, {"service-account": "create", **_OTHER_ACCOUNT}),
        Change({"gce.subnetwork": shared}, _OTHER_VPC),
        Change({"gce.subnetwork": url}, {}),
        Change({"gce.subnetwork": "agents"}, _OTHER_VPC),
        Change({"gce.region": "us-central1"}, dict.fromkeys(("template", "group", "scaling"), "create, delete")),
        Change({"concurrency": 2}, TEMPLATE),
        Change({"drainSeconds": 600}, TEMPLATE),
        Change({"onChange": "keep"}, {"group": "update"}),
        Change({"allowMetadataService": True}, TEMPLATE),
        Change({"role": "vcs", "concurrency": None, "drainSeconds": None, "allowMetadataService": None}, TEMPLATE),
    ]
