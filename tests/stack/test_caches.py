"""The caches of a stack file: the values that their agents get, and the claims that are made for them."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents.caches import efs, storage_class
from scalr_agents.caches.filestore import kind as filestore
from scalr_agents.model.manifests import Manifest
from scalr_agents.stack import neighbours

from tests.helpers.plain import load, values_of
from tests.stack.caches import DYNAMIC, EFS, EXISTING, FILESTORE, INSTANCE, NODES, with_agents, with_cache


def values(claim: dict[str, Any], **limit: str) -> dict[str, Any]:
    return {
        "persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}},
        "agent": {"providerCache": {"enabled": True, **limit}},
    }


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        (EFS, values({"claimName": "web-cache"})),
        ({"efs": {"fileSystemId": "fs-00000a1b"}}, values({"claimName": "web-cache"})),
        (FILESTORE, values({"claimName": "shared-cache", "subPath": "web"}, sizeLimit="819Gi")),
        ({"filestore": INSTANCE}, values({"claimName": "shared-cache", "subPath": "web"})),
        ({"filestore": {**INSTANCE, "capacity": "2Ti"}}, values({"claimName": "shared-cache", "subPath": "web"}, sizeLimit="1638Gi")),
        (DYNAMIC, values({"claimName": "web-cache"})),
        (EXISTING, values({"claimName": "mine"})),
    ],
    ids=["efs", "efs-existing", "filestore", "filestore-existing", "filestore-existing-of-a-size", "class", "claim"],
)
def test_a_cache_turns_claim_and_provider_cache_on(cache: dict[str, Any], expected: dict[str, Any]) -> None:
    """Claims and directories are named after the release."""
    assert values_of(with_cache(cache, release="web")) == expected


def test_modules_are_cached_only_on_request() -> None:
    assert load(with_cache(EFS)).agents[0].values.agent.module_cache.enabled is False
    own = {"agent": {"moduleCache": {"enabled": True}}}
    assert load(with_cache(EFS, values=own)).agents[0].values.agent.module_cache.enabled is True


LIMITS = [("1Ti", 1, "819Gi"), ("1Ti", 2, "409Gi"), ("1Ti", 3, "273Gi"), ("2560Gi", 1, "2048Gi"), ("1.5Ti", 4, "307Gi")]


@pytest.mark.parametrize(("capacity", "agents", "limit"), LIMITS)
def test_agents_share_80_percent_of_an_instance(capacity: str, agents: int, limit: str) -> None:
    tier = {"tier": "ZONAL", "location": "europe-west1-b", "capacity": capacity, **NODES}
    loaded = load(with_agents({"filestore": tier}, *(f"more-{number}" for number in range(1, agents))))
    assert loaded.findings == []
    assert [agent.values.agent.provider_cache.size_limit for agent in loaded.agents] == [limit] * agents


def test_a_small_instance_has_a_minimum_limit() -> None:
    entry = {"filestore": {**INSTANCE, "capacity": "1Gi"}}
    assert load(with_cache(entry)).agents[0].values.agent.provider_cache.size_limit == "1Gi"


def test_a_limit_of_the_user_takes_precedence(tmp_path: Path) -> None:
    own = {"agent": {"providerCache": {"sizeLimit": "100Gi"}}}
    assert values_of(with_cache(FILESTORE, values=own))["agent"] == {"providerCache": {"enabled": True, "sizeLimit": "100Gi"}}
    (tmp_path / "team.yaml").write_text("agent: {providerCache: {sizeLimit: 50Gi}}\n")
    in_file = with_cache(FILESTORE, valuesFiles=["team.yaml"])
    assert values_of(in_file, tmp_path)["agent"] == {"providerCache": {"enabled": True, "sizeLimit": "50Gi"}}


def test_a_cache_changes_no_other_values() -> None:
    own = {"persistence": {"cache": {"emptyDir": {"sizeLimit": "2Gi"}}}, "agent": {"providerCache": {"enabled": True}, "debug": "1"}}
    assert values_of(with_cache(EFS, values=own)) == {
        "persistence": {"cache": {"enabled": True, "emptyDir": {"sizeLimit": "2Gi"}, "persistentVolumeClaim": {"claimName": "runs-cache"}}},
        "agent": {"providerCache": {"enabled": True}, "debug": "1"},
    }


def test_the_directory_of_an_agent_s_volume() -> None:
    own = {"persistence": {"cache": {"persistentVolumeClaim": {"subPath": "team"}}}}
    for cache, claim in ((EFS, "runs-cache"), (EXISTING, "mine")):
        assert values_of(with_cache(cache, values=own)) == values({"claimName": claim, "subPath": "team"})


def claims(changed: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    loaded = load(changed)
    assert [str(finding) for finding in loaded.findings if finding.severity == "error"] == []
    return [(claim.cache, claim.name, claim.release, claim.namespace) for claim in loaded.claims]


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        (EFS, [("shared", "runs", "runs", "scalr"), ("shared", "more", "more", "scalr")]),
        (FILESTORE, [("shared", "shared", "shared", "scalr")]),
        (DYNAMIC, [("shared", "runs", "runs", "scalr"), ("shared", "more", "more", "scalr")]),
        (EXISTING, []),
    ],
    ids=["efs", "filestore", "class", "claim"],
)
def test_claims_of_two_agents(cache: dict[str, Any], expected: list[tuple[str, str, str, str]]) -> None:
    assert claims(with_agents(cache, "more")) == expected


def test_agents_of_several_namespaces_share_a_file_system_of_efs() -> None:
    changed = with_agents(EFS, "more")
    changed["agents"]["more"] |= {"namespace": "other", "release": "runs"}
    assert claims(changed) == [("shared", "runs", "runs", "scalr"), ("shared", "more", "runs", "other")]
    names = [manifest["metadata"]["name"] for claim in load(changed).claims for manifest in claim.objects]
    assert names == ["scalr.runs-cache", "runs-cache", "other.runs-cache", "runs-cache"]


def _opened(manifest: Any) -> Any:
    """With placeholders as text."""
    if isinstance(manifest, dict):
        return {key: _opened(value) for key, value in manifest.items()}
    if isinstance(manifest, list):
        return [_opened(value) for value in manifest]
    return manifest if isinstance(manifest, str | int | None) else str(manifest)


def unknown(word: str, owner: str) -> str:
    return f"<cloud scalr-agents:caches.shared: {word} for {owner}>"


SHARED = {"ip_address": unknown("ip", "shared"), "share_name": "cache", "protocol": "NFS_V3", "capacity": "1Ti"}
OBJECTS: list[tuple[dict[str, Any], dict[str, Manifest]]] = [
    (EFS, efs.volume_manifests("runs", "scalr", unknown("volumeHandle", "runs"))),
    (
        {"efs": {"fileSystemId": "fs-00000a1b", "driverRole": "arn:aws:iam::111122223333:role/efs-csi-node"}},
        efs.volume_manifests("runs", "scalr", unknown("volumeHandle", "runs"), iam=True),
    ),
    (FILESTORE, filestore.volume_manifests("shared", "scalr", unknown("volumeHandle", "shared"), **SHARED)),
    (
        {"filestore": {"tier": "REGIONAL", "location": "europe-west1", "shareName": "vol1", "protocol": "NFS_V4_1", "capacity": "2Ti"}},
        filestore.volume_manifests(
            "shared",
            "scalr",
            unknown("volumeHandle", "shared"),
            **{**SHARED, "share_name": "vol1", "protocol": "NFS_V4_1", "capacity": "2Ti"},
        ),
    ),
    (
        {"filestore": INSTANCE},
        filestore.volume_manifests(
            "shared",
            "scalr",
            unknown("volumeHandle", "shared"),
            ip_address=unknown("ip", "shared"),
            share_name=unknown("volume", "shared"),
            protocol=unknown("fileProtocol", "shared"),
            capacity=unknown("storage", "shared"),
        ),
    ),
    (DYNAMIC, storage_class.claim_manifests("runs", "scalr", storage_class_name="agents", storage="90Gi")),
    (
        {"storageClass": {"name": "agents", "storage": "1Ti", "accessMode": "ReadWriteOnce"}},
        storage_class.claim_manifests("runs", "scalr", storage_class_name="agents", storage="1Ti", access_mode="ReadWriteOnce"),
    ),
    (EXISTING, {}),
]


@pytest.mark.parametrize(
    ("cache", "expected"),
    OBJECTS,
    ids=["efs", "efs-for-the-driver", "filestore", "filestore-words", "filestore-existing", "class", "class-words", "claim"],
)
def test_objects_with_placeholders(cache: dict[str, Any], expected: dict[str, Manifest]) -> None:
    assert [_opened(manifest) for claim in load(with_cache(cache)).claims for manifest in claim.objects] == list(expected.values())


def test_claims_come_after_namespaces_and_before_agents() -> None:
    loaded = load({**with_agents(EFS, "more"), "namespaces": {"scalr": {}}})
    kinds = [(manifest["kind"], manifest["metadata"]["name"]) for manifest in loaded.objects()]
    assert kinds[:7] == [
        ("CustomResourceDefinition", "atasks.scalr.io"),
        ("Namespace", "scalr"),
        ("PersistentVolume", "scalr.runs-cache"),
        ("PersistentVolumeClaim", "runs-cache"),
        ("PersistentVolume", "scalr.more-cache"),
        ("PersistentVolumeClaim", "more-cache"),
        ("ServiceAccount", "runs-agent-job"),
    ]
    assert not any(kind.startswith("PersistentVolume") for kind, _ in kinds[6:])


@pytest.mark.parametrize("cache", [EFS, FILESTORE, DYNAMIC, EXISTING], ids=["efs", "filestore", "class", "claim"])
def test_placeholders_mount_no_cache(cache: dict[str, Any]) -> None:
    without, with_them = (load(with_cache(cache, values={"task": {"buffer": {"replicas": number}}})).agents for number in (0, 1))
    assert list(neighbours.mounts(with_them[0])) == list(neighbours.mounts(without[0])) != []
