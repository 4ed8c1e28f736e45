"""Agents that must not meet on a node, and the images that a stack pulls."""

from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.charts.shared.pods import pods
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import merge

from tests.helpers.kinds import TOKEN
from tests.helpers.plain import PLAIN, findings, load

VCS = "scalr-agents:agents.vcs"


def _stack(runs: dict[str, str] | None, vcs: dict[str, str] | None, **runs_values: Any) -> dict[str, Any]:
    """An agent for runs and one for a VCS provider, on nodes of these labels."""
    agent = {"kind": "agent-local", "role": "vcs", "namespace": "scalr", "nodes": {"selector": vcs} if vcs else None}
    nodes = {"nodes": {"selector": runs} if runs else None}
    return {"agents": {"runs": {**nodes, "values": runs_values}, "vcs": agent}, "secrets": {"vcs": {"token": "x"}}}


def test_the_first_error_is_named() -> None:
    agent = {"kind": "agent-local", "namespace": "scalr"}
    more = {name: {**agent, "nodes": {"selector": labels}} for name, labels in (("first", {"pool": "vcs"}), ("second", {"pool": "vcs"}))}
    given = merge(_stack(None, {"pool": "vcs"}), {"agents": more, "secrets": {name: {"token": "x"} for name in more}})
    [(severity, message)] = [(severity, message) for severity, path, message in findings(given) if path == f"{VCS}.nodes"]
    assert (severity, message.partition(",")[0]) == ("error", "the same nodes as those of agent 'first'")


def _images(**changed: Any) -> list[str]:
    loaded: stack.Stack = load(changed)
    assert errors(loaded.findings) == []
    return loaded.images()


def test_images_of_a_stack() -> None:
    assert _images() == ["scalr/agent-runner:0.57.0", "scalr/agent:0.57.0"]
    assert _images(common={"agentVersion": "1.4.0"}) == ["scalr/agent:1.4.0", "scalr/runner:0.2.0"]
    sidecar = {"task": {"sidecars": [{"name": "proxy", "image": "acme/proxy:1"}]}}
    assert _images(agents={"runs": {"values": sidecar}}) == ["acme/proxy:1", "scalr/agent-runner:0.57.0", "scalr/agent:0.57.0"]


READY: dict[str, Any] = {
    "agentVersion": "1.4.0",
    "values": {
        "task": {"buffer": {"replicas": 1}},
        "persistence": {"cache": {"enabled": True, "hostPath": {"path": "/mnt/cache", "preparation": {"enabled": True}}}},
    },
}
"""An agent with everything that keeps nodes ready."""


def test_placeholders_and_preparation_use_the_nodes_of_tasks() -> None:
    words = {"selector": {"pool": "runs"}, "tolerations": [{"key": "pool"}]}
    (agent,) = load({"agents": {"runs": {**READY, "nodes": words}}}).agents
    found = {name: (spec["nodeSelector"], spec["tolerations"]) for name, spec in pods(agent.objects)}
    expected = ({"pool": "runs"}, [{"key": "pool"}])
    assert found == dict.fromkeys(("controller pods", "task pods", "placeholder pods", "pods that prepare the cache"), expected)


@pytest.mark.parametrize(
    ("namespace", "level"),
    [({}, "restricted"), ({"podSecurity": "baseline"}, "baseline"), ({"podSecurity": "privileged"}, None), ({"create": False}, None)],
)
def test_pods_that_their_namespace_rejects_are_errors(namespace: dict[str, Any], level: str | None) -> None:
    found = findings({"agents": {"runs": READY}, "namespaces": {"scalr": namespace}})
    rejected = ["task pods: volume 'cache-dir'", "pods that prepare the cache: volume 'cache'"] if level else []
    assert [(severity, path, message.partition(";")[0]) for severity, path, message in found] == [
        ("error", "scalr-agents:agents.runs", f"namespace 'scalr' enforces {level} and would reject its {pod} is a hostPath")
        for pod in rejected
    ]


def test_images_are_kept_on_the_nodes_of_tasks() -> None:
    words = {"prePull": True, "nodes": {"selector": {"pool": "runs"}}}
    given = {"agents": {"runs": words}, "namespaces": {"scalr": {"podSecurity": "restricted"}}}
    assert findings(given) == []
    (agent,) = load(given).agents
    assert dict(pods(agent.objects))["pods that keep images"]["nodeSelector"] == {"pool": "runs"}


@pytest.mark.parametrize("kind", ["agent-local", "agent-k8s"])
def test_kinds_without_images_to_pull(kind: str) -> None:
    words = {"kind": kind, "namespace": "scalr", "prePull": True}
    given = {"agents": {"other": words}, "secrets": {"other": {"token": TOKEN}}}
    found = [(severity, message) for severity, path, message in findings(given) if path == "scalr-agents:agents.other.prePull"]
    assert [severity for severity, _ in found] == ["error"]
    assert f"{kind} has no images to pull before its runs" in found[0][1]


def test_placeholders_of_two_agents_do_not_collide() -> None:
    own = {"values": {"persistence": {"cache": {"hostPath": {"path": "/mnt/more"}}}}}
    more = merge(merge(PLAIN, {**READY, "release": "more"}), own)
    assert findings({"agents": {"runs": READY, "more": more}, "secrets": {"more": {"token": TOKEN}}}) == []


def test_images_of_placeholders_are_listed_once() -> None:
    assert _images(agents={"runs": READY}) == ["busybox:1.37", "scalr/agent:1.4.0", "scalr/runner:0.2.0"]
    assert _images(agents={"runs": READY}, common={"imageRegistry": "mirror.acme"}) == [
        "mirror.acme/busybox:1.37",
        "mirror.acme/scalr/agent:1.4.0",
        "mirror.acme/scalr/runner:0.2.0",
    ]
