"""The checks of EFS file systems: what each finds, where, and what it lets pass."""

import shlex
from typing import Any

import pytest
from scalr_agents.caches.efs import EfsSettings

from tests.caches.settings import LATER, found, parsed

PLACE: dict[str, Any] = {
    "vpc_id": "vpc-0a1b2c3d",
    "subnets": {"eu-west-1a": "subnet-0a", "eu-west-1b": "subnet-0b"},
    "clients": {"security_groups": ["sg-0a1b"], "cidrs": ["10.0.0.0/16"]},
}
CLUSTER = {"eks_cluster": "prod"}
EXISTING = {"file_system_id": "fs-0a1b2c3d"}
KEY_ID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
SOUND: dict[str, dict[str, Any]] = {
    "place": PLACE,
    "cluster": CLUSTER,
    "cluster-and-clients": {**CLUSTER, "clients": {"security_groups": ["sg-0a1b"], "cidrs": ["fd00::/64"]}},
    "cluster-and-groups": {**CLUSTER, "mount_target_security_groups": ["sg-0a1b"]},
    "groups-of-mount-targets": {"subnets": PLACE["subnets"], "mount_target_security_groups": ["sg-0a1b"]},
    "existing": EXISTING,
    "existing-and-cluster": {**EXISTING, **CLUSTER},
    "existing-and-place": {**EXISTING, **PLACE},
    "existing-and-groups": {**EXISTING, "subnets": PLACE["subnets"], "mount_target_security_groups": ["sg-0a1b"]},
    "one-zone": {**CLUSTER, "zone": "eu-west-1a"},
    "one-zone-and-its-subnet": {**PLACE, "subnets": {"eu-west-1a": "subnet-0a"}, "zone": "eu-west-1a"},
    "local-zone": {**PLACE, "subnets": {"us-west-2-lax-1a": "subnet-0a"}},
    "outputs": {
        "vpc_id": LATER,
        "subnets": {"eu-west-1a": LATER, "eu-west-1b": LATER},
        "clients": {"security_groups": [LATER, LATER]},
        "kms_key": LATER,
        "tags": {"team": LATER},
    },
    "output-of-a-file-system": {"file_system_id": LATER},
    "groups-as-outputs": {"subnets": {"eu-west-1a": LATER}, "mount_target_security_groups": [LATER]},
    "bursting": {**PLACE, "throughput_mode": "bursting"},
    "provisioned": {**PLACE, "throughput_mode": "provisioned", "provisioned_throughput_mibps": 64},
    "one-day": {**PLACE, "infrequent_access_after_days": 1},
    "a-year": {**PLACE, "infrequent_access_after_days": 365.0},
    "key": {**PLACE, "kms_key": f"arn:aws:kms:eu-west-1:111122223333:key/{KEY_ID}"},
    "key-of-several-regions": {**PLACE, "kms_key": f"arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/mrk-{'0a' * 16}"},
    "role": {**PLACE, "driver_role": "arn:aws:iam::111122223333:role/storage/efs-csi-node"},
    "role-for-existing": {**EXISTING, "driver_role": "arn:aws-cn:iam::111122223333:role/efs-csi-node"},
    "role-as-output": {**PLACE, "driver_role": LATER},
    "tags": {**PLACE, "tags": {"aws": "x", "k" * 128: "x", "Name": "mine"}},
}


@pytest.mark.parametrize("given", SOUND.values(), ids=SOUND)
def test_valid_settings_have_no_findings(given: dict[str, Any]) -> None:
    assert found(EfsSettings, given) == []


NO_KEYS = (
    "alias/caches",
    "arn:aws:kms:eu-west-1:111122223333:alias/caches",
    KEY_ID,
    f"mrk-{'0a' * 16}",
    f"arn:aws:kms:eu-west-1:1111:key/{KEY_ID}",
    f"arn:aws:kms:eu-west-1:111122223333:key/{KEY_ID.upper()}",
    f"arn:aws:kms:eu-west-1:111122223333:key/{KEY_ID} ",
    "arn:aws:kms:eu-west-1:111122223333:key/",
)


@pytest.mark.parametrize("given", NO_KEYS)
def test_aliases_and_ids_are_not_key_arns(given: str) -> None:
    [(severity, path, message)] = found(EfsSettings, {**PLACE, "kms_key": given})
    assert (severity, path) == ("error", "kms_key")
    assert message.startswith(
        f"given {given!r}; expected the ARN of a key, as AWS returns it: arn:<partition>:kms:<region>:<account>:key/<id>"
    )
    look_up = f". Look it up: aws kms describe-key --key-id {shlex.quote(given)} --query KeyMetadata.Arn --output text"
    assert message.endswith(("?", look_up))


