"""Placeholders and preparation of nodes, which are not awaited."""

from typing import Any

import pulumi
import pytest
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import DEADLINE
from tests.helpers.programs import ARGS, TOKEN, agent_job
from tests.helpers.recording import Recording, Registration, run
from tests.helpers.validated import validate

SKIPPED = {"pulumi.com/skipAwait": "true"}
FORCED = {**SKIPPED, "pulumi.com/patchForce": "true"}
READY: dict[str, Any] = {
    "task": {"buffer": {"replicas": 2}},
    "persistence": {"cache": {"enabled": True, "hostPath": {"path": "/mnt/cache", "preparation": {"enabled": True}}}},
}
OWN = {
    "runs-controller-buffer": "kubernetes:apps/v1:Deployment",
    "runs-controller-buffer-priority": "kubernetes:scheduling.k8s.io/v1:PriorityClass",
    "runs-controller-cache-preparation": "kubernetes:apps/v1:DaemonSet",
    "runs-controller-pre-pull": "kubernetes:apps/v1:DaemonSet",
}


def _run(values: dict[str, Any] = READY, *, pre_pull: bool = True, **args: Any) -> Recording:
    recording = run(agent_job(agent_version="1.4.0", values=values, pre_pull=pre_pull, **args))
    assert recording.error is None
    return recording


def _annotations(resource: Registration) -> Any:
    return resource.inputs["metadata"].get("annotations", {})


def test_node_workloads_are_children_of_the_controller() -> None:
    recording, plain = _run(), _run({"persistence": {"cache": {"enabled": True, "hostPath": {"path": "/mnt/cache"}}}}, pre_pull=False)
    assert {name: recording[name].type for name in set(recording.names) - set(plain.names)} == OWN
    assert {recording[name].parent for name in OWN} == {"runs-controller"}
    assert recording.log == []


@pytest.mark.parametrize("awaited", [True, False])
def test_node_workloads_are_not_awaited(*, awaited: bool) -> None:
    recording = _run(await_rollout=awaited)
    annotations = {name: _annotations(recording[name]) for name in (*OWN, "runs-controller-deployment")}
    assert {name: found for name, found in annotations.items() if found} == {
        "runs-controller-buffer": FORCED,
        "runs-controller-cache-preparation": SKIPPED,
        "runs-controller-pre-pull": SKIPPED,
        **({} if awaited else {"runs-controller-deployment": SKIPPED}),
    }
    assert [(dict(recording[name].timeouts), recording[name].error_hooks) for name in OWN] == [({}, ())] * len(OWN)
    assert len(recording["runs-controller-deployment"].error_hooks) == 1
    assert [resource.name for resource in recording.resources if resource.dependencies & OWN.keys() and resource.name not in OWN] == []
    assert "runs-controller-buffer-priority" in recording["runs-controller-buffer"].dependencies


def test_user_annotations_are_kept() -> None:
    recording = _run(merge(READY, {"global": {"annotations": {"owner": "web"}}}))
    assert _annotations(recording["runs-controller-buffer"]) == {"owner": "web", **FORCED}
    assert _annotations(recording["runs-controller-buffer-priority"]) == {"owner": "web"}


def test_node_workloads_depend_on_the_agent_s_dependencies() -> None:
    def program() -> None:
        other = pulumi.CustomResource("test:index:Other", "other")
        agent_job(agent_version="1.4.0", values=READY, pre_pull=True, opts=pulumi.ResourceOptions(depends_on=[other]))()

    recording = run(program)
    for name in OWN:
        assert {"other", "runs-rbac-service-account"} <= recording.depends(name)


def test_node_workloads_match_render() -> None:
    given = merge(merge(DEADLINE, READY), {"agent": {"url": ARGS["url"], "token": TOKEN}})
    printed = validate("agent-job", given, agent_version="1.4.0", inputs=Inputs(disk=True, pre_pull=True)).objects
    sent = _run()
    for made in (sent[name].inputs for name in OWN):
        (same,) = (other for other in printed if (other["kind"], other["metadata"]["name"]) == (made["kind"], made["metadata"]["name"]))
        metadata = {key: value for key, value in made["metadata"].items() if key != "annotations"}
        assert {**made, "metadata": metadata} == same


def test_outputs_reach_the_placeholders() -> None:
    def program() -> None:
        later = pulumi.Output.from_input
        side = {"name": "side", "image": later("side:1"), "resources": later({"requests": {"cpu": "1"}})}
        agent_job(
            agent_version="1.4.0",
            agent_image=later("registry.acme/agent@sha256:1"),
            runner_image=later("registry.acme/runner:2.1"),
            values=merge(READY, {"task": {"sidecars": [side, {"name": "small", "image": "small:1"}]}}),
            pre_pull=True,
        )()

    recording = run(program)
    containers, pulled = (
        recording[f"runs-controller-{role}"].inputs["spec"]["template"]["spec"]["containers"] for role in ("buffer", "pre-pull")
    )
    assert [container["image"] for container in pulled] == ["registry.acme/runner:2.1", "registry.acme/agent@sha256:1"]
    assert [(container["name"], container["image"]) for container in containers] == [
        ("runner", "registry.acme/runner:2.1"),
        ("worker", "registry.acme/agent@sha256:1"),
        ("side", "registry.acme/agent@sha256:1"),
    ]
    assert containers[2]["resources"] == {"requests": {"cpu": "1"}}
