"""The components of all kinds of agents: what they register, in which order, and what of it is secret."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, cast

import pulumi
import pytest
import scalr_agents
from scalr_agents.charts import ChartName
from scalr_agents.charts.shared import secrets
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge
from scalr_agents.resources.arguments.agents import AgentK8sArgs

from tests.helpers.components import inputs, record
from tests.helpers.recording import Recording, Registration, Secret, leaves, opened, run
from tests.helpers.validated import LINES, validate

TOKEN = "s3cr3t-token"
ARGS: dict[str, Any] = {"namespace": "scalr", "url": "https://acme.scalr.io", "token": TOKEN}
CA = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END PRIVATE KEY-----\n"
KINDS: dict[str, ChartName] = {"AgentJob": "agent-job", "AgentLocal": "agent-local", "AgentK8s": "agent-k8s"}
OWNERS = {"AgentJob": "it-controller", "AgentLocal": "it", "AgentK8s": "it"}
WORKLOADS = {
    "AgentJob": ["it-controller-deployment"],
    "AgentLocal": ["it-deployment"],
    "AgentK8s": ["it-deployment", "it-daemon-set"],
}
FULL_JOB: dict[str, Any] = {
    **ARGS,
    "agent_version": "1.4.0",
    "ca_bundle": CA,
    "secret_env": {"TF_TOKEN_acme": "hidden-env"},
    "values": {"global": {"tls": {"clientCert": CA, "clientKey": KEY}}, "persistence": {"cache": {"enabled": True}}},
}
FULL_LOCAL: dict[str, Any] = {
    **ARGS,
    "agent_version": "1.4.0",
    "ca_bundle": CA,
    "secret_env": {"TF_TOKEN_acme": "hidden-env"},
    "service_account_annotations": {"role": "arn"},
    "values": {
        "allowMetadataService": False,
        "agent": {"tls": {"clientCert": CA, "clientKey": KEY}},
        "strategy": {"type": "Recreate"},
        "persistence": {"data": {"enabled": True}, "cache": {"enabled": True}},
    },
}
POOL = {"workerNodeSelector": {"pool": "runs"}, "agent": {"data_home": "/var/lib/runs"}}
FULL_K8S: dict[str, Any] = {
    **ARGS,
    "secret_env": {"TF_TOKEN_acme": "hidden-env"},
    "values": {**POOL, "efsVolumeHandle": "fs-00000a1b", "restrictMetadataService": True},
}
SCALED: dict[str, Any] = {
    **ARGS,
    "scaling": {"max": 4},
    "values": {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 3600},
}
FULL = {"AgentJob": FULL_JOB, "AgentLocal": FULL_LOCAL, "AgentK8s": FULL_K8S}
FORCED = {"pulumi.com/patchForce": "true"}
OWN_SECRET = dict.fromkeys(KINDS, "agent.tokenExistingSecret.name") | {"AgentK8s": "agent.tokenExistingSecret"}

every_kind = pytest.mark.parametrize("component", KINDS)
every_line = pytest.mark.parametrize(
    ("component", "version"), [(name, line.default_version) for name, kind in KINDS.items() for line in LINES if line.chart == kind]
)
wrapped = pytest.mark.parametrize("wrap", [pulumi.Output.secret, str], ids=["secret", "plain"])


def pod(workload: Registration) -> dict[str, Any]:
    template: dict[str, Any] = workload.inputs["spec"]["template"]
    return template


def container(workload: Registration) -> dict[str, Any]:
    (only,) = pod(workload)["spec"]["containers"]
    return dict(only)


@pytest.mark.parametrize(
    ("component", "args", "roles"),
    [
        ("AgentLocal", ARGS, ["token-secret", "deployment"]),
        (
            "AgentLocal",
            FULL_LOCAL,
            [
                *("service-account", "egress", "token-secret", "env-secret", "ca-bundle-secret", "client-cert-secret"),
                *("data-claim", "cache-claim", "deployment"),
            ],
        ),
        ("AgentLocal", SCALED, ["token-secret", "deployment", "autoscaler"]),
        ("AgentK8s", ARGS, ["service-account", "role", "role-binding", "token-secret", "deployment", "daemon-set"]),
        (
            "AgentK8s",
            FULL_K8S,
            [
                *("service-account", "role", "role-binding", "egress", "token-secret", "env-secret"),
                *("storage-class", "volume", "claim", "deployment", "daemon-set"),
            ],
        ),
    ],
    ids=["local", "local with everything", "local that scales", "k8s", "k8s with everything"],
)
def test_children_and_dependencies_of_workloads(component: str, args: dict[str, Any], roles: list[str]) -> None:
    recording = record(component, args)
    assert (recording.resources[0].type, recording.resources[0].inputs) == (f"scalr-agents:index:{component}", {})
    children = recording.resources[1:]
    assert {child.parent for child in children} == {"it"}
    assert sorted(child.name for child in children) == sorted(f"it-{role}" for role in roles)
    for child in children:
        waits = child.name in WORKLOADS[component] or child.inputs["kind"] == "PersistentVolumeClaim"
        before = roles[: roles.index(child.name.removeprefix("it-"))] if waits else []
        assert child.dependencies == {f"it-{role}" for role in before}
    assert [child.name for child in children if child.retain] == []


@every_line
def test_objects_match_render(component: str, version: str) -> None:
    recording = record(component, {**ARGS, "agent_version": version, "values": {"nameOverride": "other"}})
    given = {"nameOverride": "other", "agent": {"url": ARGS["url"], "token": TOKEN}}
    printed = validate(KINDS[component], given, release="it", agent_version=version, inputs=Inputs(disk=True)).objects
    sent = [opened(_without_force(component, made)) for made in inputs(recording).values()]
    assert sorted(sent, key=_identity) == sorted(printed, key=_identity)


def test_an_agent_that_scales_leaves_the_number_of_its_pods_to_the_cluster() -> None:
    recording = record("AgentLocal", SCALED)
    assert "replicas" not in recording["it-deployment"].inputs["spec"]
    spec = recording["it-autoscaler"].inputs["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (1, 4)
    assert spec["scaleTargetRef"]["name"] == recording["it-deployment"].inputs["metadata"]["name"]


def _without_force(component: str, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object without what makes Pulumi set a number of pods that an autoscaler has set, which only workloads of one kind have."""
    if component != "AgentLocal" or manifest["kind"] not in ("Deployment", "StatefulSet"):
        return manifest
    assert manifest["metadata"]["annotations"] == FORCED
    return {**manifest, "metadata": {key: value for key, value in manifest["metadata"].items() if key != "annotations"}}


