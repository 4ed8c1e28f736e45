"""Errors and warnings about the caches of a stack file, with their location."""

from pathlib import Path
from typing import Any

import pytest
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import DEADLINE
from tests.helpers.kinds import TOKEN
from tests.helpers.plain import PLAIN, findings, load
from tests.stack.caches import DYNAMIC, EFS, EXISTING, FILESTORE, INSTANCE, with_agents, with_cache

PLACE = "scalr-agents:caches.shared"
CACHE = "scalr-agents:agents.runs.cache"
VALUES = "scalr-agents:agents.runs.values"
CLAIM = "persistence.cache.persistentVolumeClaim"
HAS_NO_EFFECT = f"has no effect: {CACHE} sets what is mounted; remove one of them"


def _claim_values(**words: Any) -> dict[str, Any]:
    return {"persistence": {"cache": {"persistentVolumeClaim": words}}}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"caches": {"shared": EFS}, "agents": {"runs": {"cache": "sharde"}}}, CACHE, "no cache 'sharde'; did you mean 'shared'?"),
    ({"agents": {"runs": {"cache": "shared"}}}, CACHE, "no cache 'shared'; allowed: none"),
    (with_cache({}), PLACE, "set exactly one of efs, filestore, storageClass and claim; given none"),
    (with_cache(EFS | FILESTORE), PLACE, "set exactly one of efs, filestore, storageClass and claim; given efs and filestore"),
    (with_cache(EXISTING | DYNAMIC), PLACE, "set exactly one of efs, filestore, storageClass and claim; given storageClass and claim"),
    (
        with_cache(EFS, name="my.cache"),
        'scalr-agents:caches["my.cache"]',
        "expected the name of a cache: at most 53 lower case",
    ),
    (with_cache(FILESTORE, name="a" * 54), f"scalr-agents:caches.{'a' * 54}", "expected at most 33"),
    (with_cache({"efss": {}}), f"{PLACE}.efss", "unknown key 'efss'; did you mean 'efs'?"),
    (with_cache({**EFS, "onDelete": "retain"}), f"{PLACE}.onDelete", "given 'retain'; allowed: 'keep' or 'delete'"),
    (with_cache({"claim": "My_Claim"}), f"{PLACE}.claim", "not a valid Kubernetes name"),
    (
        with_cache({**EXISTING, "onDelete": "keep"}),
        f"{PLACE}.onDelete",
        "has no effect: the stack never deletes what exists already",
    ),
    (
        with_cache({"efs": {"fileSystemId": "fs-00000a1b"}, "onDelete": "delete"}),
        f"{PLACE}.onDelete",
        "has no effect: the stack never deletes what exists already; remove it",
    ),
    (
        with_cache({"efs": {}}),
        f"{PLACE}.efs",
        "missing: a network; set eksCluster, or vpcId and subnets, or fileSystemId",
    ),
    (with_cache({"efs": {"eks_cluster": "prod"}}), f"{PLACE}.efs.eks_cluster", "did you mean 'eksCluster'?"),
    (
        with_cache({"efs": {"eksCluster": "prod", "clients": {"securityGroups": ["nodes"]}}}),
        f"{PLACE}.efs.clients.securityGroups[0]",
        "given 'nodes'; expected the ID of a security group",
    ),
    (
        with_cache({"filestore": {"location": "europe-west1-b", "exportOptions": [{"anon_uid": 1}]}}),
        f"{PLACE}.filestore.exportOptions[0].anon_uid",
        "did you mean 'anonUid'?",
    ),
    (with_cache({"storageClass": {}}), f"{PLACE}.storageClass.name", "missing"),
    *(
        (with_cache(EFS, values=_claim_values(**{word: given})), f"{VALUES}.{CLAIM}.{word}", HAS_NO_EFFECT)
        for word, given in {
            "claimName": "mine",
            "storageClassName": "-",
            "storage": "10Gi",
            "accessMode": "ReadWriteMany",
        }.items()
    ),
    (with_cache(FILESTORE, values=_claim_values(subPath="team")), f"{VALUES}.{CLAIM}.subPath", HAS_NO_EFFECT),
    (with_cache(EXISTING, values=_claim_values(claimName="mine")), f"{VALUES}.{CLAIM}.claimName", HAS_NO_EFFECT),
    (
        with_cache(EFS, values={"persistence": {"cache": {"enabled": False}}}),
        f"{VALUES}.persistence.cache.enabled",
        f"false, but {CACHE} turns it on; remove one of them",
    ),
    (
        with_cache(EFS, values={"agent": {"providerCache": {"enabled": False}}}),
        f"{VALUES}.agent.providerCache.enabled",
        f"false, but {CACHE} turns it on; remove one of them",
    ),
]


