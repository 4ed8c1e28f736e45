"""The real engine and the real Kubernetes provider on the control plane: what all other tests say of the two, seen.

The provider is no Go module that can be built from the registry, so it has to be there: `pulumi plugin install resource kubernetes`.
"""

import base64
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from pulumi import automation
from scalr_agents.charts import render

from tests.clouds import ACCOUNT, KEY
from tests.cluster import definitions, kubectl, runs, volumes
from tests.cluster.client import Client, wait
from tests.cluster.conftest import Install, NewNamespace
from tests.cluster.control_plane import ControlPlane
from tests.cluster.helm import WORKLOADS, Instructions
from tests.command_line import TOKEN
from tests.engine.clouds import FILE_SYSTEM
from tests.engine.stacks import Deployment, Outcome, pulumi_command
from tests.helm.releases import golden
from tests.provider_errors import NO_POD, OUTPUT, timed_out
from tests.resources.unready import EXPECTED

_PLUGIN = "pulumi-resource-kubernetes"
_SECONDS = 120
_UNREADY = "scalr-agents.test/unready"  # see stages.yaml
_NOT_READY = "error: The controllers of 'runs' did not become ready."
_CACHE = "agents.runs.values.persistence.cache"
_REPLACED = ("delete-replaced", "replace", "create-replacement")
_RBAC = "rbac.authorization.k8s.io"
_OWNED, _SEEN = ["create", "get", "list", "watch", "patch", "delete"], ["get", "list", "watch"]
_TEAM = [
    ("", "serviceaccounts", _OWNED),
    ("", "secrets", _OWNED),
    ("", "persistentvolumeclaims", _OWNED),
    ("apps", "deployments", _OWNED),
    ("policy", "poddisruptionbudgets", _OWNED),
    ("networking.k8s.io", "networkpolicies", _OWNED),
    (_RBAC, "roles", _OWNED),
    (_RBAC, "rolebindings", _OWNED),
    ("scalr.io", "atasks", _OWNED),
    ("apps", "replicasets", _SEEN),
    ("", "pods", _SEEN),
]
"""What a team needs for an agent-job: groups, kinds and verbs. The provider looks at claims, too, when it waits for a Deployment."""
GOLDEN = dict(golden())
InBackground = Callable[[Callable[[], Outcome]], Future[Outcome]]
"""Starts an operation and does not wait for it."""


@pytest.fixture(scope="module")
def plugin() -> Path:
    """The directory of the provider."""
    installed = Path.home() / ".pulumi" / "plugins" / f"resource-kubernetes-v{version('pulumi-kubernetes')}"
    found = shutil.which(_PLUGIN, path=f"{os.environ['PATH']}{os.pathsep}{installed}")
    if found is None:
        pytest.skip(f"no Kubernetes provider: `pulumi plugin install resource kubernetes {version('pulumi-kubernetes')}`")
    return Path(found).parent


@pytest.fixture(scope="module")
def command() -> Iterator[automation.PulumiCommand]:
    with pulumi_command() as found:
        yield found


@pytest.fixture
def deploy(control_plane: ControlPlane, plugin: Path, command: automation.PulumiCommand, tmp_path: Path) -> Callable[[str], Deployment]:
    """A stack that the real provider will bring to the cluster."""
    path = f"{plugin}{os.pathsep}{os.environ['PATH']}"

    def new(name: str) -> Deployment:
        stack = Deployment.new(name, tmp_path / name, command)
        stack.environment = {"PATH": path, "KUBECONFIG": str(control_plane.kubeconfig)}
        stack.edit({"kubernetes.context": "tests", "kubernetes.rolloutTimeoutSeconds": 60})
        return stack

    return new


@pytest.fixture
def local(deploy: Callable[[str], Deployment], namespace: str) -> Deployment:
    """The stack `local`, in a namespace of the test."""
    stack = deploy("local")
    stack.edit(
        {
            "namespaces": {namespace: {"create": False}},
            "agents.runs.namespace": namespace,
            "agents.runs.values.agent.minReadySeconds": 1,
        }
    )
    stack.set_secrets({"runs.token": "token-of-runs"})
    return stack


