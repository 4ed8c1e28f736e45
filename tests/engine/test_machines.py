"""Machines on stand-ins of the clouds: changes, names that are taken, and machines that drain."""

from collections.abc import Callable

import pytest

from tests.engine import changing
from tests.engine.changing import ROLLED, Change, check
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


def test_a_new_token_replaces_the_machines(on_aws: Deployment, on_google: Deployment) -> None:
    for stack, steps in ((on_aws, ROLLED), (on_google, {"template": "create, delete", "group": "update"})):
        up(stack)
        stack.set_secrets({"legacy.token": "another-token"})
        check(stack, "machines.legacy", [Change({}, {"secret-version": "create, delete", **steps})])
        assert "another-token" not in stack.state()


def test_a_killed_deployment_on_aws_is_repaired(on_aws: Deployment) -> None:
    assert on_aws.killed_up("legacy-security-group")
    on_aws.cancel()
    refused = on_aws.up()
    assert refused.failed
    assert "  aws ec2 delete-security-group --group-id <id>\n" in refused.output


def test_a_change_waits_for_draining_machines(on_aws: Deployment) -> None:
    up(on_aws)
    on_aws.aws.refused_refreshes = 2
    on_aws.edit({"machines.legacy.ec2.volume": {"size": "50Gi"}})
    changed = up(on_aws)
    assert on_aws.aws.refused_refreshes == 0
    assert changed.output.count("legacy: an earlier change still waits for runs; waiting for it, at most 78 minutes") >= 2
    assert on_aws.preview().steps == {}