@pytest.mark.parametrize(("changed", "path", "words"), WRONG, ids=[f"{index}-{path[13:]}" for index, (_, path, _) in enumerate(WRONG)])
def test_error(changed: dict[str, Any], path: str, words: str) -> None:
    found = [(severity, where) for severity, where, message in findings(changed) if words in message]
    assert found == [("error", path)]


@pytest.mark.parametrize(
    ("cache", "path", "words"),
    [
        ({"efs": {"eksCluster": "prod", "tags": 3}, "claim": "x"}, PLACE, "given efs and claim"),
        ({"filestore": {**INSTANCE, "tier": "BASIC", "labels": {"a": "b"}}}, f"{PLACE}.filestore.labels", "has no effect"),
    ],
)
def test_a_value_of_a_wrong_type_hides_nothing_else(cache: dict[str, Any], path: str, words: str) -> None:
    [wrong_type, other] = [finding for finding in findings(with_cache(cache)) if finding[0] == "error"]
    assert wrong_type[2].startswith(("expected", "given"))
    assert other[1] == path
    assert words in other[2]


def test_contradictions_in_a_values_file_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text("persistence: {cache: {enabled: false, persistentVolumeClaim: {claimName: mine}}}\n")
    assert list(map(str, load(with_cache(EFS, valuesFiles=["team.yaml"]), tmp_path).findings)) == [
        f"team.yaml: error: {CLAIM}.claimName: {HAS_NO_EFFECT}",
        f"team.yaml: error: persistence.cache.enabled: false, but {CACHE} turns it on; remove one of them",
    ]


def test_a_second_namespace_on_one_instance_is_an_error() -> None:
    changed = with_agents(FILESTORE, "more", "third")
    changed["agents"]["more"]["namespace"] = "other"
    message = (
        "cache 'shared' is mounted in namespace 'scalr' (by agent 'runs'), and a cache on Google Filestore can serve only one namespace; "
        "define another cache for the agents in 'other'"
    )
    assert findings(changed) == [("error", "scalr-agents:agents.more.cache", message)]


def test_a_too_long_path_for_efs_is_an_error() -> None:
    namespace, release = "n" * 40, "r" * 41
    found = findings(with_cache(EFS, namespace=namespace, release=release))
    message = f"directory '/scalr-agent-cache/{namespace}/{release}' has 101 characters, but EFS allows at most 100; use shorter names"
    assert found == [("error", CACHE, message)]
    assert findings(with_cache(EFS, namespace=namespace, release=release[1:])) == []


STRANGERS: list[tuple[dict[str, Any], int, list[tuple[str, str]]]] = [
    ({}, 1000, []),
    ({"global": {"podSecurityContext": {"runAsUser": 2000}}}, 2000, []),
    ({}, 2000, [("task pods", "1000"), ("controller pods", "1000")]),
    ({"agent": {"podSecurityContext": {"runAsUser": 2000}}}, 1000, [("controller pods", "2000")]),
    ({"task": {"podSecurityContext": {"runAsUser": 2000}}}, 1000, [("task pods", "2000")]),
    ({"task": {"worker": {"securityContext": {"runAsUser": 2000}}}}, 1000, [("task pods", "2000")]),
    (
        {"task": {"worker": {"securityContext": {"runAsUser": 2000}}, "runner": {"securityContext": {"runAsUser": 3000}}}},
        1000,
        [("task pods", "2000 and 3000")],
    ),
    ({"task": {"sidecars": [{"name": "side", "image": "side:1", "securityContext": {"runAsUser": 2000}}]}}, 1000, []),
]