@pytest.fixture
def classes(cluster: Client, namespace: str) -> Iterator[tuple[str, str]]:
    """Two classes with a volume each."""
    names = (f"{namespace}-old", f"{namespace}-new")
    for name in names:
        volumes.of_class(cluster, name)
    yield names
    for name in names:
        cluster.delete("PersistentVolume", name)


@pytest.fixture
def run(local: Deployment, cluster: Client, namespace: str, classes: tuple[str, str]) -> runs.Run:
    """A run of the stack, on a claim of the first class."""
    claim = {"enabled": True, "persistentVolumeClaim": {"storageClassName": classes[0]}}
    local.edit({_CACHE: claim, "agents.runs.values.task.job.ttlSecondsAfterFinished": 1})
    _up(local)
    return runs.start(cluster, cluster.get("AgentTask", "runs-agent-job-task", namespace))


@pytest.fixture
def in_background() -> Iterator[InBackground]:
    with ThreadPoolExecutor(1) as executor:
        yield executor.submit


def _up(stack: Deployment) -> Outcome:
    outcome = stack.up()
    assert not outcome.failed, outcome.output
    return outcome


def _is_held(cluster: Client, namespace: str) -> bool:
    claim = cluster.find("PersistentVolumeClaim", "runs-agent-job-cache", namespace)
    return claim is not None and "deletionTimestamp" in claim["metadata"]


def test_the_steps_of_the_readme(local: Deployment, cluster: Client, namespace: str) -> None:
    first = _up(local)
    assert len(first.all("create")) == 19
    for again in (local.preview(), local.refresh(), local.preview()):
        assert not again.failed, again.output
        assert again.steps == {}
    secret = cluster.get("Secret", "runs-agent-job", namespace)
    local.edit({"agents.runs.values.agent.debug": 1})
    assert _up(local).steps == {"runs-controller-task-template": ("update",), "runs-controller-deployment": ("update",)}
    local.set_secrets({"runs.token": "new-token-of-runs"})
    assert _up(local).steps == {"runs-controller-token-secret": ("update",), "runs-controller-deployment": ("update",)}
    rotated = cluster.get("Secret", "runs-agent-job", namespace)
    assert rotated["metadata"]["uid"] == secret["metadata"]["uid"]
    assert base64.b64decode(rotated["data"]["token"]) == b"new-token-of-runs"
    assert "token-of-runs" not in local.state()
    assert base64.b64encode(b"new-token-of-runs").decode() not in local.state()
    gone = local.destroy()
    assert not gone.failed, gone.output
    assert cluster.list("Role", namespace) == cluster.list("Deployment", namespace) == []
    assert cluster.find("CustomResourceDefinition", "atasks.scalr.io")


def test_a_removal_waits_for_runs(local: Deployment, run: runs.Run, cluster: Client, namespace: str, in_background: InBackground) -> None:
    gone = in_background(local.destroy)
    wait(lambda: _is_held(cluster, namespace), _SECONDS, "a claim that is deleted and mounted")
    assert cluster.list("Deployment", namespace) == []
    for kind in ("Role", "NetworkPolicy", "Secret", "PodDisruptionBudget", "ServiceAccount"):
        assert not any("deletionTimestamp" in there["metadata"] for there in cluster.list(kind, namespace)), kind
    assert cluster.evict(run.pods()[0]["metadata"]["name"], namespace) == 429
    assert run.is_running()
    assert not gone.done()
    run.finish()
    assert not gone.result(_SECONDS).failed, gone.result().output
    assert cluster.list("Role", namespace) == []


def test_a_claim_is_replaced_when_its_runs_have_ended(
    local: Deployment, run: runs.Run, cluster: Client, namespace: str, classes: tuple[str, str], in_background: InBackground
) -> None:
    local.edit({f"{_CACHE}.persistentVolumeClaim.storageClassName": classes[1]})
    moved = in_background(local.up)
    wait(lambda: _is_held(cluster, namespace), _SECONDS, "a claim that is deleted and mounted")
    assert cluster.list("Deployment", namespace) == []
    assert run.is_running()
    run.finish()
    outcome = moved.result(_SECONDS)
    assert not outcome.failed, outcome.output
    assert outcome.steps == {"runs-controller-deployment": _REPLACED, "runs-controller-cache-claim": _REPLACED}
    claim = cluster.get("PersistentVolumeClaim", "runs-agent-job-cache", namespace)
    assert (claim["spec"]["volumeName"], claim["status"]["phase"]) == (classes[1], "Bound")
    assert local.preview().steps == {}
    assert not local.destroy().failed


