"""Agents whose pods share a directory of a claim or of a node, whatever values say so."""

from typing import Any

import pytest
from scalr_agents.model.maps import merge

from tests.helpers.kinds import JOB, stack_of

PLACE = "scalr-agents:agents.two"


def of_node(path: str, pool: str = "", **more: Any) -> dict[str, Any]:
    """An agent whose tasks have their cache in a directory of their nodes."""
    volume = {"enabled": True, "hostPath": {"path": path, **more}}
    nodes = {"nodes": {"selector": {"pool": pool}}} if pool else {}
    return {"kind": JOB, "agentVersion": "1.4.0", "values": {"persistence": {"cache": volume}}, **nodes}


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