@pytest.mark.parametrize(("own", "owner", "expected"), STRANGERS, ids=[str(index) for index, _ in enumerate(STRANGERS)])
def test_pods_of_another_user_are_a_warning(own: dict[str, Any], owner: int, expected: list[tuple[str, str]]) -> None:
    entry = {"efs": {"eksCluster": "prod", "uid": owner}}
    advice = f"set {PLACE}.efs.uid, or change the agent's securityContext"
    assert findings(with_cache(entry, values=own)) == [
        ("error", CACHE, f"its {pods} run as user {users}, but all files of the cache belong to user {owner}; {advice}")
        for pods, users in expected
    ]


@pytest.mark.parametrize("cache", [FILESTORE, DYNAMIC, EXISTING], ids=["filestore", "class", "claim"])
def test_other_volumes_have_no_user_warning(cache: dict[str, Any]) -> None:
    assert findings(with_cache(cache, values={"global": {"podSecurityContext": {"runAsUser": 2000}}})) == []


def test_an_unused_cache_is_a_warning() -> None:
    message = "no agent uses this cache; set scalr-agents:agents.<name>.cache to its name"
    assert findings({"caches": {"shared": EFS}}) == [("warning", PLACE, message)]
    assert findings(with_cache(EFS) | {"caches": {"shared": EFS, "spare": EXISTING}}) == [("warning", "scalr-agents:caches.spare", message)]


def limits(provider: str, module: str = "") -> dict[str, Any]:
    modules = {"moduleCache": {"enabled": True, "sizeLimit": module}} if module else {}
    return {"agent": {"providerCache": {"sizeLimit": provider}, **modules}}


OVERFULL: list[tuple[dict[str, Any], str, str]] = [
    (with_cache({"storageClass": {"name": "agents", "storage": "39Gi"}}), "holds 39Gi", "40960 MB (40960 MB of runs)"),
    (with_cache(DYNAMIC, values=limits("80Gi", "11Gi")), "holds 90Gi", "93184 MB (93184 MB of runs)"),
    (with_cache(FILESTORE, values=limits("1025Gi")), "holds 1Ti", "1049600 MB (1049600 MB of runs)"),
    (with_agents(FILESTORE, "more", values=limits("600Gi")), "holds 1Ti", "1228800 MB (614400 MB of runs, 614400 MB of more)"),
    (
        with_cache({"filestore": {**INSTANCE, "capacity": "100Gi"}}, values=limits("101Gi")),
        "holds 100Gi",
        "103424 MB (103424 MB of runs)",
    ),
]


@pytest.mark.parametrize(("changed", "holds", "grows"), OVERFULL, ids=[str(index) for index, _ in enumerate(OVERFULL)])
def test_cache_limits_above_the_volume_are_warnings(changed: dict[str, Any], holds: str, grows: str) -> None:
    message = (
        f"{holds}, but its agents' caches may grow to {grows} and fill it before an agent clears its cache; "
        "lower agent.providerCache.sizeLimit or agent.moduleCache.sizeLimit"
    )
    assert findings(changed) == [("warning", PLACE, message)]


@pytest.mark.parametrize(
    "changed",
    [
        with_cache({"storageClass": {"name": "agents", "storage": "40Gi"}}),
        with_cache(DYNAMIC, values=limits("80Gi", "10Gi")),
        with_agents(DYNAMIC, "more", values=limits("80Gi")),
        with_cache(FILESTORE, values=limits("1024Gi")),
        with_cache({"filestore": INSTANCE}, values=limits("9000Gi")),
        with_cache(EFS, values=limits("9000Gi")),
        with_cache(EXISTING, values=limits("9000Gi")),
    ],
    ids=["class", "class-and-modules", "a-claim-each", "filestore", "filestore-of-unknown-size", "efs", "claim"],
)
def test_cache_limits_within_the_volume(changed: dict[str, Any]) -> None:
    assert findings(changed) == []


