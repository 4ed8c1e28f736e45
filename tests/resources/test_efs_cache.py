"""The AWS resources of an EFS cache: every input, for every way to configure the network."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
import scalr_agents
from scalr_agents.resources.aws.efs_file_system import left_behind

from tests.helpers import mocked_clouds
from tests.helpers.components import Args, inputs, program, record
from tests.helpers.mocked_clouds import ACCOUNT, KEY, REGION
from tests.helpers.policies import allows, denies
from tests.helpers.recording import run

TAGS = {"Name": "scalr-agents-test-it"}
FILE_SYSTEM = "fs-6ec98270"
ARN = f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:file-system/{FILE_SYSTEM}"
GROUP = "sg-b20de300"
TOKEN = "it-creation-token-id"
PLACE: dict[str, Any] = {
    "vpc_id": "vpc-0f1e",
    "subnets": {"eu-west-1a": "subnet-0a", "eu-west-1b": "subnet-0b"},
    "clients": {"security_groups": ["sg-0a1b", "sg-0c2d"], "cidrs": ["10.0.0.0/16", "fd00::/64"]},
}


def rule(tags: Mapping[str, str] = TAGS, **client: str) -> dict[str, Any]:
    return {"securityGroupId": GROUP, "ipProtocol": "tcp", "fromPort": 2049, "toPort": 2049, "tags": tags, **client}


def target(subnet: str, file_system: str = FILE_SYSTEM, *groups: str) -> dict[str, Any]:
    return {"fileSystemId": file_system, "subnetId": subnet, "securityGroups": list(groups or (GROUP,))}


def group(vpc: str) -> dict[str, Any]:
    return {"description": "NFS from the nodes of Scalr agents to their cache", "vpcId": vpc, "tags": TAGS}


def made(args: Args) -> dict[str, Mapping[str, Any]]:
    """Inputs by name, without the text of the policy, which has its own tests."""
    found = inputs(record("EfsCache", args))
    if "policy" in found:
        assert found["policy"].keys() == {"fileSystemId", "policy"}
        found["policy"] = {"fileSystemId": found["policy"]["fileSystemId"]}
    return found


STORAGE: dict[str, Any] = {
    "creation-token": {"input": {"kmsKey": ""}},
    "file-system": {"creationToken": TOKEN, "encrypted": True, "throughputMode": "elastic", "tags": TAGS},
    "backup-policy": {"fileSystemId": FILE_SYSTEM, "backupPolicy": {"status": "DISABLED"}},
    "policy": {"fileSystemId": FILE_SYSTEM},
}
OF_THE_CLUSTER = {
    "security-group": group("vpc-0a1b2c3d"),
    "from-cluster": rule(referencedSecurityGroupId="sg-0c1a5e00"),
    "mount-target-eu-west-1a": target("subnet-0000000a"),
    "mount-target-eu-west-1b": target("subnet-0000000b"),
    "mount-target-eu-west-1c": target("subnet-0000000c"),
}
OF_THE_PLACE = {
    "security-group": group("vpc-0f1e"),
    "from-sg-0a1b": rule(referencedSecurityGroupId="sg-0a1b"),
    "from-sg-0c2d": rule(referencedSecurityGroupId="sg-0c2d"),
    "from-10.0.0.0-16": rule(cidrIpv4="10.0.0.0/16"),
    "from-fd00-64": rule(cidrIpv6="fd00::/64"),
    "mount-target-eu-west-1a": target("subnet-0a"),
    "mount-target-eu-west-1b": target("subnet-0b"),
}


def targets(of_cluster: bool, *groups: str) -> dict[str, Any]:
    """Mount targets with existing security groups."""
    every = OF_THE_CLUSTER if of_cluster else OF_THE_PLACE
    return {name: given | {"securityGroups": [*groups]} for name, given in every.items() if name.startswith("mount-target")}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"eks_cluster": "prod"}, OF_THE_CLUSTER),
        ({"eks_cluster": "prod", "clients": {"security_groups": ["sg-0c1a5e00"]}}, OF_THE_CLUSTER),  # that of the cluster has one rule
        (
            {"eks_cluster": "prod", "clients": {"security_groups": ["sg-0a1b"], "cidrs": ["10.1.0.0/16"]}},
            {
                **OF_THE_CLUSTER,
                "from-sg-0a1b": rule(referencedSecurityGroupId="sg-0a1b"),
                "from-10.1.0.0-16": rule(cidrIpv4="10.1.0.0/16"),
            },
        ),
        ({"eks_cluster": "prod", "mount_target_security_groups": ["sg-0001"]}, targets(True, "sg-0001")),
        (PLACE, OF_THE_PLACE),
        (
            {"subnets": PLACE["subnets"], "mount_target_security_groups": ["sg-0001", "sg-0002"]},
            targets(False, "sg-0001", "sg-0002"),
        ),
    ],
    ids=["cluster", "cluster-again", "cluster-and-clients", "cluster-and-groups", "vpc", "groups"],
)
def test_network_of_a_cache(args: dict[str, Any], expected: dict[str, Any]) -> None:
    assert made(args) == STORAGE | expected


def test_cache_in_one_zone_of_an_eks_cluster() -> None:
    zone = "eu-west-1b"
    others = {f"mount-target-eu-west-1{each}" for each in "ac"}
    assert made({"eks_cluster": "prod", "zone": zone}) == {
        **STORAGE,
        **{name: given for name, given in OF_THE_CLUSTER.items() if name not in others},
        "creation-token": {"input": {"kmsKey": "", "zone": zone}},
        "file-system": {**STORAGE["file-system"], "availabilityZoneName": zone},
    }


def test_the_zone_must_be_one_of_the_cluster() -> None:
    recording = run(program("EfsCache", {"eks_cluster": "prod", "zone": "eu-west-1d"}))
    assert recording.names == ["it"]
    assert str(recording.error).splitlines()[1] == (
        "  error: zone: eu-west-1d is not a zone of EKS cluster 'prod', which has subnets in eu-west-1a, eu-west-1b, eu-west-1c"
    )


def after(name: str) -> dict[str, Any]:
    return {"lifecyclePolicies": [{"transitionToIa": name}, {"transitionToPrimaryStorageClass": "AFTER_1_ACCESS"}]}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"throughput_mode": "bursting"}, {"throughputMode": "bursting"}),
        (
            {"throughput_mode": "provisioned", "provisioned_throughput_mibps": 64},
            {"throughputMode": "provisioned", "provisionedThroughputInMibps": 64},
        ),
        ({"kms_key": KEY}, {"kmsKeyId": KEY}),
        ({"infrequent_access_after_days": 1}, after("AFTER_1_DAY")),
        ({"infrequent_access_after_days": 7}, after("AFTER_7_DAYS")),
        ({"tags": {"Name": "cache"}}, {"tags": {"Name": "cache"}}),
    ],
)
def test_inputs_of_the_file_system(args: dict[str, Any], expected: dict[str, Any]) -> None:
    assert made({**PLACE, **args})["file-system"] == STORAGE["file-system"] | expected


def test_every_resource_is_tagged() -> None:
    found = made({**PLACE, "tags": {"team": "web"}})
    tagged = {name for name, resource in found.items() if resource.get("tags") == {**TAGS, "team": "web"}}
    assert tagged == {"file-system", *(name for name in OF_THE_PLACE if not name.startswith("mount-target"))}


def test_an_existing_file_system_creates_nothing() -> None:
    recording = record("EfsCache", {"file_system_id": "fs-00000a1b"})
    assert recording.names == ["it"]
    assert recording.outputs["it"] == {"fileSystemId": "fs-00000a1b"}


def existing(objects: Mapping[str, Any]) -> dict[str, Any]:
    return {name: resource | ({"fileSystemId": "fs-00000a1b"} if "mount-target" in name else {}) for name, resource in objects.items()}


@pytest.mark.parametrize(("place", "objects"), [({"eks_cluster": "prod"}, OF_THE_CLUSTER), (PLACE, OF_THE_PLACE)], ids=["cluster", "vpc"])
def test_an_existing_file_system_with_network_gets_mount_targets(place: dict[str, Any], objects: dict[str, Any]) -> None:
    assert made({"file_system_id": "fs-00000a1b", **place}) == existing(objects)


def test_order_of_arguments_has_no_effect() -> None:
    turned = {
        "vpc_id": "vpc-0f1e",
        "subnets": {"eu-west-1b": "subnet-0b", "eu-west-1a": "subnet-0a"},
        "clients": {"security_groups": ["sg-0c2d", "sg-0a1b"], "cidrs": ["fd00::/64", "10.0.0.0/16"]},
    }
    assert made(turned) == made(PLACE)


def test_arguments_may_be_outputs() -> None:
    def args() -> dict[str, Any]:
        later = pulumi.Output.from_input
        return {
            "vpc_id": later("vpc-0f1e"),
            "subnets": {"eu-west-1a": later("subnet-0a")},
            "clients": {"security_groups": ["sg-0a1b", later("sg-0c2d")]},
            "kms_key": later("arn:later"),
            "tags": {"team": later("web")},
        }

    tags = {**TAGS, "team": "web"}
    assert made(args) == {
        **STORAGE,
        "creation-token": {"input": {"kmsKey": "arn:later"}},
        "file-system": STORAGE["file-system"] | {"kmsKeyId": "arn:later", "tags": tags},
        "security-group": group("vpc-0f1e") | {"tags": tags},
        "from-sg-0a1b": rule(tags, referencedSecurityGroupId="sg-0a1b"),
        "from-group-1": rule(tags, referencedSecurityGroupId="sg-0c2d"),
        "mount-target-eu-west-1a": target("subnet-0a"),
    }


def test_mount_target_security_groups_may_be_outputs() -> None:
    def args() -> dict[str, Any]:
        return {"subnets": {"eu-west-1a": "subnet-0a"}, "mount_target_security_groups": [pulumi.Output.from_input("sg-0001"), "sg-0002"]}

    assert made(args)["mount-target-eu-west-1a"] == target("subnet-0a", FILE_SYSTEM, "sg-0001", "sg-0002")


def test_the_file_system_may_be_an_output() -> None:
    def args() -> dict[str, Any]:
        return {"file_system_id": pulumi.Output.from_input("fs-00000a1b"), **PLACE}

    assert made(args) == existing(OF_THE_PLACE)
    assert record("EfsCache", args).outputs["it"] == {"fileSystemId": "fs-00000a1b"}


def test_a_new_cluster_subnet_moves_no_mount_target() -> None:
    def ignored(args: Args) -> dict[str, tuple[str, ...]]:
        return {r.name: r.ignored_changes for r in record("EfsCache", args).resources if r.ignored_changes}

    token = {"it-file-system": ("creationToken",)}
    assert ignored({"eks_cluster": "prod"}) == token | {f"it-mount-target-eu-west-1{zone}": ("subnetId",) for zone in "abc"}
    assert ignored(PLACE) == token


def test_another_key_has_another_creation_token() -> None:
    """Both file systems exist for a while, or for good if the old one is kept."""
    recording = record("EfsCache", {**PLACE, "kms_key": KEY})
    assert recording["it-creation-token"].inputs == {"input": {"kmsKey": KEY}}
    assert recording["it-creation-token"].replaced_on == ("input",)
    assert recording["it-file-system"].goes_first is False


def test_advice_for_an_interrupted_file_system() -> None:
    system = record("EfsCache", PLACE)["it-file-system"]
    assert len(system.error_hooks) == 1
    assert left_behind("it", "fs-00000a1b") == (
        "File system fs-00000a1b was created for 'it' by a deployment that was interrupted, and nothing uses it. Delete it, and run "
        "`pulumi up` again:\n  aws efs delete-file-system --file-system-id fs-00000a1b\n"
        "If you removed it from the state yourself, set its id as the existing file system of the cache instead."
    )


def test_mount_targets_are_created_before_deletion() -> None:
    """Else the engine deletes what stands on it, claims included, while pods mount them."""
    recording = record("EfsCache", {"eks_cluster": "prod"})
    assert [target.goes_first for target in recording.of_type("aws:efs/mountTarget:MountTarget")] == [False] * 3


POINT = f"arn:aws:elasticfilesystem:{REGION}:{ACCOUNT}:access-point/fsap-0a1b"
NODES, OTHERS = (f"arn:aws:iam::{ACCOUNT}:role/{name}" for name in ("efs-csi-node", "others"))
NOBODY = "anonymous"
"""A client that does not say who it is. No ARN of anybody is like that."""
MOUNT, WRITE, ROOT = (f"elasticfilesystem:Client{name}" for name in ("Mount", "Write", "RootAccess"))
PROPER = {"aws__SecureTransport": "true", "elasticfilesystem__AccessedViaMountTarget": "true", "elasticfilesystem__AccessPointArn": POINT}
PLAIN = PROPER | {"aws__SecureTransport": "false"}
ELSEWHERE = PROPER | {"elasticfilesystem__AccessedViaMountTarget": "false"}
WHOLE = {key: value for key, value in PROPER.items() if "AccessPoint" not in key}
"""Without an access point: all of the file system."""
NO_POINT = PROPER | {"elasticfilesystem__AccessPointArn": ""}


def policy_of(args: Args) -> str:
    return str(inputs(record("EfsCache", args))["policy"]["policy"])


@pytest.mark.parametrize(
    ("action", "facts", "allowed"),
    [
        (MOUNT, PROPER, True),
        (WRITE, PROPER, True),
        (ROOT, PROPER, False),
        ("elasticfilesystem:DeleteFileSystem", PROPER, False),
        *((action, facts, False) for action in (MOUNT, WRITE) for facts in (PLAIN, ELSEWHERE, WHOLE, NO_POINT)),
    ],
)
def test_allowed_client_actions(action: str, facts: dict[str, str], *, allowed: bool) -> None:
    assert allows(policy_of(PLACE), action, ARN, {"AWS": NOBODY}, **facts) is allowed


@pytest.mark.parametrize("role", ["", NODES])
def test_client_actions_denied_to_everyone(role: str) -> None:
    """Administrators of the account, for instance."""
    policy = policy_of({**PLACE, "driver_role": role})
    for principal in (NOBODY, NODES, OTHERS):
        for action in (MOUNT, WRITE, ROOT):
            denied = [facts for facts in (PROPER, PLAIN, WHOLE, NO_POINT) if denies(policy, action, ARN, {"AWS": principal}, **facts)]
            assert denied == [PLAIN, WHOLE, NO_POINT]
    assert not denies(policy, "elasticfilesystem:PutFileSystemPolicy", ARN, {"AWS": OTHERS}, aws__SecureTransport="true")


@pytest.mark.parametrize("given", [NODES, lambda: pulumi.Output.from_input(NODES)], ids=["plain", "output"])
def test_driver_role_limits_mounts_to_one_role(given: Any) -> None:
    policy = policy_of(lambda: {**PLACE, "driver_role": given() if callable(given) else given})
    for action in (MOUNT, WRITE):
        assert [who for who in (NOBODY, NODES, OTHERS) if allows(policy, action, ARN, {"AWS": who}, **PROPER)] == [NODES]
        assert not any(allows(policy, action, ARN, {"AWS": NODES}, **facts) for facts in (PLAIN, ELSEWHERE, WHOLE, NO_POINT))
    assert not allows(policy, ROOT, ARN, {"AWS": NODES}, **PROPER)


def test_the_policy_is_only_for_this_file_system() -> None:
    policy = policy_of(PLACE)
    assert allows(policy, MOUNT, ARN, {"AWS": NOBODY}, **PROPER)
    assert not allows(policy, MOUNT, f"{ARN}0", {"AWS": NOBODY}, **PROPER)
    assert not allows(policy, MOUNT, ARN, {"Service": NOBODY}, **PROPER)
    elsewhere = PROPER | {"elasticfilesystem__AccessPointArn": POINT.replace(ACCOUNT, "444455556666")}
    assert not allows(policy, MOUNT, ARN, {"AWS": NOBODY}, **elsewhere)


def test_a_preview_of_a_changed_policy_knows_the_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the access points, whose file system cannot be changed, would seem to be replaced with all that mounts them."""
    known = mocked_clouds.created

    def created(token: str, name: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        identity, outputs = known(token, name, given)
        return ("" if "IngressRule" in token else identity), outputs

    monkeypatch.setattr(mocked_clouds, "created", created)

    def program() -> None:
        cache = scalr_agents.EfsCache("cache", {"eks_cluster": "prod", "clients": {"cidrs": ["10.0.0.0/16"]}})
        scalr_agents.EfsClaim("claim", {"namespace": "scalr", "release": "runs", "file_system_id": cache.file_system_id})

    access_point = run(program, preview=True)["claim-access-point"].inputs
    assert access_point["fileSystemId"].startswith("fs-")
