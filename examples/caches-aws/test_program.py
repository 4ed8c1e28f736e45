"""Tests what the program registers, without a cloud, a cluster, plugins or the Pulumi CLI.

pip install pytest
pytest
"""

import asyncio
import json
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi import runtime
from scalr_agents import ArgsError

PROGRAM = Path(__file__).with_name("__main__.py")
PROJECT = "scalr-agents-caches-aws"
CONFIG = {"cluster": "prod", "context": "prod", "url": "https://acme.scalr.io", "token": "of-no-pool"}
ZONES = {"subnet-0a": "eu-west-1a", "subnet-0b": "eu-west-1b"}
NETWORK = {"vpcId": "vpc-0", "subnetIds": [*ZONES], "clusterSecurityGroupId": "sg-0"}


class Aws(runtime.Mocks):
    """Records what is registered, by name, and says what AWS would say of it."""

    def __init__(self, network: Mapping[str, Any]) -> None:
        self.network = network
        self.inputs: dict[str, Mapping[str, Any]] = {}

    def new_resource(self, args: runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.inputs[args.name] = args.inputs
        service = {"aws:efs/fileSystem:FileSystem": "elasticfilesystem", "aws:iam/role:Role": "iam"}.get(args.typ)
        arn = {"arn": f"arn:aws:{service}:eu-west-1:111122223333:{args.name}"} if service else {}
        return f"{args.name}-id", {**args.inputs, **arn}

    def call(self, args: runtime.MockCallArgs) -> dict[str, Any]:
        answers: dict[str, dict[str, Any]] = {
            "aws:eks/getCluster:getCluster": {"vpcConfig": self.network},
            "aws:ec2/getSubnet:getSubnet": {"availabilityZone": ZONES.get(args.args.get("id", ""))},
            "aws:index/getPartition:getPartition": {"partition": "aws"},
        }
        return answers[args.token]


def deployed(network: Mapping[str, Any] = NETWORK) -> Mapping[str, Mapping[str, Any]]:
    """The inputs of all resources, by name, when everything is registered."""
    mocks = Aws(network)
    asyncio.set_event_loop(asyncio.new_event_loop())  # which set_mocks needs; since Python 3.14 there is none by itself
    runtime.set_mocks(mocks, project=PROJECT, stack="dev")
    runtime.set_all_config({f"{PROJECT}:{key}": value for key, value in CONFIG.items()})

    @runtime.test
    def program() -> None:
        runpy.run_path(str(PROGRAM))

    program()
    return mocks.inputs


def test_every_zone_of_the_cluster_has_a_mount_target() -> None:
    inputs = deployed()
    found = {name: resource["subnetId"] for name, resource in inputs.items() if name.startswith("cache-mount-target-")}
    assert found == {f"cache-mount-target-{zone}": subnet for subnet, zone in ZONES.items()}


def test_the_file_system_is_encrypted_and_mounted_through_access_points_only() -> None:
    inputs = deployed()
    assert inputs["cache-file-system"]["encrypted"] is True
    denied = [each["Sid"] for each in json.loads(inputs["cache-policy"]["policy"])["Statement"] if each["Effect"] == "Deny"]
    assert "AccessPointsOnly" in denied


def test_the_agent_mounts_its_claim() -> None:
    pod = deployed()["payments-controller-deployment"]["spec"]["template"]["spec"]
    assert "payments-cache" in [volume.get("persistentVolumeClaim", {}).get("claimName") for volume in pod["volumes"]]


def test_what_a_mock_leaves_out_is_named() -> None:
    with pytest.raises(ArgsError, match=r"aws:eks/getCluster:getCluster has no vpcConfig.subnetIds: return it from call of your mocks"):
        deployed({})
