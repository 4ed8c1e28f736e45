"""A stack with caches, as the engine hands it over, becomes file systems, claims and agents that wait for their own."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
import scalr_agents

from tests.helpers import mocked_clouds
from tests.helpers.mocked_clouds import INSTANCE
from tests.helpers.programs import stack_with
from tests.helpers.recording import Recording

ROOT = "scalr-agents-test"
DRIVER_ROLE = "arn:aws:iam::111122223333:role/efs-csi-node"
EFS: dict[str, Any] = {"efs": {"eksCluster": "prod"}}
FILESTORE: dict[str, Any] = {"filestore": {"location": "europe-west1-b"}}
DYNAMIC: dict[str, Any] = {"storageClass": {"name": "agents"}}


def deployed(caches: dict[str, Any], **words: Any) -> Recording:
    """One agent, on the first of the caches."""
    recording = stack_with(caches, **words)
    assert recording.error is None, recording.error
    return recording


def of_caches(recording: Recording) -> set[tuple[str, str, str]]:
    """Type, name and parent of everything that is there for the caches."""
    agents = {resource.name for resource in recording.of_type("scalr-agents:index:AgentJob")}
    inside = {r.name for r in recording.resources if r.name in agents or r.parent in agents or r.parent.startswith("agent-crds")}
    inside |= {r.name for r in recording.resources if r.parent in inside}
    others = [r for r in recording.resources if r.name not in inside and r.name != "agent-crds"]
    return {(r.type, r.name, r.parent) for r in others if not r.type.startswith("pulumi:providers")}


CLAIM = {
    ("kubernetes:core/v1:PersistentVolume", "{}-cache-volume", "{}-cache"),
    ("kubernetes:core/v1:PersistentVolumeClaim", "{}-cache-claim", "{}-cache"),
}
EFS_CLAIM = {
    ("scalr-agents:index:EfsClaim", "{}-cache", ROOT),
    ("aws:efs/accessPoint:AccessPoint", "{}-cache-access-point", "{}-cache"),
    *CLAIM,
}
FILESTORE_CLAIM = {("scalr-agents:index:FilestoreClaim", "{}-cache", ROOT), *CLAIM}
EFS_SYSTEM = {
    ("scalr-agents:index:EfsCache", "shared-efs", ROOT),
    ("pulumi:index:Stash", "shared-efs-creation-token", "shared-efs"),
    ("aws:efs/fileSystem:FileSystem", "shared-efs-file-system", "shared-efs"),
    ("aws:efs/backupPolicy:BackupPolicy", "shared-efs-backup-policy", "shared-efs"),
    ("aws:efs/fileSystemPolicy:FileSystemPolicy", "shared-efs-policy", "shared-efs"),
    ("aws:ec2/securityGroup:SecurityGroup", "shared-efs-security-group", "shared-efs"),
    ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "shared-efs-from-cluster", "shared-efs"),
    *(("aws:efs/mountTarget:MountTarget", f"shared-efs-mount-target-eu-west-1{zone}", "shared-efs") for zone in "abc"),
}
FILESTORE_SYSTEM = {
    ("scalr-agents:index:FilestoreCache", "shared-filestore", ROOT),
    ("gcp:filestore/instance:Instance", "shared-filestore-instance", "shared-filestore"),
}


def named(resources: set[tuple[str, str, str]], owner: str) -> set[tuple[str, str, str]]:
    return {(token, name.format(owner), parent.format(owner)) for token, name, parent in resources}


REGISTERED = {
    "efs": (EFS, EFS_SYSTEM | named(EFS_CLAIM, "runs")),
    "efs-existing": (
        {"efs": {"fileSystemId": "fs-00000a1b"}},
        {("scalr-agents:index:EfsCache", "shared-efs", ROOT), *named(EFS_CLAIM, "runs")},
    ),
    "filestore": (FILESTORE, FILESTORE_SYSTEM | named(FILESTORE_CLAIM, "shared")),
    "filestore-existing": (
        {"filestore": {"instanceId": INSTANCE}},
        {("scalr-agents:index:FilestoreCache", "shared-filestore", ROOT), *named(FILESTORE_CLAIM, "shared")},
    ),
    "class": (
        DYNAMIC,
        {
            ("scalr-agents:index:StorageClassClaim", "runs-cache", ROOT),
            ("kubernetes:core/v1:PersistentVolumeClaim", "runs-cache-claim", "runs-cache"),
        },
    ),
    "claim": ({"claim": "mine"}, set()),
}


@pytest.mark.parametrize(("cache", "expected"), REGISTERED.values(), ids=REGISTERED)
def test_resources_of_a_cache(cache: dict[str, Any], expected: set[tuple[str, str, str]]) -> None:
    assert of_caches(deployed({"shared": cache})) == expected


@pytest.mark.parametrize(
    ("cache", "provider", "kept"),
    [
        (EFS, "cluster", {"shared-efs-file-system", "shared-efs-backup-policy", "shared-efs-policy"}),
        ({**EFS, "onDelete": "keep"}, "cluster", {"shared-efs-file-system", "shared-efs-backup-policy", "shared-efs-policy"}),
        ({**EFS, "onDelete": "delete"}, "cluster", set()),
        (FILESTORE, "cluster", {"shared-filestore-instance"}),
        ({**FILESTORE, "onDelete": "delete"}, "cluster", set()),
        (DYNAMIC, "cluster-shared", {"runs-cache-claim"}),
        ({**DYNAMIC, "onDelete": "delete"}, "cluster", set()),
    ],
)
def test_retained_resources_and_providers(cache: dict[str, Any], provider: str, kept: set[str]) -> None:
    recording = deployed({"shared": cache})
    assert {r.name for r in recording.resources if r.retain and "crds" not in r.name} == kept
    volumes = {r.provider for r in recording.resources if "PersistentVolume" in r.type}
    assert volumes == {provider}


def test_kept_claims_have_their_own_provider() -> None:
    expect = {"kubernetes": {"crds": "expect"}}
    assert "cluster-shared" in deployed({"shared": DYNAMIC}, **expect).names
    for cache in ({**DYNAMIC, "onDelete": "delete"}, EFS):
        assert "cluster-shared" not in deployed({"shared": cache}, **expect).names


def test_claims_wait_for_their_namespace() -> None:
    recording = deployed({"shared": EFS}, namespaces={"scalr": {}})
    assert {"namespace-scalr", "shared-efs-file-system"} <= recording.depends("runs-cache-volume")
    assert "namespace-scalr" in recording.depends("runs-cache-claim")
    assert "namespace-scalr" not in recording.depends("shared-efs-mount-target-eu-west-1a")


def claims(recording: Recording, agent: str) -> set[str]:
    """The claims that the pods of an agent wait for."""
    waits = recording.depends(f"{agent}-controller-deployment")
    return {name for name in waits if recording[name].type.endswith(":PersistentVolumeClaim")}


def test_pods_depend_on_the_mount() -> None:
    recording = deployed({"shared": EFS})
    needed = {name for token, name, _ in EFS_SYSTEM | named(EFS_CLAIM, "runs") if not token.startswith("scalr-agents:")}
    assert needed - recording.depends("runs-controller-deployment") == {"shared-efs-backup-policy"}


def test_agents_on_one_file_system_of_efs_have_a_claim_each() -> None:
    recording = stack_with({"shared": EFS}, {"one": {"cache": "shared"}, "two": {"cache": "shared"}})
    assert of_caches(recording) == EFS_SYSTEM | named(EFS_CLAIM, "one") | named(EFS_CLAIM, "two")
    assert (claims(recording, "one"), claims(recording, "two")) == ({"one-cache-claim"}, {"two-cache-claim"})
    paths = {recording[f"{name}-cache-access-point"].inputs["rootDirectory"]["path"] for name in ("one", "two")}
    assert paths == {"/scalr-agent-cache/scalr/one", "/scalr-agent-cache/scalr/two"}


def test_agents_on_one_instance_of_filestore_share_a_claim() -> None:
    recording = stack_with({"shared": FILESTORE}, {"one": {"cache": "shared"}, "two": {"cache": "shared"}})
    assert of_caches(recording) == FILESTORE_SYSTEM | named(FILESTORE_CLAIM, "shared")
    assert claims(recording, "one") == claims(recording, "two") == {"shared-cache-claim"}


def test_agents_do_not_wait_for_claims_of_others() -> None:
    agents = {"one": {"cache": "a"}, "two": {"cache": "b"}, "three": {"cache": "c"}, "four": {}}
    recording = stack_with({"a": EFS, "b": FILESTORE, "c": DYNAMIC}, agents)
    assert recording.error is None
    assert {agent: claims(recording, agent) for agent in agents} == {
        "one": {"one-cache-claim"},
        "two": {"b-cache-claim"},
        "three": {"three-cache-claim"},
        "four": set(),
    }


def test_an_agent_waits_for_a_claim_of_another_that_it_mounts() -> None:
    agents = {"one": {"cache": "a"}, "two": {"cache": "b"}}
    recording = stack_with({"a": EFS, "b": {"claim": "one-cache"}}, agents)
    assert claims(recording, "two") == {"one-cache-claim"}


def test_outputs_have_every_file_system() -> None:
    agents = {"one": {"cache": "a"}, "two": {"cache": "b"}, "three": {"cache": "c"}, "four": {"cache": "d"}}
    existing = {"filestore": {"instanceId": INSTANCE}}
    recording = stack_with({"a": {"efs": {"fileSystemId": "fs-00000a1b"}}, "b": existing, "c": DYNAMIC, "d": {"claim": "mine"}}, agents)
    assert recording.exports["caches"] == {
        "a": {"fileSystemId": "fs-00000a1b"},
        "b": {"instanceId": INSTANCE, "shareName": "vol1", "ipAddress": "10.9.8.7", "capacity": "2048Gi", "protocol": "NFS_V4_1"},
    }


@pytest.mark.parametrize("caches", [{}, {"shared": DYNAMIC}, {"shared": {"claim": "mine"}}], ids=["none", "class", "claim"])
def test_no_file_systems_no_output(caches: dict[str, Any]) -> None:
    recording = stack_with(caches, {"runs": {"cache": next(iter(caches), "")}})
    assert recording.exports.keys() == {"agents"}


def test_stack_file_settings_reach_file_system_and_claim() -> None:
    tags = {"team": "web"}
    efs = {"eksCluster": "prod", "zone": "eu-west-1a", "driverRole": DRIVER_ROLE, "tags": tags, "uid": 2000, "gid": 3000}
    owner = {"global": {"podSecurityContext": {"runAsUser": 2000, "fsGroup": 3000}}}
    recording = stack_with({"shared": {"efs": efs}}, {"runs": {"cache": "shared", "values": owner}})
    assert recording.error is None, recording.error
    system = recording["shared-efs-file-system"].inputs
    assert (system["availabilityZoneName"], system["tags"]) == ("eu-west-1a", {"Name": "scalr-agents-test-shared-efs", **tags})
    assert DRIVER_ROLE in recording["shared-efs-policy"].inputs["policy"]
    assert recording["runs-cache-access-point"].inputs == {
        "fileSystemId": recording.exports["caches"]["shared"]["fileSystemId"],
        "posixUser": {"uid": 2000, "gid": 3000},
        "rootDirectory": {
            "path": "/scalr-agent-cache/scalr/runs",
            "creationInfo": {"ownerUid": 2000, "ownerGid": 3000, "permissions": "0775"},
        },
        "tags": {"Name": "scalr-runs", **tags},
    }
    volume = recording["runs-cache-volume"].inputs["spec"]
    assert "iam" in volume["mountOptions"]
    assert "'eu-west-1a'" in str(volume["nodeAffinity"])


def test_stack_file_settings_reach_instance_and_claim() -> None:
    words = {"tier": "ENTERPRISE", "location": "europe-west1", "capacity": "1280Gi", "shareName": "vol1", "protocol": "NFS_V4_1"}
    recording = deployed({"shared": {"filestore": words}})
    instance = recording["shared-filestore-instance"].inputs
    assert (instance["tier"], instance["fileShares"]["capacityGb"], instance["deletionProtectionEnabled"]) == ("ENTERPRISE", 1280, True)
    spec = recording["shared-cache-volume"].inputs["spec"]
    assert spec["capacity"] == {"storage": "1280Gi"}
    assert spec["csi"]["volumeAttributes"] == {"ip": "10.20.30.2", "volume": "vol1", "fileProtocol": "NFS_V4_1"}
    assert spec["csi"]["volumeHandle"].startswith("modeInstance/europe-west1/shared-filestore-instance-")


def test_a_missing_cluster_is_reported_with_its_stack_file_key() -> None:
    recording = stack_with({"shared": {"efs": {"eksCluster": "missing"}}}, {"runs": {"cache": "shared"}})
    assert isinstance(recording.error, scalr_agents.ArgsError)
    lines = str(recording.error).splitlines()
    assert lines[0] == "stack 'test' cannot be deployed:"
    assert lines[1].startswith("  error: scalr-agents:caches.shared.efs.eksCluster: cannot look up EKS cluster 'missing': ")
    assert [name for name in recording.names if recording[name].type.startswith("aws:")] == []


def test_missing_cloud_resources_are_reported_first() -> None:
    missing = {"efs": {"eksCluster": "missing"}}
    instance = {"filestore": {"instanceId": "projects/p/locations/l/instances/gone"}}
    caches = {"here": {"efs": {"eksCluster": "prod"}}, "one": missing, "two": missing, "three": instance}
    recording = stack_with(caches, {"runs": {"cache": "here"}})
    assert recording.names == []
    assert [line.partition(": cannot")[0] for line in str(recording.error).splitlines()[1:]] == [
        "  error: scalr-agents:caches.one.efs.eksCluster",
        "  error: scalr-agents:caches.two.efs.eksCluster",
        "  error: scalr-agents:caches.three.filestore.instanceId",
    ]


def test_shared_lookups_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer = mocked_clouds.looked_up

    def looked_up(token: str, args: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        asked.append(token)
        return answer(token, args)

    monkeypatch.setattr(mocked_clouds, "looked_up", looked_up)
    caches = {name: {"efs": {"eksCluster": "prod"}} for name in ("one", "two")}
    assert deployed(caches | {"three": {"filestore": {"instanceId": mocked_clouds.INSTANCE}}}).error is None
    assert Counter(asked) == {
        "aws:eks/getCluster:getCluster": 1,
        "aws:ec2/getSubnet:getSubnet": 4,
        "gcp:filestore/getInstance:getInstance": 1,
    }
