"""The real engine and the real Kubernetes provider on the control plane: they behave as the other tests assume.

The provider is no Go module that can be built from the registry, so it has to be there: `pulumi plugin install resource kubernetes`.
"""

import base64
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from scalr_agents.charts import render

from tests.cluster import accounts, definitions, external_secrets, kubectl, runs, volumes
from tests.cluster.client import Client, wait
from tests.cluster.conftest import Install, NewNamespace
from tests.cluster.control_plane import ControlPlane
from tests.cluster.doctor import kubeconfig
from tests.cluster.external_secrets import Operator
from tests.cluster.helm import WORKLOADS, Instructions
from tests.engine.clouds import FILE_SYSTEM
from tests.engine.stacks import Deployment, Outcome, up
from tests.helpers.command_line import TOKEN
from tests.helpers.mocked_clouds import ACCOUNT, KEY
from tests.helpers.releases import GOLDEN

_SECONDS = 120
_CACHE = "agents.runs.values.persistence.cache"
_REPLACED = ("delete-replaced", "replace", "create-replacement")
_OWNED, _SEEN = ["create", "get", "list", "watch", "patch", "delete"], ["get", "list", "watch"]
_TEAM = [
    ("", "serviceaccounts", _OWNED),
    ("", "secrets", _OWNED),
    ("", "persistentvolumeclaims", _OWNED),
    ("apps", "deployments", _OWNED),
    ("policy", "poddisruptionbudgets", _OWNED),
    ("networking.k8s.io", "networkpolicies", _OWNED),
    (accounts.RBAC, "roles", _OWNED),
    (accounts.RBAC, "rolebindings", _OWNED),
    ("scalr.io", "atasks", _OWNED),
    ("external-secrets.io", "externalsecrets", _OWNED),
    ("apps", "replicasets", _SEEN),
    ("", "pods", _SEEN),
]
"""What a team needs for an agent-job: groups, kinds and verbs. The provider looks at claims, too, when it waits for a Deployment."""
InBackground = Callable[[Callable[[], Outcome]], Future[Outcome]]
"""Starts an operation and does not wait for it."""


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
    up(local)
    return runs.start(cluster, cluster.get("AgentTask", "runs-agent-job-task", namespace))


@pytest.fixture
def in_background() -> Iterator[InBackground]:
    with ThreadPoolExecutor(1) as executor:
        yield executor.submit


def _is_held(cluster: Client, namespace: str) -> bool:
    claim = cluster.find("PersistentVolumeClaim", "runs-agent-job-cache", namespace)
    return claim is not None and "deletionTimestamp" in claim["metadata"]


def test_the_steps_of_the_readme(local: Deployment, cluster: Client, namespace: str) -> None:
    first = up(local)
    assert len(first.all("create")) == 18
    for again in (local.preview(), local.refresh(), local.preview()):
        assert not again.failed, again.output
        assert again.steps == {}
    secret = cluster.get("Secret", "runs-agent-job", namespace)
    local.edit({"agents.runs.values.agent.debug": 1})
    assert up(local).steps == {"runs-controller-task-template": ("update",), "runs-controller-deployment": ("update",)}
    local.set_secrets({"runs.token": "new-token-of-runs"})
    assert up(local).steps == {"runs-controller-token-secret": ("update",), "runs-controller-deployment": ("update",)}
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
    wait(lambda: _is_held(cluster, namespace), "a claim that is deleted and mounted")
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
    wait(lambda: _is_held(cluster, namespace), "a claim that is deleted and mounted")
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


def test_a_file_system_is_replaced_with_its_claim_and_its_pods(
    deploy: Callable[[str], Deployment], cluster: Client, new_namespace: NewNamespace
) -> None:
    """The claim would stay `Terminating` if one of its dependencies were deleted before the pods. The cloud is a stand-in."""
    namespace = new_namespace()
    stack = deploy("aws-dev")
    stack.edit({"namespaces": {namespace: {"create": False}}, "agents.runs.namespace": namespace, "agents.runs.nodes": None})
    stack.edit({"caches.runs": {"efs": {"eksCluster": "prod", "kmsKey": KEY}, "onDelete": "delete"}})
    stack.set_secrets({"runs.token": "token-of-runs"})
    up(stack)
    stack.edit({"caches.runs.efs.kmsKey": KEY.replace("1", "2")})
    moved = up(stack)
    parts = ("runs-cache-volume", "runs-cache-claim", "runs-controller-deployment")
    assert {name: moved.steps[name] for name in parts} == dict.fromkeys(parts, _REPLACED)
    [claim] = cluster.list("PersistentVolumeClaim", namespace)
    volume = cluster.get("PersistentVolume", claim["spec"]["volumeName"])
    assert claim["status"]["phase"] == "Bound"
    assert volume["spec"]["csi"]["volumeHandle"].partition("::")[0] in stack.aws.of_type(FILE_SYSTEM)
    stack.edit({"caches.runs.efs.driverRole": f"arn:aws:iam::{ACCOUNT}:role/efs-csi-node"})
    assert up(stack).steps == {"runs-efs-policy": ("update",), **dict.fromkeys(parts, _REPLACED)}
    assert cluster.get("PersistentVolume", volume["metadata"]["name"])["spec"]["mountOptions"][-1] == "iam"
    assert stack.preview().steps == {}
    assert not stack.destroy().failed


