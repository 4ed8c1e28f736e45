"""What the components register: names, order, parents, retention, secrets."""

from typing import Any

import pulumi
import pytest
import scalr_agents
from scalr_agents.resources.arguments.agents import AgentJobArgs

from tests.helpers.programs import TOKEN, agent_job
from tests.helpers.recording import run


def test_the_deployment_waits_for_everything() -> None:
    def program() -> None:
        crds = scalr_agents.AgentCrds("crds", {})
        args: AgentJobArgs = {"namespace": "scalr", "token": TOKEN, "values": {"persistence": {"cache": {"enabled": True}}}}
        scalr_agents.AgentJob("runs", args, pulumi.ResourceOptions(depends_on=[crds]))

    recording = run(program)
    everything_else = {r.name for r in recording.resources if r.custom and r.name != "runs-controller-deployment"}
    assert recording.depends("runs-controller-deployment") == everything_else
    assert "crds-atasks" in recording["runs-controller-task-template"].dependencies
    assert "runs-rbac-role-binding" in recording["runs-controller-cache-claim"].dependencies


def test_definitions_are_retained_and_nothing_else_is() -> None:
    def program() -> None:
        scalr_agents.AgentCrds("crds", {"agent_version": "0.58.0"})
        agent_job()()

    recording = run(program)
    assert [resource.name for resource in recording.resources if resource.retain] == ["crds-atasks"]
    assert recording["crds-atasks"].inputs["metadata"] == {
        "name": "atasks.scalr.io",
        "annotations": {"pulumi.com/patchFieldManager": "scalr-agents"},
    }
    assert recording.outputs["crds"] == {"crdNames": ["atasks.scalr.io"]}


def test_outputs_reach_the_objects() -> None:
    def program() -> None:
        later = pulumi.Output.from_input
        agent_job(
            url=later("https://later.scalr.io"),
            agent_image=later("registry.acme/agent@sha256:1"),
            runner_image=later("registry.acme/runner:2.1"),
            claim_name=later("shared"),
            service_account_annotations={"eks.amazonaws.com/role-arn": later("arn:later")},
            values={"task": {"sidecars": [{"name": "side", "image": later("side:1")}]}},
        )()

    recording = run(program)
    controller = recording["runs-controller-deployment"].inputs["spec"]["template"]["spec"]
    task = recording["runs-controller-task-template"].inputs["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert controller["containers"][0]["image"] == "registry.acme/agent@sha256:1"
    assert [container["image"] for container in task["containers"]] == [
        "registry.acme/runner:2.1",
        "registry.acme/agent@sha256:1",
        "side:1",
    ]
    assert controller["volumes"][1] == {"name": "cache-dir", "persistentVolumeClaim": {"claimName": "shared"}}
    assert {"name": "SCALR_URL", "value": "https://later.scalr.io"} in controller["containers"][0]["env"]
    assert recording["runs-rbac-service-account"].inputs["metadata"]["annotations"] == {"eks.amazonaws.com/role-arn": "arn:later"}


def test_secret_env_reaches_runs_except_agent_variables() -> None:
    recording = run(agent_job(secret_env={"SCALR_AGENT_SENTRY_DSN": "dsn", "TF_TOKEN_acme": "t"}))
    controller = recording["runs-controller-deployment"].inputs["spec"]["template"]["spec"]["containers"]
    task = recording["runs-controller-task-template"].inputs["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    own = {"SCALR_AGENT_SENTRY_DSN", "TF_TOKEN_acme"}
    given = {c["name"]: own & {v["name"] for v in c.get("env", [])} for c in [*controller, *task]}
    assert given == {"controller": own, "worker": own, "runner": {"TF_TOKEN_acme"}}


@pytest.mark.parametrize("component", [scalr_agents.AgentRbac, scalr_agents.AgentNetworkPolicy])
def test_parts_without_secrets_need_no_token(component: type[scalr_agents.AgentRbac] | type[scalr_agents.AgentNetworkPolicy]) -> None:
    def program() -> None:
        values: scalr_agents.AgentJobValues = {"task": {"job": {"activeDeadlineSeconds": 14400}}}
        component("runs", {"namespace": "scalr", "url": "https://acme.scalr.io", "values": values})

    recording = run(program)
    assert recording.error is None
    assert recording.log == []


def test_secret_variables_can_be_referenced_and_take_precedence() -> None:
    proxy = {"enabled": True, "httpsProxy": "http://u:$(PROXY_PASSWORD)@p:1", "noProxy": "10.0.0.0/8"}
    recording = run(agent_job(secret_env={"PROXY_PASSWORD": "x", "NO_PROXY": "y"}, values={"global": {"proxy": proxy}}))
    task = recording["runs-controller-task-template"].inputs["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert [variable["name"] for variable in task[0]["env"]] == ["NO_PROXY", "PROXY_PASSWORD", "HTTP_PROXY", "HTTPS_PROXY"]
    assert task[0]["env"][0]["valueFrom"]["secretKeyRef"]["name"] == "runs-agent-job-env"


def test_chart_names() -> None:
    recording = run(agent_job(names="chart"))
    assert recording["runs-controller-deployment"].inputs["metadata"]["name"] == "scalr-agent"
    assert recording["runs-controller-task-template"].inputs["metadata"]["name"] == "scalr-agent-task"
    assert recording["runs-rbac-cluster-role"].inputs["metadata"]["name"] == "runs-agent-job-clusterrole"


class _OfATeam(scalr_agents.AgentRbac):
    """A component of a program that extends one of ours."""

    team: pulumi.Output[str]

    def __init__(self, name: str, args: Any) -> None:
        self.team = pulumi.Output.from_input("web")
        super().__init__(name, args)


def test_subclasses_have_the_outputs_of_the_component() -> None:
    def program() -> None:
        pulumi.export("outputs", _OfATeam("it", {"namespace": "scalr"}).summary())

    assert run(program).exports["outputs"].keys() == {"namespace", "serviceAccountName", "team"}
