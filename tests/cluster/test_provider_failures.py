"""Rollouts that fail, with the real engine and the real Kubernetes provider: their messages."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.stacks import Deployment, up
from tests.helpers.provider_errors import ADVICE, NO_POD, OUTPUT, timed_out

_UNREADY = "scalr-agents.test/unready"  # see stages.yaml
_NOT_READY = "error: The controllers of 'runs' did not become ready."


def test_a_rollout_that_fails_is_repaired_by_the_next_up(local: Deployment, namespace: str) -> None:
    """The reason is only in events, which the provider does not see: `test_events.py` has more of them."""
    local.edit({"kubernetes.rolloutTimeoutSeconds": 5, "agents.runs.nodes": {"selector": {"pool": "nowhere"}}})
    failed = local.up()
    assert failed.failed
    assert timed_out("Deployment", "runs-agent-job") in failed.output
    assert f"{_NOT_READY} The error does not give a reason." in failed.output
    assert f"  kubectl get events -n {namespace} --field-selector type=Warning" in failed.output
    assert re.findall(r"^\s+\* (.*)", failed.output, re.MULTILINE)[1:] == NO_POD
    local.edit({"kubernetes.rolloutTimeoutSeconds": 60, "agents.runs.nodes": None})
    assert up(local).steps == {"runs-controller-task-template": ("update",), "runs-controller-deployment": ("update",)}
    assert not local.destroy().failed


_LAST = {"finishedAt": "2026-07-01T07:52:50Z", "startedAt": "2026-07-01T07:52:45Z", "containerID": "containerd://0c1f"}
_BACK_OFF = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s restarting failed container=agent"}}
_STATUS = {
    "secret": {"state": {"waiting": {"reason": "CreateContainerConfigError", "message": 'secret "scalr-token" not found'}}},
    "image": {"state": {"waiting": {"reason": "ErrImagePull", "message": "failed to resolve reference: not found"}}},
    "memory": {"state": _BACK_OFF, "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", **_LAST}}},
    "exit": {"state": _BACK_OFF, "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": OUTPUT, **_LAST}}},
}
"""Messages of a kubelet for containers that do not run, for which the tests know the advice."""


@pytest.mark.parametrize("name", _STATUS)
def test_kubelet_errors_reach_the_advice(name: str, local: Deployment) -> None:
    sentence, commands = ADVICE[name]
    status = json.dumps(_STATUS[name])[1:-1]
    local.edit({"kubernetes.rolloutTimeoutSeconds": 10, "agents.runs.values.agent.podAnnotations": {_UNREADY: status}})
    failed = local.up()
    assert failed.failed
    assert f"{_NOT_READY} {sentence}" in failed.output
    assert [command.split()[:2] for command in re.findall("^ +(kubectl .*)", failed.output, re.MULTILINE)] == [
        command.split()[:2] for command in commands
    ]
    assert ("the token of the agent pool is valid" in failed.output) == (name == "exit")


def test_daemon_set_failures_have_no_pod_errors(deploy: Callable[[str], Deployment], namespace: str) -> None:
    stack = deploy("local")
    status = json.dumps(_STATUS["image"])[1:-1]
    agent: dict[str, Any] = {"kind": "agent-k8s", "namespace": namespace, "values": {"workerPodAnnotations": {_UNREADY: status}}}
    stack.edit({"namespaces": {namespace: {"create": False}}, "agents": {"runs": agent}, "kubernetes.rolloutTimeoutSeconds": 10})
    stack.set_secrets({"runs.token": "token-of-runs"})
    failed = stack.up()
    assert timed_out("DaemonSet", "runs-agent-k8s-worker") in failed.output
    assert f"error: The pods of 'runs' did not become ready. {ADVICE['no pod'][0]}" in failed.output
