"""What the claims on caches register: the part of a file system, the volume and the claim, in the order in which they need each other."""

from typing import Any

import pulumi
import pytest
import scalr_agents
from scalr_agents.caches import efs, storage_class
from scalr_agents.caches.filestore import kind as filestore
from scalr_agents.caches.storage_class import StorageClassSettings

from tests.helpers.components import inputs, record
from tests.helpers.mocked_clouds import INSTANCE
from tests.helpers.recording import run

EFS: dict[str, Any] = {"namespace": "scalr", "release": "runs", "file_system_id": "fs-00000a1b"}
ACCESS_POINT: dict[str, Any] = {
    "fileSystemId": "fs-00000a1b",
    "posixUser": {"uid": 1000, "gid": 1000},
    "rootDirectory": {
        "path": "/scalr-agent-cache/scalr/runs",
        "creationInfo": {"ownerUid": 1000, "ownerGid": 1000, "permissions": "0775"},
    },
    "tags": {"Name": "scalr-runs"},
}
HANDLE = "fs-00000a1b::fsap-8701a36c"
FILESTORE: dict[str, Any] = {"namespace": "scalr", "release": "shared", "instance_id": INSTANCE, "ip_address": "10.9.8.7"}
DYNAMIC: dict[str, Any] = {"namespace": "scalr", "release": "runs", "storage_class_name": "agents"}


def test_efs_volume_and_claim() -> None:
    recording = record("EfsClaim", EFS)
    assert inputs(recording) == {"access-point": ACCESS_POINT, **efs.volume_manifests("runs", "scalr", HANDLE)}
    assert recording.outputs["it"] == {
        "claimName": "runs-cache",
        "persistentVolumeName": "scalr.runs-cache",
        "volumeHandle": HANDLE,
    }


def test_efs_claim_with_owner_directory_and_tags() -> None:
    made = inputs(record("EfsClaim", {**EFS, "uid": 2000.0, "gid": 3000, "path": "/cache", "tags": {"Name": "mine", "team": "web"}}))
    assert made["access-point"] == {
        "fileSystemId": "fs-00000a1b",
        "posixUser": {"uid": 2000, "gid": 3000},
        "rootDirectory": {"path": "/cache", "creationInfo": {"ownerUid": 2000, "ownerGid": 3000, "permissions": "0775"}},
        "tags": {"Name": "mine", "team": "web"},
    }


@pytest.mark.parametrize("words", [{"iam": True}, {"zone": "eu-west-1a"}])
def test_efs_claim_with_other_volumes(words: dict[str, Any]) -> None:
    recording = record("EfsClaim", {**EFS, **words})
    assert inputs(recording) == {"access-point": ACCESS_POINT, **efs.volume_manifests("runs", "scalr", HANDLE, **words)}
    assert recording["it-volume"].replaced_on == ("spec.mountOptions",)


def test_efs_claim_with_output_arguments() -> None:
    def args() -> dict[str, Any]:
        later = pulumi.Output.from_input
        return {**EFS, "file_system_id": later("fs-00000a1b"), "tags": {"team": later("web")}}

    made = inputs(record("EfsClaim", args))
    assert made["access-point"] == {**ACCESS_POINT, "tags": {"Name": "scalr-runs", "team": "web"}}
    assert made["volume"]["spec"]["csi"]["volumeHandle"] == HANDLE


def share(**words: str) -> dict[str, Any]:
    given: Any = {"ip_address": "10.9.8.7", "share_name": "cache", "protocol": "NFS_V3", "capacity": "1Ti", **words}
    return dict(filestore.volume_manifests("shared", "scalr", f"modeInstance/europe-west1-b/nfs-1/{given['share_name']}", **given))


def test_filestore_volume_and_claim() -> None:
    recording = record("FilestoreClaim", FILESTORE)
    assert inputs(recording) == share()
    assert recording.outputs["it"] == {
        "claimName": "shared-cache",
        "persistentVolumeName": "scalr.shared-cache",
        "volumeHandle": "modeInstance/europe-west1-b/nfs-1/cache",
    }


WORDS = {"share_name": "vol1", "protocol": "NFS_V4_1", "capacity": "2Ti"}


@pytest.mark.parametrize("later", [False, True], ids=["plain", "output"])
def test_filestore_claim_with_all_arguments(*, later: bool) -> None:
    def args() -> dict[str, Any]:
        words = {"instance_id": INSTANCE, "ip_address": "10.9.8.7", **WORDS}
        return {**FILESTORE, **({word: pulumi.Output.from_input(value) for word, value in words.items()} if later else words)}

    assert inputs(record("FilestoreClaim", args)) == share(**WORDS)


def test_storage_class_claim() -> None:
    recording = record("StorageClassClaim", DYNAMIC)
    assert inputs(recording) == storage_class.claim_manifests("runs", "scalr", storage_class_name="agents", storage="90Gi")
    assert recording.outputs["it"] == {"claimName": "runs-cache"}
    assert recording["it-claim"].timeouts == {"create": "1200s"}


