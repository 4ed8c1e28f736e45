"""Agents whose pods share a directory of a claim or of a node, whatever values say so."""

from typing import Any

import pytest
from scalr_agents.model.maps import merge

from tests.helpers.kinds import JOB, K8S, LOCAL, stack_of

PLACE = "scalr-agents:agents.two"


def cached(kind: str, **claim: Any) -> dict[str, Any]:
    """An agent whose cache is on an existing claim, which no word of the stack file names."""
    cache: dict[str, Any] = {"enabled": True, "persistentVolumeClaim": {"claimName": "mine", **claim}}
    legacy_local = kind == LOCAL
    return {"kind": kind, "values": {"persistence": cache if legacy_local else {"cache": cache}}}


def of_node(path: str, pool: str = "", **more: Any) -> dict[str, Any]:
    """An agent whose tasks have their cache in a directory of their nodes."""
    volume = {"enabled": True, "hostPath": {"path": path, **more}}
    nodes = {"nodes": {"selector": {"pool": pool}}} if pool else {}
    return {"kind": JOB, "agentVersion": "1.4.0", "values": {"persistence": {"cache": volume}}, **nodes}


def workers(home: str) -> dict[str, Any]:
    return {"kind": K8S, "values": {"agent": {"data_home": home}, "workerNodeSelector": {"pool": "runs"}}}


def mounting(volume: dict[str, Any], **mount: Any) -> dict[str, Any]:
    """An agent whose tasks have one more volume."""
    task = {
        "extraVolumes": [{"name": "more", **volume}],
        "runner": {"extraVolumeMounts": [{"name": "more", "mountPath": "/more", **mount}]},
    }
    return {"kind": JOB, "values": {"task": task}}


def found(one: dict[str, Any], two: dict[str, Any]) -> list[tuple[str, str]]:
    """Findings on directories that the second agent shares."""
    loaded = stack_of({"one": one, "two": two})
    return [
        (finding.severity, finding.message)
        for finding in loaded.findings
        if finding.path == PLACE and finding.message.startswith("its pods mount")
    ]


