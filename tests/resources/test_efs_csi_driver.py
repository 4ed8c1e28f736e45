"""What the EFS driver of a cluster registers, and who may take its role."""

from typing import Any

import pulumi
import pytest

from tests.helpers.components import inputs, record
from tests.helpers.mocked_clouds import ACCOUNT, REGION
from tests.helpers.policies import allows

ROLE = "arn:aws:iam::111122223333:role/efs-csi"
MADE_ROLE = f"arn:aws:iam::{ACCOUNT}:role/it-role-5c8d275c"
ADDON_ARN = f"arn:aws:eks:{REGION}:{ACCOUNT}:addon/prod:aws-efs-csi-driver"


def addon(role: str, tags: dict[str, str]) -> dict[str, Any]:
    return {
        "clusterName": "prod",
        "addonName": "aws-efs-csi-driver",
        "podIdentityAssociations": [{"roleArn": role, "serviceAccount": "efs-csi-controller-sa"}],
        "tags": tags,
    }


def test_driver_with_a_new_role() -> None:
    recording = record("EfsCsiDriver", {"cluster_name": "prod", "tags": {"team": "web"}})
    made = inputs(recording)
    assert made.keys() == {"role", "role-policy", "addon"}
    assert made["role"].keys() == {"assumeRolePolicy", "tags"}
    assert made["role"]["tags"] == {"team": "web"}
    assert made["role-policy"] == {
        "role": "it-role-5c8d275c",
        "policyArn": "arn:aws:iam::aws:policy/service-role/AmazonEFSCSIDriverPolicy",
    }
    assert made["addon"] == addon(MADE_ROLE, {"team": "web"})
    assert recording.outputs["it"] == {"roleArn": MADE_ROLE, "addonArn": ADDON_ARN}


def test_the_driver_waits_for_its_role_policies() -> None:
    assert record("EfsCsiDriver", {"cluster_name": "prod"}).depends("it-addon") == {"it-role", "it-role-policy"}


@pytest.mark.parametrize("later", [False, True], ids=["plain", "output"])
def test_driver_with_an_existing_role(*, later: bool) -> None:
    def args() -> dict[str, Any]:
        words = {"cluster_name": "prod", "role_arn": ROLE}
        return {word: pulumi.Output.from_input(value) for word, value in words.items()} if later else words

    recording = record("EfsCsiDriver", args)
    assert inputs(recording) == {"addon": addon(ROLE, {})}
    assert recording.outputs["it"] == {"roleArn": ROLE, "addonArn": ADDON_ARN}


def test_driver_version_can_be_set() -> None:
    made = inputs(record("EfsCsiDriver", {"cluster_name": "prod", "role_arn": ROLE, "addon_version": "v2.1.0-eksbuild.1"}))
    assert made["addon"] == {**addon(ROLE, {}), "addonVersion": "v2.1.0-eksbuild.1"}


@pytest.mark.parametrize(
    ("principal", "action", "allowed"),
    [
        ({"Service": "pods.eks.amazonaws.com"}, "sts:AssumeRole", True),
        ({"Service": "pods.eks.amazonaws.com"}, "sts:TagSession", True),
        ({"Service": "pods.eks.amazonaws.com"}, "sts:AssumeRoleWithWebIdentity", False),
        ({"Service": "ec2.amazonaws.com"}, "sts:AssumeRole", False),
        ({"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "sts:AssumeRole", False),
    ],
)
def test_trust_policy_of_the_role(principal: dict[str, str], action: str, *, allowed: bool) -> None:
    policy = inputs(record("EfsCsiDriver", {"cluster_name": "prod"}))["role"]["assumeRolePolicy"]
    assert allows(policy, action, principal=principal) is allowed