def _identity(manifest: Mapping[str, Any]) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]


@pytest.mark.parametrize(
    ("component", "given", "seconds"),
    [
        ("AgentJob", {}, 300),
        ("AgentJob", {"agent": {"terminationGracePeriodSeconds": 900}}, 1020),
        ("AgentLocal", {}, 240),
        ("AgentLocal", {"terminationGracePeriodSeconds": 900}, 1020),
        ("AgentLocal", {"terminationGracePeriodSeconds": None}, 150),
        ("AgentK8s", {}, 3780),
        ("AgentK8s", {"terminationGracePeriodSeconds": 4000}, 4120),
    ],
)
def test_deletion_timeouts_cover_the_grace_period(component: str, given: dict[str, Any], seconds: int) -> None:
    recording = record(component, {**ARGS, "values": given, "rollout_timeout_seconds": 90.0})
    for name in WORKLOADS[component]:
        assert dict(recording[name].timeouts) == {"create": "90s", "update": "90s", "delete": f"{seconds}s"}
    assert {r.name for r in recording.resources if r.timeouts} == set(WORKLOADS[component])


@every_kind
def test_a_rollout_is_awaited_and_its_failure_explained(component: str) -> None:
    recording = record(component, ARGS)
    for name in WORKLOADS[component]:
        assert dict(recording[name].timeouts)["create"] == "300s"
        assert [hook.rpartition("-")[0] for hook in recording[name].error_hooks] == [f"{OWNERS[component]}-rollout"]
        assert recording[name].inputs["metadata"].get("annotations", {}) == (FORCED if component == "AgentLocal" else {})
    assert {r.name for r in recording.resources if r.error_hooks} == set(WORKLOADS[component])


@every_kind
def test_a_rollout_need_not_be_awaited(component: str) -> None:
    recording = record(component, {**ARGS, "await_rollout": False})
    annotations = {r.name: r.inputs["metadata"].get("annotations", {}) for r in recording.resources if r.custom}
    assert {name for name, found in annotations.items() if found.get("pulumi.com/skipAwait") == "true"} == set(WORKLOADS[component])


@every_kind
def test_an_explanation_selects_the_pods(component: str) -> None:
    release = validate(KINDS[component], {"agent": {"token": "x"}}, release="it", namespace="scalr").release
    recording = record(component, ARGS)
    assert all(release.selector().items() <= pod(recording[name])["metadata"]["labels"].items() for name in WORKLOADS[component])