def test_two_claims_with_one_name_are_an_error() -> None:
    changed = with_agents(DYNAMIC, "own")
    changed["caches"]["own"] = FILESTORE
    changed["agents"]["runs"]["cache"] = "own"
    found = [finding for finding in findings(changed) if finding[0] == "error"]
    assert [path for _, path, _ in found] == [PLACE]
    assert found[0][2].startswith("owns PersistentVolumeClaim 'own-cache' in namespace 'scalr', and so does cache 'own'")
    changed["agents"]["own"]["namespace"] = "other"
    assert findings(changed) == []


def test_a_cache_and_an_agent_owning_one_claim_are_an_error() -> None:
    changed = with_agents(FILESTORE, "more", values={"agent": {"debug": "1"}})
    changed["caches"] = {"more-agent-job": FILESTORE}
    changed["agents"]["runs"]["cache"] = "more-agent-job"
    changed["agents"]["more"] |= {"cache": "", "values": merge(DEADLINE, {"persistence": {"cache": {"enabled": True}}})}
    found = findings(changed)
    assert [(severity, path) for severity, path, _ in found] == [("error", "scalr-agents:caches.more-agent-job")]
    assert found[0][2].startswith("owns PersistentVolumeClaim 'more-agent-job-cache' in namespace 'scalr', and so does agent 'more'")


def test_an_existing_file_system_has_only_one_cache() -> None:
    instance, network = {"filestore": INSTANCE}, {"efs": {"fileSystemId": "fs-00000a1b", "eksCluster": "prod"}}
    agents = {"runs": {"cache": "one"}, "more": {**PLAIN, "cache": "two", "namespace": "other"}}
    token = {"secrets": {"more": {"token": TOKEN}}}
    alone = {"efs": {"fileSystemId": "fs-00000a1b"}}
    for one, two, word, value in (
        (instance, instance, "filestore.instanceId", INSTANCE["instanceId"]),
        (network, network, "efs.fileSystemId", "fs-00000a1b"),
        (network, alone, "efs.fileSystemId", "fs-00000a1b"),  # agents of the second would not wait for what the first makes
    ):
        found = findings({"caches": {"one": one, "two": two}, "agents": agents, **token})
        assert found == [
            ("error", f"scalr-agents:caches.two.{word}", f"{value!r} is used by cache 'one' already; let all agents use that cache")
        ]
    assert findings({"caches": {"one": alone, "two": alone}, "agents": agents, **token}) == []


def test_pods_without_fs_group_on_filestore_are_a_warning() -> None:
    values = {"global": {"podSecurityContext": {"fsGroup": None}}}
    found = findings(with_cache(FILESTORE, values=values))
    assert [(severity, path, message.partition(",")[0]) for severity, path, message in found] == [
        ("warning", CACHE, "its task pods have no fsGroup and cannot write to the share"),
        ("warning", CACHE, "its controller pods have no fsGroup and cannot write to the share"),
    ]


def test_a_missing_token_hides_no_findings() -> None:
    given = with_cache({"efs": {"eksCluster": "prod", "uid": 2000}}) | {"secrets": {"runs": {"token": None}}}
    assert [path for _, path, _ in findings(given)] == ["scalr-agents:secrets.runs.token", CACHE, CACHE]


def test_mounting_the_claim_of_another_agent_is_a_warning() -> None:
    caches = {"one": EFS, "two": {"claim": "runs-cache"}}
    agents = {"runs": {"cache": "one"}, "more": {**PLAIN, "cache": "two"}}
    found = findings({"caches": caches, "agents": agents, "secrets": {"more": {"token": TOKEN}}})
    assert [(severity, path) for severity, path, _ in found] == [("warning", "scalr-agents:agents.more")]
