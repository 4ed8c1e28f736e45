"""Arguments of the components: accepted and refused values, and error messages."""

from types import MappingProxyType
from typing import Any

import pulumi
import pytest
import scalr_agents

from tests.helpers.programs import agent_job
from tests.helpers.recording import run


def refused(**args: Any) -> str:
    recording = run(agent_job(**args))
    assert isinstance(recording.error, scalr_agents.ArgsError), recording.error
    assert recording.names == []
    return str(recording.error)


def test_agent_crds_require_no_arguments() -> None:
    def program() -> None:
        scalr_agents.AgentCrds("crds")
        scalr_agents.AgentCrds("same", {})

    recording = run(program)
    assert recording.outputs["crds"] == recording.outputs["same"] == {"crdNames": ["atasks.scalr.io", "agenttasktemplates.scalr.io"]}


def test_any_mapping_is_accepted() -> None:
    recording = run(agent_job(values=MappingProxyType({"agent": MappingProxyType({"tolerations": ({"key": "a"},)})})))
    assert recording["runs-controller-deployment"].inputs["spec"]["template"]["spec"]["tolerations"] == [{"key": "a"}]


def test_types_of_kubernetes_are_checked() -> None:
    message = refused(values={"task": {"tolerations": [{"effect": "NoSchedul"}], "affinity": {"node_affinity": {}}}})
    assert "error: values.task.tolerations[0].effect: given 'NoSchedul'; did you mean 'NoSchedule'?" in message
    assert "error: values.task.affinity.node_affinity: unknown field 'node_affinity' (Affinity of Kubernetes 1.37); did you" in message


def test_kubernetes_types_may_be_sdk_objects() -> None:
    from pulumi_kubernetes.core import v1

    def program() -> None:
        key = pulumi.Output.from_input("pool")
        term = v1.NodeSelectorTermArgs(match_expressions=[v1.NodeSelectorRequirementArgs(key=key, operator="Exists")])
        required = v1.NodeSelectorArgs(node_selector_terms=[term])
        node_affinity = v1.NodeAffinityArgs(required_during_scheduling_ignored_during_execution=required)
        values = {
            "affinity": v1.AffinityArgs(node_affinity=node_affinity),
            "resources": v1.ResourceRequirementsArgs(limits={"memory": "1Gi"}),
            "tolerations": [v1.TolerationArgs(key=key, toleration_seconds=5)],
        }
        agent_job(values={"agent": values})()

    pod = run(program)["runs-controller-deployment"].inputs["spec"]["template"]["spec"]
    expressions = [{"key": "pool", "operator": "Exists"}]
    required = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    assert pod["affinity"] == {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    assert pod["containers"][0]["resources"]["limits"] == {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "6194Mi"}
    assert pod["tolerations"] == [{"key": "pool", "tolerationSeconds": 5}]


def test_sdk_objects_are_checked() -> None:
    from pulumi_kubernetes.core import v1

    values = {"agent": {"tolerations": [v1.TolerationArgs(effect="NoSchedul")]}, "task": {"affinity": v1.TolerationArgs(key="a")}}
    assert [line.split(":")[1] for line in refused(values=values).splitlines()[1:]] == [
        " values.agent.tolerations[0].effect",
        " values.task.affinity.key",
    ]


def test_warnings_are_logged_once() -> None:
    recording = run(agent_job(url="http://acme.scalr.io"))
    assert recording.log == [("warning", "runs: url: http:// sends the agent's token unencrypted; use https://")]


@pytest.mark.parametrize(
    "image", ["", " ", "scalr/agent :1.4.0", "https://mirror.example/scalr/agent:1.4.0", "scalr/agent@sha256:abc", "a" + "/a" * 99 + " "]
)
@pytest.mark.parametrize("argument", ["agent_image", "runner_image"])
def test_an_invalid_image_is_an_error(argument: str, image: str) -> None:
    assert f"error: {argument}: not the reference of an image, for instance scalr/agent:1.4.0" in refused(**{argument: image})


@pytest.mark.parametrize(
    "image",
    ["agent:1.4.0", "mirror.example:5000/scalr/agent:1.4.0", "[fd00::1]:5000/scalr/agent:1.4.0", f"scalr/agent@sha512:{'0f' * 64}"],
)
def test_valid_images_are_accepted(image: str) -> None:
    recording = run(agent_job(agent_image=image))
    assert (recording.error, recording.log) == (None, [])


@pytest.mark.parametrize("argument", ["ca_bundle", "claim_name", "release"])
def test_an_empty_argument_is_a_warning(argument: str) -> None:
    args: Any = {argument: ""}
    recording = run(agent_job(**args))
    assert recording.log == [("warning", f"runs: {argument}: empty, so it has no effect; set it, or leave it out")]


def test_a_timeout_without_await_has_no_effect() -> None:
    recording = run(agent_job(await_rollout=False, rollout_timeout_seconds=600))
    assert recording.log == [("warning", "runs: rollout_timeout_seconds: has no effect: await_rollout is false")]
    assert run(agent_job(await_rollout=False)).log == []


def test_an_empty_url_has_one_warning() -> None:
    ((_, message),) = run(agent_job(url="")).log
    assert message == "runs: url: missing: the agent takes the address from its token; set it to https://<account>.scalr.io"
