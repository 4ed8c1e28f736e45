"""A `pulumi up` that is killed while a cloud creates a cache: the next one, and leftover resources."""

from collections.abc import Callable

import pytest

from tests.clouds import samples
from tests.clouds.aws.server import AwsCloud
from tests.clouds.conftest import New
from tests.clouds.gcp.server import GoogleCloud
from tests.clouds.stacks import CloudStack
from tests.cluster.client import wait
from tests.engine.stacks import up


@pytest.fixture
def on_efs(on_aws: New, aws: AwsCloud) -> CloudStack:
    """One agent with a cache on EFS."""
    stack = on_aws("aws-dev")
    samples.STACKS["aws-dev"](stack, aws)
    return stack


def _delete_file_system(aws: AwsCloud) -> str:
    efs = aws.client("efs")
    [left] = efs.describe_file_systems()["FileSystems"]
    efs.delete_file_system(FileSystemId=left["FileSystemId"])
    return f"  aws efs delete-file-system --file-system-id {left['FileSystemId']}\n"


def _delete_mount_targets(aws: AwsCloud) -> str:
    efs = aws.client("efs")
    [system] = efs.describe_file_systems()["FileSystems"]

    def targets() -> list[str]:
        found = efs.describe_mount_targets(FileSystemId=system["FileSystemId"])["MountTargets"]
        return [target["MountTargetId"] for target in found]

    for target in targets():
        efs.delete_mount_target(MountTargetId=target)
    wait(lambda: not targets(), "no mount targets")
    return "MountTargetConflict"


def _revoke_rules(aws: AwsCloud) -> str:
    ec2 = aws.client("ec2")
    [group] = aws.security_groups("scalr-agents-aws-dev-runs-efs")
    rules = ec2.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [group]}])["SecurityGroupRules"]
    [incoming] = [rule["SecurityGroupRuleId"] for rule in rules if not rule["IsEgress"]]
    ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=[incoming])
    return "InvalidPermission.Duplicate"


@pytest.mark.parametrize(
    ("operation", "resources", "repair"),
    [
        ("CreateFileSystem", 1, _delete_file_system),
        ("CreateMountTarget", 3, _delete_mount_targets),
        ("AuthorizeSecurityGroupIngress", 1, _revoke_rules),
    ],
)
def test_resources_whose_second_creation_is_refused(
    operation: str, resources: int, repair: Callable[[AwsCloud], str], on_efs: CloudStack, aws: AwsCloud
) -> None:
    on_efs.killed_while(aws.holding(operation), resources)
    refused = on_efs.up()
    assert refused.failed
    assert repair(aws) in refused.output
    up(on_efs)
    assert on_efs.preview().steps == {}
    assert not on_efs.destroy().failed
    assert aws.client("efs").describe_file_systems()["FileSystems"] == []


@pytest.mark.parametrize("operation", ["CreateSecurityGroup", "CreateAccessPoint", "PutFileSystemPolicy", "PutBackupPolicy"])
def test_resources_that_are_created_twice(operation: str, on_efs: CloudStack, aws: AwsCloud) -> None:
    on_efs.killed_while(aws.holding(operation))
    up(on_efs)
    assert on_efs.preview().steps == {}
    [system] = aws.client("efs").describe_file_systems()["FileSystems"]
    points = aws.client("efs").describe_access_points(FileSystemId=system["FileSystemId"])["AccessPoints"]
    assert len(points) == 1 + (operation == "CreateAccessPoint")
    assert len(aws.security_groups("scalr-agents-aws-dev-runs-efs")) == 1 + (operation == "CreateSecurityGroup")


def test_a_filestore_instance_is_created_twice(on_google: New, google: GoogleCloud) -> None:
    stack = on_google("gcp-prod")
    samples.STACKS["gcp-prod"](stack, google)
    stack.edit({"caches.data": None, "agents.data": None, "secrets.data": None})
    stack.killed_while(google.holding("file.projects.locations.instances.create"))
    up(stack)
    assert stack.preview().steps == {}
    assert len(google.of_kind("instances")) == 2
    assert {instance["description"] for instance in google.of_kind("instances").values()} == {"Cache of Scalr agents"}
