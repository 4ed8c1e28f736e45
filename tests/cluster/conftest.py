"""One control plane for all tests of a run."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from pulumi import automation

from tests import definitions as others
from tests.cluster import agents, definitions, nodes, real_provider
from tests.cluster.client import Client, wait
from tests.cluster.control_plane import ControlPlane
from tests.cluster.doctor import Doctor, own_nodes
from tests.cluster.helm import Helm, Release, in_namespace, moved
from tests.cluster.simulated import SimulatedCluster
from tests.engine.stacks import Deployment, pulumi_command
from tests.helpers.releases import Case
from tests.tools import NotBuiltError

NewNamespace = Callable[..., str]
"""Makes a namespace: `new_namespace()`, or `new_namespace("restricted")` for one that enforces this level of PodSecurity."""

Install = Callable[..., Release]
"""Installs a release in a namespace of its own, and waits for its pods: `install(case)` with Helm 3, and with "helm4" with Helm 4."""

_NODE = "node-of-releases"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    try:
        running = SimulatedCluster(tmp_path_factory.mktemp("control-plane"))
    except NotBuiltError as problem:
        pytest.fail(str(problem), pytrace=False)
    with running:
        yield running


@pytest.fixture(scope="session")
def cluster(control_plane: ControlPlane) -> Iterator[Client]:
    """The client of an administrator, in a cluster with the kinds of Cilium, GKE and the Prometheus operator."""
    with control_plane.client() as administrator:
        for kind in ("CiliumNetworkPolicy", "FQDNNetworkPolicy", "PrometheusRule"):
            definitions.install(administrator, others.definitions()[kind], manager="their-owner")
        yield administrator


@pytest.fixture
def new_namespace(cluster: Client) -> Iterator[NewNamespace]:
    """Creates namespaces that are removed after the test."""
    made = []

    def new(pod_security: str | None = None) -> str:
        name = f"test-{next(_numbers)}"
        labels = {"pod-security.kubernetes.io/enforce": pod_security} if pod_security else {}
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        made.append(name)
        for kind, always_there in (("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")):
            wait(partial(cluster.find, kind, always_there, name), f"{kind} {always_there}")
        return name

    yield new
    for name in made:
        cluster.delete("Namespace", name)


@pytest.fixture
def namespace(new_namespace: NewNamespace) -> str:
    """A fresh namespace, which admits any pod."""
    return new_namespace()


@pytest.fixture(scope="module")
def node(cluster: Client) -> Iterator[None]:
    """Nodes for pods that select nodes of their own."""
    nodes.add(cluster, _NODE, {"n": "1", "c": "1", "kubernetes.io/arch": "amd64"})
    wait(lambda: nodes.is_ready(cluster, _NODE), _NODE)
    yield
    cluster.delete("Node", _NODE)


@pytest.fixture
def install(control_plane: ControlPlane, cluster: Client, new_namespace: NewNamespace, tmp_path: Path, node: None) -> Iterator[Install]:
    shared: list[tuple[str, str]] = []

    def installed(case: Case, program: str = "helm") -> Release:
        case = moved(case, new_namespace())
        helm = Helm(program, control_plane.kubeconfig, tmp_path / "helm")
        shared.extend(_volumes(cluster, case))
        shared.extend((item["kind"], item["metadata"]["name"]) for item in case.objects if in_namespace(item, case.namespace) is None)
        there = [
            cluster.find(item["kind"], item["metadata"]["name"]) for item in case.objects if item["kind"] == "CustomResourceDefinition"
        ]
        done = helm.install(case, *(["--skip-crds"] if any(there) else []))  # Helm 4 applies those that another test has left
        assert done.returncode == 0, done.stderr
        release = Release(cluster, helm, case)
        agents.wait_for_rollout(cluster, release.workloads())
        assert release.records() == [f"sh.helm.release.v1.{case.release}.v1"]
        return release

    yield installed
    for kind, name in shared:
        if kind != "CustomResourceDefinition" and cluster.find(kind, name):
            cluster.delete(kind, name)


def _volumes(cluster: Client, case: Case) -> Iterator[tuple[str, str]]:
    """Volumes for claims, which the chart does not create."""
    made = any(item["kind"] == "PersistentVolume" for item in case.objects)
    for claim in [item for item in case.objects if item["kind"] == "PersistentVolumeClaim" and not made]:
        name = f"{case.namespace}.{claim['metadata']['name']}"
        spec = {
            "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": "1Ti"},
            "claimRef": {"name": claim["metadata"]["name"], "namespace": case.namespace},
            "nfs": {"server": "10.1.2.3", "path": "/"},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": claim["spec"]["storageClassName"],
        }
        cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec})
        yield "PersistentVolume", name


@pytest.fixture(scope="module")
def nodes_of_doctor(cluster: Client) -> Iterator[None]:
    with own_nodes(cluster):
        yield


@pytest.fixture
def doctor(control_plane: ControlPlane, project: Path) -> Doctor:
    return Doctor(control_plane, project)


@pytest.fixture(scope="module")
def plugin() -> Path:
    """The directory of the provider."""
    return real_provider.find()


@pytest.fixture(scope="module")
def command() -> Iterator[automation.PulumiCommand]:
    with pulumi_command() as found:
        yield found


@pytest.fixture
def deploy(control_plane: ControlPlane, plugin: Path, command: automation.PulumiCommand, tmp_path: Path) -> Callable[[str], Deployment]:
    """A stack for the real provider and the cluster."""
    return lambda name: real_provider.stack(name, tmp_path, command, control_plane.kubeconfig)


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
