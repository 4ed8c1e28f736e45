"""Values that AWS and Google Cloud would refuse when the machines are created."""

from typing import Any

import pytest

from tests.helpers.machines import EC2, GCE, load

SUBNETWORK = "projects/acme/regions/europe-west1/subnetworks/agents"
NO_SUBNETWORK = "expected the name of a subnetwork, its path or its URL: projects/<project>/regions/<region>/subnetworks/<name>"
NO_KEY = (
    "expected the full name of a key: projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>. "
    "Look it up: gcloud kms keys list --location=<location> --keyring=<ring> --format='value(name)'"
)
KEY = "projects/acme/locations/europe-west1/keyRings/agents/cryptoKeys/disks"


def errors(cloud: str, given: dict[str, Any]) -> list[tuple[str, str]]:
    return [(finding.path, finding.message) for finding in load({cloud: given}).findings if finding.severity == "error"]


@pytest.mark.parametrize(
    ("words", "path", "message"),
    [
        (
            {"subnets": ["subnet-0a", ""]},
            "subnets[1]",
            "given an empty string; expected the ID of a subnet, for instance subnet-0a1b2c3d4e5f67890",
        ),
        (
            {"subnets": [" subnet-0a"]},
            "subnets[0]",
            "given ' subnet-0a'; expected the ID of a subnet, for instance subnet-0a1b2c3d4e5f67890; did you mean 'subnet-0a'?",
        ),
        (
            {"securityGroups": ["default"]},
            "securityGroups[0]",
            "given 'default'; expected the ID of a security group, for instance sg-0a1b2c3d4e5f67890",
        ),
        (
            {"instanceType": "t3.large "},
            "instanceType",
            "given 't3.large '; expected an instance type, for instance t3.medium; did you mean 't3.large'?",
        ),
        ({"instanceType": "e2-standard-2"}, "instanceType", "given 'e2-standard-2'; expected an instance type, for instance t3.medium"),
        (
            {"spot": True, "otherInstanceTypes": ["t3.large", "t3"]},
            "otherInstanceTypes[1]",
            "given 't3'; expected an instance type, for instance t3.medium",
        ),
        (
            {"rolePath": "scalr"},
            "rolePath",
            "given 'scalr'; expected a path that begins and ends with '/', for instance /scalr/; did you mean '/scalr/'?",
        ),
        (
            {"logRetentionDays": 31},
            "logRetentionDays",
            "given 31; allowed: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653",
        ),
        (
            {"amiParameter": "resolve:ssm:/a"},
            "amiParameter",
            "given a string; expected the name of an SSM parameter, for instance /acme/image",
        ),
        (
            {"tags": {"team": "a, b"}},
            "tags.team",
            "given a string; expected the value of a tag: at most 256 letters, digits, spaces and any of _ . : / = + - @",
        ),
    ],
)
def test_invalid_values_for_aws(words: dict[str, Any], path: str, message: str) -> None:
    assert errors("ec2", {**EC2, **words}) == [(f"scalr-agents:machines.it.ec2.{path}", message)]


@pytest.mark.parametrize(
    ("words", "path", "message"),
    [
        ({"machineType": "t3.large"}, "machineType", "given 't3.large'; expected a machine type, for instance e2-standard-2"),
        ({"subnetwork": " "}, "subnetwork", f"given ' '; {NO_SUBNETWORK}"),
        ({"subnetwork": "acme/agents"}, "subnetwork", f"given 'acme/agents'; {NO_SUBNETWORK}"),
        ({"subnetwork": SUBNETWORK, "region": "us-east1"}, "subnetwork", "is in region europe-west1, but the machines are in us-east1"),
        ({"image": "ubuntu 22"}, "image", "given a string; expected an image, for instance projects/<project>/global/images/<name>"),
        (
            {"serviceAccount": "runs"},
            "serviceAccount",
            "given a string; expected the email of a service account: <name>@<project>.iam.gserviceaccount.com",
        ),
        (
            {"volume": {"kmsKey": "arn:aws:kms:eu-west-1:111122223333:key/x"}},
            "volume.kmsKey",
            f"given 'arn:aws:kms:eu-west-1:111122223333:key/x'; {NO_KEY}",
        ),
        (
            {"labels": {"team": "Web"}},
            "labels.team",
            "given a string; expected the value of a label: at most 63 lower case letters, digits, '-' and '_'",
        ),
    ],
)
def test_invalid_values_for_google(words: dict[str, Any], path: str, message: str) -> None:
    assert errors("gce", {**GCE, **words}) == [(f"scalr-agents:machines.it.gce.{path}", message)]


@pytest.mark.parametrize(
    ("cloud", "given"),
    [
        ("ec2", {**EC2, "instanceType": "u-6tb1.112xlarge", "amiParameter": "/acme/agents:3", "tags": {"team": "Web + Co"}}),
        ("ec2", {**EC2, "securityGroups": ["sg-0123456789abcdef0"], "tags": {"équipe": ""}}),
        ("gce", {**GCE, "subnetwork": SUBNETWORK, "serviceAccount": "runs@acme.iam.gserviceaccount.com", "volume": {"kmsKey": KEY}}),
        ("gce", {**GCE, "labels": {"équipe": "größe_1"}}),
        ("gce", {**GCE, "machineType": "n2-custom-4-16384-ext", "subnetwork": f"https://www.googleapis.com/compute/v1/{SUBNETWORK}"}),
    ],
)
def test_valid_values_have_no_findings(cloud: str, given: dict[str, Any]) -> None:
    assert errors(cloud, given) == []