def test_a_killed_up_is_repaired(local: Deployment, cluster: Client, namespace: str) -> None:
    """The rollback of docs/operations.md. Fields that the first attempt set can be removed later."""
    local.edit({"agents.runs.values.agent.minReadySeconds": 30, "agents.runs.values.agent.extraEnv": {"LATER": "gone"}})
    with local.killable_up() as running:
        wait(lambda: cluster.find("Deployment", "runs-agent-job", namespace), "a Deployment that is awaited")
        assert running.kill()
    local.cancel()
    local.edit({"agents.runs.values.agent.minReadySeconds": 1})
    assert 'deployments.apps "runs-agent-job" already exists' in local.up().output
    local.variables = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true", "PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
    assert up(local).steps == {"runs-controller-deployment": ("create",)}
    local.variables = {}
    assert not local.clear_pending().failed
    assert local.pending() == []
    assert local.preview().steps == {}
    local.edit({"agents.runs.values.agent.extraEnv": None})
    up(local)
    [controller] = cluster.get("Deployment", "runs-agent-job", namespace)["spec"]["template"]["spec"]["containers"]
    assert "LATER" not in {variable["name"] for variable in controller["env"]}
    assert not local.destroy().failed


def test_a_credential_for_one_namespace(
    local: Deployment, cluster: Client, namespace: str, control_plane: ControlPlane, tmp_path: Path
) -> None:
    """With the rights that docs/operations.md names, those of the agent, and none on cluster-scoped objects."""
    definitions.install_all(cluster)
    rendered = render("agent-job", {"agent": {"token": TOKEN}}, release="runs", namespace=namespace)
    agents_own = [rule for manifest in rendered if manifest["kind"] == "Role" for rule in manifest["rules"]]
    granted = [*({"apiGroups": [group], "resources": [kind], "verbs": verbs} for group, kind, verbs in _TEAM), *agents_own]
    own = kubeconfig(control_plane, tmp_path, accounts.team(cluster, namespace, granted))
    local.environment = {**local.environment, "KUBECONFIG": str(own)}
    local.edit({"kubernetes.crds": "expect", "agents.runs.values.rbac": {"clusterRules": []}})
    assert len(up(local).all("create")) == 14
    assert local.preview().steps == local.refresh().steps == {}
    external_secrets.install(cluster)
    with Operator(cluster, namespace, "vault", {("scalr/runs", ""): "hunter2"}):
        from_store = {"store": {"name": "vault", "kind": "ClusterSecretStore"}, "env": {"PASSWORD": {"key": "scalr/runs"}}}
        local.edit({"agents.runs.secretsFrom": from_store})
        assert up(local).all("create") == {"runs-controller-env-external-secret"}
        assert not local.destroy().failed
    assert [role["metadata"]["name"] for role in cluster.list("Role", namespace)] == ["team"]


@pytest.mark.parametrize(
    "name", ["agent-job-legacy", "agent-job-current-claim", "agent-local-legacy-claim", "agent-local-current", "agent-k8s-legacy-efs"]
)
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
    up(stack)
    *after, last = instructions.after
    for line in after:
        kubectl.run(cluster, line)
    stack.edit({"kubernetes.upsertExisting": False})
    assert "upsertExisting' false" in last
    assert up(stack).steps == {"cluster": ("update",)}
    assert stack.preview().steps == {}
    there = release.uids(case.objects)
    assert {kind for kind, each in before if there.get((kind, each)) != before[kind, each]} <= _anew(case.chart)
    assert not stack.destroy().failed


def _anew(chart: str) -> set[str]:
    """Objects of a release that were replaced."""
    return set(WORKLOADS) if chart == "agent-k8s" else {"NetworkPolicy"} if chart == "agent-local" else set()
