"""Machines on stand-ins of the clouds: the same changes as on the real providers, names that are taken, and machines that drain."""

from collections.abc import Callable

import pytest

from tests.engine import changing
from tests.engine.changing import ROLLED, TEMPLATE, Change, check
from tests.engine.stacks import Deployment, up


@pytest.fixture
def on_aws(fresh: Callable[[str], Deployment]) -> Deployment:
    stack = fresh("aws-machines")
    ec2 = {"subnets": ["subnet-0000000a", "subnet-0000000b"], "instanceType": "t3.large"}
    stack.edit({"common.proxy": None, "machines": {"legacy": {"ec2": ec2}}})
    stack.set_secrets({"legacy.token": "token-of-legacy"})
    return stack


@pytest.fixture
def on_google(fresh: Callable[[str], Deployment]) -> Deployment:
    stack = fresh("gcp-machines")
    stack.edit({"machines": {"legacy": {"gce": {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2"}}}})
    stack.set_secrets({"legacy.token": "token-of-legacy"})
    return stack


def test_changes_of_network_and_identity_on_aws(on_aws: Deployment) -> None:
    up(on_aws)
    check(on_aws, "machines.legacy", changing.of_places_on_aws(["subnet-0000000a", "subnet-0000000c"], "sg-0c1a5e00"))


def test_changes_of_machines_on_google(on_google: Deployment) -> None:
    up(on_google)
    shared = "projects/acme-network/regions/europe-west1/subnetworks/shared"
    check(on_google, "machines.legacy", changing.of_machines_on_google("acme-prod", shared))


def test_a_new_token_replaces_the_machines(on_aws: Deployment, on_google: Deployment) -> None:
    for stack, steps in ((on_aws, ROLLED), (on_google, TEMPLATE)):
        up(stack)
        stack.set_secrets({"legacy.token": "another-token"})
        check(stack, "machines.legacy", [Change({}, {"secret-version": "create, delete", **steps})])
        assert "another-token" not in stack.state()


@pytest.mark.parametrize(
    ("name", "advised"),
    [
        ("legacy-role", "aws iam delete-role --role-name scalr-agents-aws-machines-legacy"),
        ("legacy-security-group", "aws ec2 delete-security-group --group-id <id>"),
        (
            "legacy-group",
            "aws autoscaling delete-auto-scaling-group --force-delete --auto-scaling-group-name scalr-agents-aws-machines-legacy",
        ),
    ],
)
def test_a_killed_deployment_on_aws_is_repaired(name: str, advised: str, on_aws: Deployment) -> None:
    assert on_aws.killed_up(name)
    on_aws.cancel()
    refused = on_aws.up()
    assert refused.failed
    assert f"  {advised}\n" in refused.output


def test_a_change_waits_for_draining_machines(on_aws: Deployment) -> None:
    up(on_aws)
    on_aws.aws.refused_refreshes = 2
    on_aws.edit({"machines.legacy.ec2.volume": {"size": "50Gi"}})
    changed = up(on_aws)
    assert on_aws.aws.refused_refreshes == 0
    assert changed.output.count("legacy: an earlier change still waits for runs; waiting for it, at most 78 minutes") >= 2
    assert on_aws.preview().steps == {}