NO_CLIENTS = {key: value for key, value in PLACE.items() if key != "clients"}
NO_VPC = {key: value for key, value in PLACE.items() if key != "vpc_id"}
ERRORS: list[tuple[dict[str, Any], str, str]] = [
    ({}, "", "missing: a network; set eks_cluster, or vpc_id and subnets, or file_system_id"),
    ({"vpc_id": "vpc-0a"}, "", "missing: a network; "),
    ({**CLUSTER, "vpc_id": "vpc-0a"}, "vpc_id", "given together with eks_cluster, which sets it too; keep one of them"),
    ({**CLUSTER, "vpc_id": LATER}, "vpc_id", "given together with eks_cluster"),
    (
        {**CLUSTER, "subnets": {"eu-west-1a": "subnet-0a"}, "clients": {"cidrs": ["10.0.0.0/8"]}},
        "subnets",
        "given together with eks_cluster",
    ),
    (NO_VPC, "vpc_id", "missing: the security group of the mount targets requires it; set it, or set mount_target_security_groups"),
    (
        {**NO_CLIENTS, "mount_target_security_groups": ["sg-0a"]},
        "vpc_id",
        "has no effect: mount_target_security_groups is set, so no security group is created",
    ),
    (
        {**EXISTING, "vpc_id": "vpc-0a"},
        "vpc_id",
        "has no effect: without subnets or eks_cluster, an existing file system (file_system_id) is used as it is",
    ),
    ({**EXISTING, "clients": {"cidrs": ["10.0.0.0/16"]}}, "clients", "has no effect: without subnets"),
    ({**EXISTING, "mount_target_security_groups": ["sg-0a"]}, "mount_target_security_groups", "has no effect: without subnets"),
    ({**EXISTING, "zone": "eu-west-1a"}, "zone", "has no effect: file_system_id refers to an existing file system"),
    ({**CLUSTER, "zone": "eu-west-1"}, "zone", "given 'eu-west-1'; expected an availability zone, for instance eu-west-1a"),
    (
        {**PLACE, "zone": "eu-west-1a"},
        "subnets",
        "a file system of zone eu-west-1a has a mount target in this zone only; give its subnet, and no other",
    ),
    ({**EXISTING, "throughput_mode": "elastic"}, "throughput_mode", "has no effect: file_system_id refers to an existing file system"),
    ({**EXISTING, "kms_key": "arn:aws:kms:eu-west-1:1:key/a"}, "kms_key", "has no effect: file_system_id refers to"),
    ({**EXISTING, **CLUSTER, "kms_key": LATER}, "kms_key", "has no effect: file_system_id refers to"),
    (
        {"file_system_id": LATER, "infrequent_access_after_days": 7},
        "infrequent_access_after_days",
        "has no effect: file_system_id refers to",
    ),
    *(
        (
            {**place, "driver_role": given},
            "driver_role",
            f"given {given!r}; expected the ARN of a role: arn:<partition>:iam::<account>:role/",
        )
        for place in (PLACE, EXISTING)
        for given in ("nodes", "arn:aws:iam::111122223333:root", "arn:aws:sts::111122223333:assumed-role/nodes/i-0a1b", "*")
    ),
    ({"file_system_id": "0a1b"}, "file_system_id", "given '0a1b'; expected the ID of a file system, for instance fs-0a1b2c3d4e5f67890"),
    (
        {"file_system_id": "fs-00000a1b "},
        "file_system_id",
        "given 'fs-00000a1b '; expected the ID of a file system, for instance fs-0a1b2c3d4e5f67890; did you mean 'fs-00000a1b'?",
    ),
    ({**PLACE, "vpc_id": "main"}, "vpc_id", "given 'main'; expected the ID of a VPC"),
    ({**PLACE, "subnets": {"eu-west-1a": "vpc-0a"}}, "subnets.eu-west-1a", "given 'vpc-0a'; expected the ID of a subnet"),
    ({**PLACE, "subnets": {"eu-west-1a": ""}}, "subnets.eu-west-1a", "given an empty string; expected the ID of a subnet"),
    (
        {**PLACE, "clients": {"security_groups": ["sg-0a", "nodes"]}},
        "clients.security_groups[1]",
        "given 'nodes'; expected the ID of a security group",
    ),
    (
        {**CLUSTER, "mount_target_security_groups": ["nfs"]},
        "mount_target_security_groups[0]",
        "given 'nfs'; expected the ID of a security group",
    ),
    ({**PLACE, "subnets": {"subnet-0a": "subnet-0a"}}, "subnets.subnet-0a", "expected an availability zone, for instance eu-west-1a"),
    ({**PLACE, "subnets": {"a": "subnet-0a"}}, "subnets.a", "expected an availability zone, for instance eu-west-1a"),
    (
        {**PLACE, "subnets": {"eu-west-1a": "subnet-0a", "eu-west-1b": "subnet-0a"}},
        "subnets.eu-west-1b",
        "'subnet-0a' is given twice; give each zone its own subnet",
    ),
    (NO_CLIENTS, "clients", "missing: no client could mount the file system; set clients.security_groups or clients.cidrs"),
    ({**PLACE, "clients": {"security_groups": []}}, "clients", "missing: no client could mount the file system"),
    (
        {**NO_VPC, "mount_target_security_groups": ["sg-0a"]},
        "clients",
        "has no effect: mount_target_security_groups is set, and the rules of those groups decide who may mount",
    ),
    ({**PLACE, "clients": {"cidrs": ["10.0.0.0/16", "nodes"]}}, "clients.cidrs[1]", "given 'nodes'; expected a network"),
    (
        {**PLACE, "clients": {"cidrs": ["10.0.0.1/16"]}},
        "clients.cidrs[0]",
        "given '10.0.0.1/16'; expected a network, for instance 10.0.0.0/16 or fd00::/64; did you mean '10.0.0.0/16'?",
    ),
    (
        {**PLACE, "clients": {"security_groups": ["sg-0a", "sg-0b", "sg-0a"]}},
        "clients.security_groups[2]",
        "'sg-0a' is given twice; remove one of them",
    ),
    ({**CLUSTER, "clients": {"cidrs": ["fd00::/64", "fd00::/64"]}}, "clients.cidrs[1]", "'fd00::/64' is given twice; remove one of them"),
    ({**PLACE, "throughput_mode": "provisioned"}, "provisioned_throughput_mibps", "missing: throughput_mode is provisioned"),
    *(
        (
            {**PLACE, "throughput_mode": "provisioned", "provisioned_throughput_mibps": given},
            "provisioned_throughput_mibps",
            f"given {given:g}, but EFS provisions at least 1 MiB/s",
        )
        for given in (0.5, 0, -1, float("inf"), float("nan"))
    ),
    *(
        ({"eks_cluster": given}, "eks_cluster", "expected the name of an EKS cluster, not its ARN")
        for given in (" prod", "prod/a", "arn:aws:eks:eu-west-1:111122223333:cluster/prod", "a" * 101)
    ),
    (
        {**PLACE, "provisioned_throughput_mibps": 64},
        "provisioned_throughput_mibps",
        "has no effect without throughput_mode: provisioned",
    ),
    ({**PLACE, "infrequent_access_after_days": 2}, "infrequent_access_after_days", "given 2; allowed: 1, 7, 14, 30, 60, 90, 180, 270, 365"),
    ({**PLACE, "infrequent_access_after_days": 0}, "infrequent_access_after_days", "given 0; allowed: 1, 7"),
    ({**PLACE, "tags": {"AWS:team": "x"}}, "tags.AWS:team", "expected the key of a tag: at most 128 characters, not starting with aws:"),
    ({**PLACE, "tags": {"": "x"}}, "tags.", "expected the key of a tag"),
    ({**PLACE, "tags": {"team": "x" * 257}}, "tags.team", "given 257 characters; expected the value of a tag: at most 256 letters"),
    ({**PLACE, "tags": {"aws:a.b": "x"}}, "tags.aws:a\\.b", "expected the key of a tag"),
    ({**PLACE, "tags": {"k" * 129: "x"}}, f"tags.{'k' * 129}", "expected the key of a tag"),
    ({"throughput_mode": "fast"}, "throughput_mode", "'elastic', 'bursting' or 'provisioned'"),
    ({"infrequent_access_after_days": 7.5}, "infrequent_access_after_days", "a whole number"),
    ({"clients": {"cidrs": [LATER]}}, "clients.cidrs[0]", "must be known before deployment"),
    ({"eks_cluster": LATER}, "eks_cluster", "must be known before deployment"),
]


