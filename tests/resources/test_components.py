"""What the components register: names, order, parents, retention, secrets."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pulumi
import pytest
import scalr_agents
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.model.merge import merge
from scalr_agents.model.names import Names
from scalr_agents.resources.arguments.agents import AgentJobArgs

from tests.helpers.agent_job import DEADLINE
from tests.helpers.programs import TOKEN, agent_job
from tests.helpers.recording import Recording, Secret, leaves, opened, run
from tests.helpers.validated import validate


def test_agent_job_registers_its_parts() -> None:
    registered = [(resource.type, resource.name, resource.parent) for resource in run(agent_job()).resources]
    assert sorted(entry for entry in registered if entry[0].startswith("scalr-agents")) == [
        ("scalr-agents:index:AgentController", "runs-controller", "runs"),
        ("scalr-agents:index:AgentJob", "runs", "scalr-agents-test"),
        ("scalr-agents:index:AgentNetworkPolicy", "runs-network-policy", "runs"),
        ("scalr-agents:index:AgentRbac", "runs-rbac", "runs"),
    ]
    assert sorted(entry for entry in registered if entry[0].startswith("kubernetes")) == [
        ("kubernetes:apps/v1:Deployment", "runs-controller-deployment", "runs-controller"),
        ("kubernetes:core/v1:Secret", "runs-controller-token-secret", "runs-controller"),
        ("kubernetes:core/v1:ServiceAccount", "runs-rbac-service-account", "runs-rbac"),
        ("kubernetes:networking.k8s.io/v1:NetworkPolicy", "runs-network-policy-egress", "runs-network-policy"),
        ("kubernetes:policy/v1:PodDisruptionBudget", "runs-controller-task-budget", "runs-controller"),
        ("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "runs-rbac-cluster-role", "runs-rbac"),
        ("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding", "runs-rbac-cluster-role-binding", "runs-rbac"),
        ("kubernetes:rbac.authorization.k8s.io/v1:Role", "runs-rbac-role", "runs-rbac"),
        ("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding", "runs-rbac-role-binding", "runs-rbac"),
        ("kubernetes:scalr.io/v1:AgentTask", "runs-controller-task-template", "runs-controller"),
    ]


def test_objects_match_render() -> None:
    values = {"agent": {"replicaCount": 2}, "persistence": {"cache": {"enabled": True}}, **DEADLINE}
    flat = {"agent": {"url": "https://acme.scalr.io", "token": TOKEN}}
    printed = validate("agent-job", merge(values, flat), inputs=Inputs(disk=True)).objects
    sent = [opened(resource.inputs) for resource in run(agent_job(values=values)).resources if resource.type.startswith("kubernetes")]
    assert sorted(sent, key=_identity) == sorted(printed, key=_identity)


def _identity(manifest: dict[str, Any]) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]


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


@pytest.mark.parametrize("form", ["resource", "list", "output"])
def test_children_inherit_depends_on(form: str) -> None:
    def program() -> None:
        other = pulumi.CustomResource("test:index:Other", "other")
        forms: dict[str, Any] = {"resource": other, "list": [other], "output": pulumi.Output.from_input([other])}
        agent_job(opts=pulumi.ResourceOptions(depends_on=forms[form]))()

    recording = run(program)
    assert all("other" in resource.dependencies for resource in recording.resources if resource.type.startswith("kubernetes"))


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


def _secret_paths(recording: Recording) -> set[tuple[str, str]]:
    return {
        (resource.name, ".".join(map(str, path)))
        for resource in recording.resources
        for path, leaf in leaves(resource.inputs)
        if isinstance(leaf, Secret)
    }


@pytest.mark.parametrize("wrap", [pulumi.Output.secret, str], ids=["secret", "plain"])
def test_only_the_content_of_secrets_is_secret(wrap: Callable[[str], Any]) -> None:
    def program() -> None:
        agent_job(token=wrap(TOKEN), ca_bundle=None, secret_env={"TF_TOKEN_acme": wrap("hidden-env")})()

    recording = run(program)
    assert _secret_paths(recording) == {
        ("runs-controller-token-secret", "stringData.token"),
        ("runs-controller-env-secret", "stringData.TF_TOKEN_acme"),
    }
    assert recording["runs-controller-token-secret"].inputs["stringData"] == {"token": Secret(TOKEN)}
    assert recording["runs-controller-token-secret"].secret_outputs == ("data", "stringData")


@pytest.mark.parametrize("wrap", [pulumi.Output.secret, str], ids=["secret", "plain"])
def test_no_request_contains_a_plain_secret(wrap: Callable[[str], Any]) -> None:
    def program() -> None:
        agent_job(token=wrap(TOKEN), secret_env={"TF_TOKEN_acme": wrap("hidden-env")})()

    recording = run(program)
    plain = [leaf for resource in recording.resources for _, leaf in leaves(resource.inputs) if not isinstance(leaf, Secret)]
    seen = str(plain) + str(recording.outputs) + str(recording.log)
    assert TOKEN not in seen
    assert "hidden-env" not in seen


def test_components_register_no_inputs() -> None:
    recording = run(agent_job())
    assert {resource.name: resource.inputs for resource in recording.resources if not resource.custom} == {
        "runs": {},
        "runs-rbac": {},
        "runs-network-policy": {},
        "runs-controller": {},
    }


@pytest.mark.parametrize("wrap", [pulumi.Output.secret, str], ids=["secret", "plain"])
def test_the_digest_is_not_secret(wrap: Callable[[str], Any]) -> None:
    def program() -> None:
        agent_job(token=wrap(TOKEN))()

    recording = run(program)
    annotations = recording["runs-controller-deployment"].inputs["spec"]["template"]["metadata"]["annotations"]
    assert annotations == {"checksum/secrets": secrets.digest({"token": {"token": TOKEN}})}


def test_outputs() -> None:
    outputs = run(agent_job()).outputs["runs"]
    selector = {"app.kubernetes.io/name": "agent-job", "app.kubernetes.io/instance": "runs"}
    assert outputs == {
        "namespace": "scalr",
        "deploymentName": "runs-agent-job",
        "serviceAccountName": "runs-agent-job",
        "taskTemplateName": "runs-agent-job-task",
        "controllerPodSelector": {**selector, "app.kubernetes.io/component": "agent"},
        "taskPodSelector": {**selector, "app.kubernetes.io/component": "task"},
    }


def test_names_are_known_before_anything_exists() -> None:
    names: Names = scalr_agents.names("agent-job", "runs", "scalr")
    recording = run(agent_job())
    created = {resource.inputs["metadata"]["name"] for resource in recording.resources if resource.custom}
    assert created < set(asdict(names).values())
    assert names.service_account == "runs-agent-job"


def test_outputs_reach_the_objects() -> None:
    def program() -> None:
        later = pulumi.Output.from_input
        agent_job(
            url=later("https://later.scalr.io"),
            agent_image=later("registry.acme/agent@sha256:1"),
            runner_image=later("registry.acme/runner:2.1"),
            cache_claim_name=later("shared"),
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


def test_a_rollout_is_awaited_for_five_minutes_and_its_failure_explained() -> None:
    deployment = run(agent_job())["runs-controller-deployment"]
    assert dict(deployment.timeouts) == {"create": "300s", "update": "300s", "delete": "300s"}
    assert [hook.rpartition("-")[0] for hook in deployment.error_hooks] == ["runs-controller-rollout"]
    assert "annotations" not in deployment.inputs["metadata"]


def test_a_rollout_need_not_be_awaited() -> None:
    deployment = run(agent_job(await_rollout=False, rollout_timeout_seconds=60.0))["runs-controller-deployment"]
    assert deployment.inputs["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}
    assert dict(deployment.timeouts) == {"create": "60s", "update": "60s", "delete": "300s"}


def test_deletion_timeouts_cover_the_grace_period() -> None:
    deployment = run(agent_job(values={"agent": {"terminationGracePeriodSeconds": 900}}))["runs-controller-deployment"]
    assert deployment.timeouts["delete"] == "1020s"


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


def test_a_secret_overriding_the_contract_is_a_warning() -> None:
    recording = run(agent_job(secret_env={"SCALR_AGENT_DRIVER": "x"}))
    assert [message.partition(": overrides")[0] for _, message in recording.log] == ["runs: secret_env.SCALR_AGENT_DRIVER"]


def test_chart_names() -> None:
    recording = run(agent_job(names="chart"))
    assert recording["runs-controller-deployment"].inputs["metadata"]["name"] == "scalr-agent"
    assert recording["runs-controller-task-template"].inputs["metadata"]["name"] == "scalr-agent-task"
    assert recording["runs-rbac-cluster-role"].inputs["metadata"]["name"] == "runs-agent-job-clusterrole"


def test_allow_metadata_service_removes_the_policy() -> None:
    assert run(agent_job(values={"task": {"allowMetadataService": True}})).of_type("kubernetes:networking.k8s.io/v1:NetworkPolicy") == []


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