def _selector(kind: str, component: str = "") -> dict[str, str]:
    part = {"app.kubernetes.io/component": component} if component else {}
    return {"app.kubernetes.io/name": kind, "app.kubernetes.io/instance": "it", **part}


OF_LOCAL = {"namespace": "scalr", "deploymentName": "it-agent-local", "podSelector": _selector("agent-local")}


@pytest.mark.parametrize(
    ("component", "args", "expected"),
    [
        (
            "AgentJob",
            ARGS,
            {
                "namespace": "scalr",
                "deploymentName": "it-agent-job",
                "serviceAccountName": "it-agent-job",
                "taskTemplateName": "it-agent-job-task",
                "controllerPodSelector": _selector("agent-job", "agent"),
                "taskPodSelector": _selector("agent-job", "task"),
            },
        ),
        ("AgentLocal", ARGS, OF_LOCAL | {"serviceAccountName": "default"}),
        ("AgentLocal", FULL_LOCAL, OF_LOCAL | {"serviceAccountName": "it-agent-local"}),
        (
            "AgentK8s",
            {**ARGS, "values": {"serviceAccount": {"create": False, "name": "mine"}}},
            {
                "namespace": "scalr",
                "deploymentName": "it-agent-k8s-controller",
                "daemonSetName": "it-agent-k8s-worker",
                "serviceAccountName": "mine",
                "controllerPodSelector": _selector("agent-k8s", "controller"),
                "workerPodSelector": _selector("agent-k8s", "worker"),
            },
        ),
    ],
)
def test_outputs(component: str, args: dict[str, Any], expected: dict[str, Any]) -> None:
    assert record(component, args).outputs["it"] == expected


STATEFUL_LOCAL = merge(FULL_LOCAL, {"values": {"workload": {"kind": "StatefulSet"}, "terminationGracePeriodSeconds": 900}})


def test_a_stateful_set_takes_the_place_of_deployment_and_claims() -> None:
    recording = record("AgentLocal", STATEFUL_LOCAL)
    deployed = record("AgentLocal", FULL_LOCAL)
    gone = {"it-deployment", "it-data-claim", "it-cache-claim"}
    assert set(recording.names) == (set(deployed.names) - gone) | {"it-stateful-set"}
    stateful_set = recording["it-stateful-set"]
    assert stateful_set.type == "kubernetes:apps/v1:StatefulSet"
    assert stateful_set.dependencies == set(recording.names) - {"it", "it-stateful-set"}
    assert dict(stateful_set.timeouts) == {"create": "300s", "update": "300s", "delete": "1020s"}
    assert [hook.rpartition("-")[0] for hook in stateful_set.error_hooks] == ["it-rollout"]
    assert stateful_set.goes_first
    assert "checksum/secrets" in pod(stateful_set)["metadata"]["annotations"]
    assert recording.outputs["it"] == deployed.outputs["it"]


@every_kind
def test_names_are_known_before_anything_exists(component: str) -> None:
    args = FULL[component]
    names = scalr_agents.names(
        KINDS[component], "it", "scalr", values={"serviceAccount": {"create": True}}, agent_version=args.get("agent_version")
    )
    assert {made["metadata"]["name"] for made in inputs(record(component, args)).values()} <= set(asdict(names).values())


def _secret_paths(recording: Recording) -> dict[str, Any]:
    return {
        f"{resource.name}.{'.'.join(map(str, path))}": leaf.value
        for resource in recording.resources
        for path, leaf in leaves(resource.inputs)
        if isinstance(leaf, Secret)
    }


@wrapped
@every_kind
def test_only_secret_contents_are_secret_and_never_plain(component: str, wrap: Callable[[str], Any]) -> None:
    def args() -> dict[str, Any]:
        return {**FULL[component], "token": wrap(TOKEN), "secret_env": {"TF_TOKEN_acme": wrap("hidden-env")}}

    recording = record(component, args)
    content = {"token-secret.stringData.token": TOKEN, "env-secret.stringData.TF_TOKEN_acme": "hidden-env"}
    if component != "AgentK8s":
        certificates = {"ca-bundle-secret.stringData.ca-bundle.crt": CA, "client-cert-secret.stringData.tls.crt": CA}
        content |= certificates | {"client-cert-secret.stringData.tls.key": KEY}
    expected = {f"{OWNERS[component]}-{path}": value for path, value in content.items()}
    assert _secret_paths(recording) == expected
    assert [secret for secret in (TOKEN, "hidden-env", KEY) if secret in recording.readable] == []
    marked = {r.name: r.secret_outputs for r in recording.resources if r.secret_outputs}
    assert marked == dict.fromkeys({path.partition(".")[0] for path in expected}, ("data", "stringData"))


