"""Values that AWS and Google Cloud would refuse when the machines are created."""

from typing import Any

import pytest
from scalr_agents.machines import forms

from tests.helpers.machines import EC2, GCE, load

SUBNETWORK = "projects/acme/regions/europe-west1/subnetworks/agents"
NO_SUBNETWORK = "expected the name of a subnetwork, its path or its URL: projects/<project>/regions/<region>/subnetworks/<name>"
KEY = "projects/acme/locations/europe-west1/keyRings/agents/cryptoKeys/disks"


def errors(cloud: str, given: dict[str, Any]) -> list[tuple[str, str]]:
    return [(finding.path, finding.message) for finding in load({cloud: given}).findings if finding.severity == "error"]


@pytest.mark.parametrize(
    ("words", "path", "message"),
    [
        ({"subnets": ["subnet-0a", ""]}, "subnets[1]", "given '', which is not a valid ID; expected subnet-<hexadecimal digits>"),
        ({"subnets": [" subnet-0a"]}, "subnets[0]", "given ' subnet-0a', which is not a valid ID; expected subnet-<hexadecimal digits>"),
        (
            {"securityGroups": ["default"]},
            "securityGroups[0]",
            "given 'default', which is not a valid ID; expected sg-<hexadecimal digits>",
        ),
        ({"instanceType": "t3.large "}, "instanceType", "expected an instance type such as t3.medium"),
        ({"instanceType": "e2-standard-2"}, "instanceType", "expected an instance type such as t3.medium"),
        ({"spot": True, "otherInstanceTypes": ["t3.large", "t3"]}, "otherInstanceTypes[1]", "expected an instance type such as t3.medium"),
        ({"rolePath": "scalr"}, "rolePath", "given 'scalr'; it must begin and end with '/', for instance /scalr/"),
        (
            {"logRetentionDays": 31},
            "logRetentionDays",
            f"given 31; allowed: {', '.join(map(str, forms._RETENTIONS))}",
        ),
        ({"amiParameter": "resolve:ssm:/a"}, "amiParameter", "expected the name of an SSM parameter"),
        ({"tags": {"aws:team": "a"}}, "tags.aws:team", "not a valid tag key: use at most 128 characters, not starting with aws:"),
        (
            {"tags": {"team": "a, b"}},
            "tags.team",
            "not a valid tag value: use at most 256 letters, digits, spaces and any of _ . : / = + - @",
        ),
        (
            {"tags": {"team": "a" * 257}},
            "tags.team",
            "not a valid tag value: use at most 256 letters, digits, spaces and any of _ . : / = + - @",
        ),
    ],
)
def test_invalid_values_for_aws(words: dict[str, Any], path: str, message: str) -> None:
    assert errors("ec2", {**EC2, **words}) == [(f"scalr-agents:machines.it.ec2.{path}", message)]


@pytest.mark.parametrize(
    ("words", "path", "message"),
    [
        ({"machineType": "t3.large"}, "machineType", "expected a machine type such as e2-standard-2"),
        ({"subnetwork": " "}, "subnetwork", NO_SUBNETWORK),
        ({"subnetwork": "acme/agents"}, "subnetwork", NO_SUBNETWORK),
        ({"subnetwork": SUBNETWORK, "region": "us-east1"}, "subnetwork", "is in region europe-west1, but the machines are in us-east1"),
        ({"image": "ubuntu 22"}, "image", "expected an image, for instance projects/<project>/global/images/<name>"),
        ({"serviceAccount": "runs"}, "serviceAccount", "expected the email of a service account"),
        (
            {"volume": {"kmsKey": "arn:aws:kms:eu-west-1:111122223333:key/x"}},
            "volume.kmsKey",
            "expected the full name of a key, projects/<project>/locations/<location>/keyRings/<ring>/cryptoKeys/<key>",
        ),
        (
            {"labels": {"team": "Web"}},
            "labels.team",
            "not a valid label value: use at most 63 lower case letters, digits, '-' and '_'",
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