def test_a_volume_is_replaced_with_its_claim_and_its_pods(
    deploy: Callable[[str], Deployment], cluster: Client, new_namespace: NewNamespace
) -> None:
    namespace = new_namespace()
    stack = deploy("local")
    agent: dict[str, Any] = {"kind": "agent-k8s", "namespace": namespace, "values": {"efsVolumeHandle": "fs-0a"}}
    stack.edit({"namespaces": {namespace: {"create": False}}, "agents": {"runs": agent}})
    stack.set_secrets({"runs.token": "token-of-runs"})
    _up(stack)
    stack.edit({"agents.runs.values.efsVolumeHandle": "fs-0b"})
    assert _up(stack).steps == dict.fromkeys(("runs-volume", "runs-claim", "runs-deployment", "runs-daemon-set"), _REPLACED)
    [claim] = cluster.list("PersistentVolumeClaim", namespace)
    volume = cluster.get("PersistentVolume", claim["spec"]["volumeName"])
    assert (claim["status"]["phase"], volume["spec"]["csi"]["volumeHandle"]) == ("Bound", "fs-0b")
    assert not stack.destroy().failed


def test_a_file_system_is_replaced_with_its_claim_and_its_pods(
    deploy: Callable[[str], Deployment], cluster: Client, new_namespace: NewNamespace
) -> None:
    """The claim would stay `Terminating` if anything that stands below it went before the pods. The cloud is ours."""
    namespace = new_namespace()
    stack = deploy("aws-dev")
    stack.edit({"namespaces": {namespace: {"create": False}}, "agents.runs.namespace": namespace, "agents.runs.nodes": None})
    stack.edit({"caches.runs": {"efs": {"eksCluster": "prod", "kmsKey": KEY}, "onDelete": "delete"}})
    stack.set_secrets({"runs.token": "token-of-runs"})
    _up(stack)
    stack.edit({"caches.runs.efs.kmsKey": KEY.replace("1", "2")})
    moved = _up(stack)
    parts = ("runs-cache-volume", "runs-cache-claim", "runs-controller-deployment")
    assert {name: moved.steps[name] for name in parts} == dict.fromkeys(parts, _REPLACED)
    [claim] = cluster.list("PersistentVolumeClaim", namespace)
    volume = cluster.get("PersistentVolume", claim["spec"]["volumeName"])
    assert claim["status"]["phase"] == "Bound"
    assert volume["spec"]["csi"]["volumeHandle"].partition("::")[0] in stack.aws.of_type(FILE_SYSTEM)
    stack.edit({"caches.runs.efs.driverRole": f"arn:aws:iam::{ACCOUNT}:role/efs-csi-node"})
    assert _up(stack).steps == {"runs-efs-policy": ("update",), **dict.fromkeys(parts, _REPLACED)}
    assert cluster.get("PersistentVolume", volume["metadata"]["name"])["spec"]["mountOptions"][-1] == "iam"
    assert stack.preview().steps == {}
    assert not stack.destroy().failed


def test_a_rollout_that_fails_is_repaired_by_the_next_up(local: Deployment) -> None:
    local.edit({"kubernetes.rolloutTimeoutSeconds": 5, "agents.runs.nodes": {"selector": {"pool": "nowhere"}}})
    failed = local.up()
    assert failed.failed
    assert timed_out("Deployment", "runs-agent-job") in failed.output
    assert f"{_NOT_READY} The error does not tell why." in failed.output
    local.edit({"kubernetes.rolloutTimeoutSeconds": 60, "agents.runs.nodes": None})
    assert _up(local).steps == {"runs-controller-task-template": ("update",), "runs-controller-deployment": ("update",)}
    assert not local.destroy().failed


