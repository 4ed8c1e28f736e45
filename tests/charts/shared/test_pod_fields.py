"""Fields of pods that charts lack: which pods get them, and what they do not go with."""

from typing import Any

import pytest
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import nested
from tests.helpers.validated import validate

MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}}
SHARED = {"enabled": True, "persistentVolumeClaim": {"claimName": "efs", "accessMode": "ReadWriteMany"}}


def warned(chart: str, path: str, cache: dict[str, Any]) -> bool:
    given = merge(merge(MINIMUM, nested(path, False)), {"persistence": {"cache": cache}})
    found = validate(chart, given, agent_version="1.4.0").findings
    return [finding.severity for finding in found if finding.path == path] == ["warning"]


@pytest.mark.parametrize(
    ("chart", "path"), [("agent-job", "task.hostUsers"), ("agent-job", "agent.hostUsers"), ("agent-local", "hostUsers")]
)
def test_user_namespaces_do_not_go_with_nfs(chart: str, path: str) -> None:
    assert warned(chart, path, SHARED)
    assert not warned(chart, path, {})
    assert not warned(chart, path, merge(SHARED, {"persistentVolumeClaim": {"accessMode": "ReadWriteOnce"}}))


def test_a_cache_on_the_node_goes_with_user_namespaces() -> None:
    assert not warned("agent-job", "task.hostUsers", {"enabled": True, "hostPath": {"path": "/mnt/cache"}})


@pytest.mark.parametrize(
    ("path", "given", "at"),
    [
        ("task.dnsConfig", {"nameserver": ["10.0.0.1"]}, "task.dnsConfig.nameserver"),
        ("agent.hostAliases", [{"hostname": "a"}], "agent.hostAliases[0].hostname"),
        ("task.initContainers", [{"nam": "a"}], "task.initContainers[0].nam"),
        ("task.dnsPolicy", "Cluster", "task.dnsPolicy"),
        ("agent.priorityClassName", "Not A Name", "agent.priorityClassName"),
        ("agent.initContainers", [{"name": "a"}], "agent.initContainers[0].image"),
        ("task.initContainers", [{"name": "a", "image": "b"}, {"name": "c", "image": "D"}], "task.initContainers[1].image"),
    ],
)
def test_wrong_fields_are_errors(path: str, given: Any, at: str) -> None:
    found = validate("agent-job", merge(MINIMUM, nested(path, given)), agent_version="1.4.0").findings
    assert at in [finding.path for finding in found if finding.severity == "error"]


def test_containers_need_an_image() -> None:
    found = validate("agent-local", merge(MINIMUM, {"initContainers": [{"name": "a"}]}), agent_version="1.4.0").findings
    assert [str(finding) for finding in found] == ["error: initContainers[0].image: missing; set the image of the container"]