CLAIM = "runs of one agent execute what the other has cached; give each its own directory (subPath of the claim, in its values)"
AND_SO = "and so do those of agent 'one'"


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (cached(JOB), cached(JOB), f"'cache' of claim 'mine', {AND_SO}"),
        (cached(JOB, subPath="a"), cached(JOB, subPath="a/"), f"'a/cache' of claim 'mine', {AND_SO}"),
        (cached(JOB, subPath="a/./b"), cached(JOB, subPath="/a//b"), f"'a/b/cache' of claim 'mine', {AND_SO}"),
        (cached(LOCAL), cached(LOCAL), f"the root of claim 'mine', {AND_SO}"),
        (cached(LOCAL), cached(JOB), "'cache' of claim 'mine', which is inside the root, mounted by the pods of agent 'one'"),
        (cached(JOB), cached(LOCAL), "the root of claim 'mine', which contains 'cache', mounted by the pods of agent 'one'"),
        (cached(JOB), cached(LOCAL, subPath="cache"), f"'cache' of claim 'mine', {AND_SO}"),
        (
            cached(JOB),
            cached(LOCAL, subPath="cache/providers"),
            "'cache/providers' of claim 'mine', which is inside 'cache', mounted by the pods of agent 'one'",
        ),
        (
            cached(JOB),
            cached(LOCAL, subPath="cache/x"),
            "'cache/x' of claim 'mine', which is inside 'cache', mounted by the pods of agent 'one'",
        ),
    ],
)
def test_a_shared_directory_of_a_claim_is_a_warning(one: dict[str, Any], two: dict[str, Any], words: str) -> None:
    assert found(one, two) == [("warning", f"its pods mount {words}: {CLAIM}")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (cached(JOB, subPath="a"), cached(JOB, subPath="b")),
        (cached(JOB, subPath="a"), cached(JOB, subPath="ab")),
        (cached(LOCAL, subPath="local"), cached(JOB)),
        (cached(LOCAL, subPath="cache-local"), cached(JOB)),
        (cached(LOCAL), cached(LOCAL, claimName="other")),
        (cached(LOCAL), {**cached(LOCAL), "namespace": "other"}),
        (cached(LOCAL), {"kind": LOCAL}),
        (of_node("/mnt/a"), of_node("/mnt/b")),
        (of_node("/mnt/a"), of_node("/mnt/ab")),
        (of_node("/mnt/a", "x"), of_node("/mnt/a", "y")),
        (workers("/var/lib/a"), of_node("/var/lib/a", "other")),
        (workers("/var/lib/a"), workers("/var/lib/ab")),
    ],
)
def test_separate_directories(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert found(one, two) == []


def test_a_claim_in_cache_and_in_values_is_the_same() -> None:
    """A claim that one agent has by the word `cache`, and the other by its values."""
    agents = {"one": {"kind": JOB, "cache": "team"}, "two": cached(LOCAL)}
    loaded = stack_of(agents, caches={"team": {"claim": "mine"}})
    assert [finding.path for finding in loaded.findings if "mounted by the pods of agent 'one'" in finding.message] == [PLACE]


def test_each_agent_has_one_finding() -> None:
    loaded = stack_of({name: cached(JOB) for name in ("one", "two", "three")})
    told = [finding.path.rpartition(".")[2] for finding in loaded.findings if finding.message.startswith("its pods mount")]
    assert told == ["two", "three"]


MOUNTED = "mounted by the pods of agent 'one', on the same nodes"
NODE = "runs of one agent can change files of the other; give each its own directory"


@pytest.mark.parametrize(
    ("one", "two", "severity", "words"),
    [
        (of_node("/mnt/a"), of_node("/mnt/a"), "warning", f"'/mnt/a/cache' of their nodes, {AND_SO}, on the same nodes: {NODE}"),
        (of_node("/mnt/a"), of_node("/mnt//a/./"), "warning", f"'/mnt/a/cache' of their nodes, {AND_SO}, on the same nodes: {NODE}"),
        (
            of_node("/mnt/a", "x"),
            of_node("/mnt/a/cache/b"),
            "warning",
            f"'/mnt/a/cache/b/cache' of their nodes, which is inside '/mnt/a/cache', {MOUNTED}: {NODE}",
        ),
        (
            workers("/var/lib/a"),
            of_node("/var/lib/a/b"),
            "warning",
            f"'/var/lib/a/b/cache' of their nodes, which is inside '/var/lib/a', {MOUNTED}: {NODE}",
        ),
        (
            workers("/var/lib/a"),
            workers("/var/lib/a"),
            "error",
            f"'/var/lib/a' of their nodes, {AND_SO}, on the same nodes; set a different agent.data_home for one of them",
        ),
        (
            workers("/var/lib/a/b"),
            workers("/var/lib/a"),
            "error",
            f"'/var/lib/a' of their nodes, which contains '/var/lib/a/b', {MOUNTED}; set a different agent.data_home for one of them",
        ),
    ],
)
def test_a_shared_directory_of_nodes_is_a_warning(one: dict[str, Any], two: dict[str, Any], severity: str, words: str) -> None:
    assert found(one, two) == [(severity, f"its pods mount {words}")]


@pytest.mark.parametrize(
    ("volume", "mount", "shared"),
    [
        ({"hostPath": {"path": "/srv/tools"}}, {}, True),
        ({"hostPath": {"path": "/srv/tools"}}, {"readOnly": True}, False),
        ({"hostPath": {"path": "/run/agent.sock", "type": "Socket"}}, {}, False),
        ({"persistentVolumeClaim": {"claimName": "tools"}}, {}, True),
        ({"persistentVolumeClaim": {"claimName": "tools"}}, {"subPathExpr": "$(POD_NAME)"}, False),
        ({"persistentVolumeClaim": {"claimName": "tools", "readOnly": True}}, {}, False),
        ({"persistentVolumeClaim": {"claimName": "tools"}}, {"readOnly": True}, False),
        ({"emptyDir": {}}, {}, False),
        ({"configMap": {"name": "tools"}}, {}, False),
    ],
)
def test_read_only_directories_may_be_shared(volume: dict[str, Any], mount: dict[str, Any], *, shared: bool) -> None:
    agent = mounting(volume, **mount)
    assert bool(found(agent, agent)) is shared


def test_one_writer_is_enough_for_a_finding() -> None:
    claim = {"persistentVolumeClaim": {"claimName": "tools"}}
    assert len(found(mounting(claim), mounting(claim, readOnly=True))) == 1
    assert len(found(mounting(claim, subPath="a", readOnly=True), mounting(claim, subPath="a/b"))) == 1


def test_init_containers_are_checked() -> None:
    """The runner of the current line has none; the pods that prepare nodes do their work in one."""
    prepared = merge(of_node("/mnt/a"), {"values": {"persistence": {"cache": {"hostPath": {"preparation": {"enabled": True}}}}}})
    [(_, message)] = found(prepared, of_node("/mnt/a/other"))
    assert "which is inside '/mnt/a', mounted by the pods of agent 'one'" in message