def test_storage_class_claim_with_all_arguments() -> None:
    def args() -> dict[str, Any]:
        return {**DYNAMIC, "storage_class_name": pulumi.Output.from_input("agents"), "storage": "1Ti", "access_mode": "ReadWriteOnce"}

    recording = record("StorageClassClaim", args)
    assert inputs(recording) == storage_class.claim_manifests(
        "runs", "scalr", storage_class_name="agents", storage="1Ti", access_mode="ReadWriteOnce"
    )
    assert [message.partition(",")[0] for _, message in recording.log] == ["it: access_mode: ReadWriteOnce"]


@pytest.mark.parametrize("on_delete", ["keep", "delete"])
def test_storage_class(on_delete: str) -> None:
    def args(file_system: Any) -> dict[str, Any]:
        parameters = {"fileSystemId": file_system, "uid": "2000"}
        return {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com", "parameters": parameters}

    recording = record("CacheStorageClass", lambda: args(pulumi.Output.from_input("fs-00000a1b")) | {"on_delete": on_delete})
    settings = StorageClassSettings.model_validate(args("fs-00000a1b"), by_name=True, by_alias=False)
    assert inputs(recording) == {"storage-class": storage_class.class_manifest(settings, keep=on_delete == "keep")}
    assert recording.outputs["it"] == {"storageClassName": "agents"}


def _on_efs() -> None:
    cache = scalr_agents.EfsCache("cache", {"eks_cluster": "prod", "clients": {"cidrs": ["10.0.0.0/16"]}})
    scalr_agents.EfsClaim("runs", {"namespace": "scalr", "release": "runs", "file_system_id": cache.file_system_id})


def test_destroy_deletes_claim_volume_and_file_system_in_order() -> None:
    """The engine deletes what depends on something before it deletes that."""
    recording = run(_on_efs)
    assert recording.error is None
    network = {"cache-security-group", "cache-from-cluster", "cache-from-10.0.0.0-16"} | {
        f"cache-mount-target-eu-west-1{zone}" for zone in "abc"
    }
    system = {"cache-file-system", "cache-creation-token"}
    reachable = {"cache-policy", *system, *network}
    assert recording["runs-claim"].dependencies == {"runs-volume"}
    assert "runs-access-point" in recording["runs-volume"].dependencies
    assert recording.depends("runs-access-point") == reachable
    assert recording.depends("runs-claim") == {"runs-volume", "runs-access-point", *reachable}
    for zone in "abc":
        assert recording.depends(f"cache-mount-target-eu-west-1{zone}") == {"cache-security-group", *system}
    assert recording.depends("cache-policy") == recording.depends("cache-backup-policy") == system
    assert recording.depends("cache-file-system") == {"cache-creation-token"}
    assert recording.depends("cache-creation-token") == recording.depends("cache-security-group") == set()


def test_a_filestore_claim_requires_the_instance() -> None:
    def program() -> None:
        cache = scalr_agents.FilestoreCache("cache", {"location": "europe-west1-b"})
        args: scalr_agents.FilestoreClaimArgs = {
            "namespace": "scalr",
            "release": "shared",
            "instance_id": cache.instance_id,
            "ip_address": cache.ip_address,
        }
        scalr_agents.FilestoreClaim("shared", args)

    recording = run(program)
    assert recording["shared-claim"].dependencies == {"shared-volume"}
    assert recording["shared-volume"].dependencies == {"cache-instance"}
    spec = recording["shared-volume"].inputs["spec"]
    assert spec["csi"]["volumeAttributes"]["ip"] == "10.20.30.2"
    assert spec["csi"]["volumeHandle"].startswith("modeInstance/europe-west1-b/cache-instance-")


def test_an_agent_waits_for_the_claim_it_is_given() -> None:
    def program() -> None:
        cache = scalr_agents.EfsCache("cache", {"eks_cluster": "prod"})
        claim = scalr_agents.EfsClaim("claim", {"namespace": "scalr", "release": "runs", "file_system_id": cache.file_system_id})
        args: scalr_agents.AgentJobArgs = {
            "namespace": "scalr",
            "url": "https://acme.scalr.io",
            "token": "s3cr3t-token",
            "claim_name": claim.claim_name,
        }
        scalr_agents.AgentJob("runs", args)

    recording = run(program)
    assert recording.error is None
    needed = {"claim-claim", "claim-volume", "claim-access-point", "cache-mount-target-eu-west-1a", "cache-from-cluster", "cache-policy"}
    assert needed <= recording.depends("runs-controller-deployment")
    assert needed <= recording.depends("runs-controller-task-template")


@pytest.mark.parametrize("component", ["FilestoreCache", "FilestoreClaim"])
def test_an_invalid_output_id_has_no_traceback(component: str) -> None:
    given = {} if component == "FilestoreCache" else FILESTORE
    with pytest.raises(pulumi.RunError, match="'nfs-1' is not the ID of a Filestore instance"):
        run(lambda: getattr(scalr_agents, component)("it", {**given, "instance_id": pulumi.Output.from_input("nfs-1")}))