_LAST = {"finishedAt": "2026-07-01T07:52:50Z", "startedAt": "2026-07-01T07:52:45Z", "containerID": "containerd://0c1f"}
_BACK_OFF = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s restarting failed container=agent"}}
_STATUS = {
    "secret": {"state": {"waiting": {"reason": "CreateContainerConfigError", "message": 'secret "scalr-token" not found'}}},
    "image": {"state": {"waiting": {"reason": "ErrImagePull", "message": "failed to resolve reference: not found"}}},
    "memory": {"state": _BACK_OFF, "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", **_LAST}}},
    "exit": {"state": _BACK_OFF, "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": OUTPUT, **_LAST}}},
}
"""What a kubelet says of a container that does not run, where the tests know what is said then."""


@pytest.mark.parametrize("name", _STATUS)
def test_what_the_kubelet_says_reaches_the_explanation(name: str, local: Deployment) -> None:
    sentence, commands = EXPECTED[name]
    status = json.dumps(_STATUS[name])[1:-1]
    local.edit({"kubernetes.rolloutTimeoutSeconds": 10, "agents.runs.values.agent.podAnnotations": {_UNREADY: status}})
    failed = local.up()
    assert failed.failed
    assert f"{_NOT_READY} {sentence}" in failed.output
    assert [command.split()[:2] for command in re.findall("^ +(kubectl .*)", failed.output, re.MULTILINE)] == [
        command.split()[:2] for command in commands
    ]
    assert ("Is the token" in failed.output) == (name == "exit")


def test_nothing_is_said_of_the_pods_of_a_daemon_set(deploy: Callable[[str], Deployment], namespace: str) -> None:
    stack = deploy("local")
    status = json.dumps(_STATUS["image"])[1:-1]
    agent: dict[str, Any] = {"kind": "agent-k8s", "namespace": namespace, "values": {"workerPodAnnotations": {_UNREADY: status}}}
    stack.edit({"namespaces": {namespace: {"create": False}}, "agents": {"runs": agent}, "kubernetes.rolloutTimeoutSeconds": 10})
    stack.set_secrets({"runs.token": "token-of-runs"})
    failed = stack.up()
    assert timed_out("DaemonSet", "runs-agent-k8s-worker") in failed.output
    assert f"error: The pods of 'runs' did not become ready. {EXPECTED['no pod'][0]}" in failed.output