@pytest.mark.parametrize(("given", "path", "words"), ERRORS, ids=[f"{index}-{path[:40]}" for index, (_, path, _) in enumerate(ERRORS)])
def test_error_without_further_findings(given: dict[str, Any], path: str, words: str) -> None:
    [(severity, where, message)] = found(EfsSettings, given)
    assert (severity, where) == ("error", path)
    assert words in message


def test_all_findings_are_reported_at_once() -> None:
    wrong = {**EXISTING, "vpc_id": "main", "throughput_mode": "provisioned", "infrequent_access_after_days": 3, "tags": {"aws:x": "y"}}
    assert [path for _, path, _ in found(EfsSettings, wrong)] == ["tags.aws:x", "throughput_mode", "infrequent_access_after_days", "vpc_id"]


@pytest.mark.parametrize("network", ["0.0.0.0/0", "::/0"])
def test_open_client_networks_are_a_warning(network: str) -> None:
    given = {**CLUSTER, "clients": {"cidrs": ["10.0.0.0/16", network]}}
    assert found(EfsSettings, given) == [
        ("warning", "clients.cidrs[1]", "allows every client that can reach a mount target to mount; give the networks of the nodes")
    ]


@pytest.mark.parametrize(
    ("given", "network"),
    [(PLACE, True), (CLUSTER, True), ({}, True), (EXISTING, False), ({**EXISTING, **CLUSTER}, True), ({**EXISTING, **PLACE}, True)],
)
def test_places_of_mount_targets(given: dict[str, Any], *, network: bool) -> None:
    assert parsed(EfsSettings, given).has_network is network