@wrapped
@every_kind
def test_the_digest_is_not_secret_and_on_all_pods(component: str, wrap: Callable[[str], Any]) -> None:
    recording = record(component, lambda: {**ARGS, "token": wrap(TOKEN)})
    digests = [pod(recording[name])["metadata"]["annotations"]["checksum/secrets"] for name in WORKLOADS[component]]
    assert digests == [secrets.digest({"token": {"token": TOKEN}})] * len(digests)


def _later() -> dict[str, Any]:
    later = pulumi.Output.from_input
    return {
        "namespace": "scalr",
        "agent_version": "1.4.0",
        "url": later("https://later.scalr.io"),
        "token": pulumi.Output.secret(TOKEN),
        "agent_image": later("mirror.acme/agent@sha256:1"),
        "service_account_annotations": {"role": later("arn:later")},
    }


def test_outputs_reach_the_objects_of_agent_local() -> None:
    later = pulumi.Output.from_input
    recording = record(
        "AgentLocal",
        lambda: {
            **_later(),
            "ca_bundle": later(CA),
            "claim_name": later("shared"),
            "values": {"podAnnotations": {"a": later("b")}, "agent": {"tls": {"clientCert": later(CA), "clientKey": later(KEY)}}},
        },
    )
    deployment = recording["it-deployment"]
    assert container(deployment)["image"] == "mirror.acme/agent@sha256:1"
    assert {"name": "SCALR_URL", "value": "https://later.scalr.io"} in container(deployment)["env"]
    assert {"name": "cache-dir", "persistentVolumeClaim": {"claimName": "shared"}} in pod(deployment)["spec"]["volumes"]
    assert pod(deployment)["metadata"]["annotations"]["a"] == "b"
    assert recording["it-service-account"].inputs["metadata"]["annotations"] == {"role": "arn:later"}
    assert recording["it-ca-bundle-secret"].inputs["stringData"] == {"ca-bundle.crt": Secret(CA)}
    assert recording["it-client-cert-secret"].inputs["stringData"] == {"tls.crt": Secret(CA), "tls.key": Secret(KEY)}


def test_outputs_and_an_efs_claim_reach_the_objects_of_agent_k8s() -> None:
    def call() -> None:
        data = scalr_agents.EfsClaim("data", {"namespace": "scalr", "release": "data", "file_system_id": "fs-00000a1b"})
        given = {**POOL, "efsVolumeHandle": data.volume_handle, "podAnnotations": {"a": pulumi.Output.from_input("b")}}
        agent = scalr_agents.AgentK8s("it", cast(AgentK8sArgs, {**_later(), "values": given}))
        pulumi.export("worker", agent.daemon_set_name)

    recording = run(call)
    assert recording.error is None
    for name in WORKLOADS["AgentK8s"]:
        assert container(recording[name])["image"] == "mirror.acme/agent@sha256:1"
        assert {"name": "SCALR_URL", "value": "https://later.scalr.io"} in container(recording[name])["env"]
        assert pod(recording[name])["metadata"]["annotations"]["a"] == "b"
        assert "data-access-point" in recording.depends(name)
    handle = recording["data-volume"].inputs["spec"]["csi"]["volumeHandle"]
    assert handle.startswith("fs-00000a1b::fsap-")
    assert recording["it-volume"].inputs["spec"]["csi"]["volumeHandle"] == handle
    assert recording["it-service-account"].inputs["metadata"]["annotations"] == {"role": "arn:later"}
    assert recording.exports == {"worker": "it-agent-k8s-worker"}


@every_kind
def test_an_existing_secret_is_used_and_the_token_has_no_effect(component: str) -> None:
    existing: Any = "pool" if component == "AgentK8s" else {"name": "pool"}
    recording = record(component, {**ARGS, "values": {"agent": {"tokenExistingSecret": existing}}})
    assert recording.of_type("kubernetes:core/v1:Secret") == []
    where = OWN_SECRET[component]
    assert ("warning", f"it: token: has no effect: {where} is set, and the existing Secret takes precedence") in recording.log