@pytest.mark.parametrize(
    ("words", "event", "message"),
    [
        ({"agents.runs.nodes": {"selector": {"pool": "nowhere"}}}, "FailedScheduling", "didn't match Pod's node affinity/selector"),
        ({"agents.runs.values.serviceAccount": {"create": False, "name": "nobody"}}, "FailedCreate", 'serviceaccount "nobody" not found'),
        ({"agents.runs.values.agent.resources": {"requests": {"cpu": "4"}, "limits": {"cpu": "4"}}}, "FailedCreate", "exceeded quota: few"),
        ({"agents.runs.values.agent.podSecurityContext": {"runAsUser": 0, "runAsNonRoot": False}}, "FailedCreate", "violates PodSecurity"),
    ],
    ids=["no node", "no account", "quota", "admission"],
)
def test_what_kubernetes_refuses_is_in_the_events_that_the_explanation_asks_for(
    words: dict[str, Any], event: str, message: str, local: Deployment, cluster: Client, namespace: str
) -> None:
    """The provider sees none of it. What it knows is as in `tests/provider_errors.py`, word for word."""
    cluster.patch("Namespace", namespace, None, {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
    quota = {"hard": {"requests.cpu": "3"}}
    cluster.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few", "namespace": namespace}, "spec": quota})
    local.edit({"kubernetes.rolloutTimeoutSeconds": 5, **words})
    failed = local.up()
    assert failed.failed
    assert f"{_NOT_READY} The error does not tell why." in failed.output
    assert f"  kubectl get events -n {namespace} --field-selector type=Warning" in failed.output
    assert "Is the token" not in failed.output
    assert re.findall(r"^\s+\* (.*)", failed.output, re.MULTILINE)[1:] == NO_POD
    told = [each for each in cluster.list("Event", namespace) if each["type"] == "Warning" and each["reason"] == event]
    assert any(message in each["message"] for each in told), told


def test_an_up_that_is_killed(local: Deployment, cluster: Client, namespace: str, in_background: InBackground) -> None:
    """The way back that docs/operations.md shows. What the objects have of the first attempt can be taken from them later."""
    local.edit({"agents.runs.values.agent.minReadySeconds": 30, "agents.runs.values.agent.extraEnv": {"LATER": "gone"}})
    killable, kill = local.killable()
    killed = in_background(killable.up)
    wait(lambda: cluster.find("Deployment", "runs-agent-job", namespace), _SECONDS, "a Deployment that is awaited")
    kill()
    assert killed.result(_SECONDS).failed
    local.cancel()
    local.edit({"agents.runs.values.agent.minReadySeconds": 1})
    assert 'deployments.apps "runs-agent-job" already exists' in local.up().output
    local.variables = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true", "PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
    assert _up(local).steps == {"runs-controller-deployment": ("create",)}
    local.variables = {}
    assert not local.clear_pending().failed
    assert local.pending() == []
    assert local.preview().steps == {}
    local.edit({"agents.runs.values.agent.extraEnv": None})
    _up(local)
    [controller] = cluster.get("Deployment", "runs-agent-job", namespace)["spec"]["template"]["spec"]["containers"]
    assert "LATER" not in {variable["name"] for variable in controller["env"]}
    assert not local.destroy().failed


def test_a_credential_for_one_namespace(
    local: Deployment, cluster: Client, namespace: str, control_plane: ControlPlane, tmp_path: Path
) -> None:
    """With the rights that docs/operations.md names, those of the agent, and nothing of the cluster."""
    definitions.install_all(cluster)
    rendered = render("agent-job", {"agent": {"token": TOKEN}}, release="runs", namespace=namespace)
    agents_own = [rule for manifest in rendered if manifest["kind"] == "Role" for rule in manifest["rules"]]
    granted = [*({"apiGroups": [group], "resources": [kind], "verbs": verbs} for group, kind, verbs in _TEAM), *agents_own]
    metadata = {"name": "team", "namespace": namespace}
    reference = {"apiGroup": _RBAC, "kind": "Role", "name": "team"}
    subjects = [{"kind": "ServiceAccount", **metadata}]
    cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    cluster.create({"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": granted})
    cluster.create({"apiVersion": f"{_RBAC}/v1", "kind": "RoleBinding", "metadata": metadata, "roleRef": reference, "subjects": subjects})
    config = json.loads(control_plane.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": cluster.token(namespace, "team")}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    local.environment = {**local.environment, "KUBECONFIG": str(kubeconfig)}
    local.edit({"kubernetes.crds": "expect", "agents.runs.values.rbac": {"clusterRules": []}})
    assert len(_up(local).all("create")) == 14
    assert local.preview().steps == local.refresh().steps == {}
    assert not local.destroy().failed
    assert [role["metadata"]["name"] for role in cluster.list("Role", namespace)] == ["team"]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_release_of_helm_is_taken_over(name: str, install: Install, deploy: Callable[[str], Deployment], tmp_path: Path) -> None:
    release = install(GOLDEN[name])
    cluster, case = release.cluster, release.case
    before = release.uids(case.objects)
    stack = deploy("local")
    printed = release.adopted(tmp_path)
    stack.file.write_text(printed.stdout, encoding="utf-8")
    stack.edit({"kubernetes.context": "tests"})
    instructions = Instructions.read(printed.stderr)
    prefix = "pulumi config set --secret --path 'scalr-agents:secrets."
    stack.set_secrets({line.removeprefix(prefix).removesuffix("'"): TOKEN for line in instructions.secrets})
    for line in instructions.before:
        kubectl.run(cluster, line)
    _up(stack)
    *after, last = instructions.after
    for line in after:
        kubectl.run(cluster, line)
    stack.edit({"kubernetes.upsertExisting": False})
    assert "upsertExisting' false" in last
    assert _up(stack).steps == {"cluster": ("update",)}
    assert stack.preview().steps == {}
    there = release.uids(case.objects)
    assert {kind for kind, each in before if there.get((kind, each)) != before[kind, each]} <= _anew(case.chart)
    assert not stack.destroy().failed


def _anew(chart: str) -> set[str]:
    """What of a release is not the same object afterwards."""
    return set(WORKLOADS) if chart == "agent-k8s" else {"NetworkPolicy"} if chart == "agent-local" else set()
