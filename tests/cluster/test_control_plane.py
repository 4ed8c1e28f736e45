"""The control plane of the tests refuses what a real one refuses, and leaves nothing behind."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.client import ApiError, Client, Manifest, wait
from tests.cluster.conftest import NewNamespace
from tests.cluster.simulated import LOGS, NODES

_STARTER = """
import sys
from pathlib import Path
from tests.cluster.simulated import SimulatedCluster

with SimulatedCluster(Path(sys.argv[1])) as control_plane:
    print(*control_plane.pids(), flush=True)
    sys.stdin.read()
"""


def _pod(namespace: str, **fields: Any) -> dict[str, Any]:
    containers = [{"name": "main", "image": "example/main"}]
    metadata = {"name": "main", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **fields}}


def _is_running(cluster: Client, namespace: str) -> bool:
    return bool(cluster.get("Pod", "main", namespace)["status"]["phase"] == "Running")


def test_unknown_fields_are_refused(cluster: Client, namespace: str) -> None:
    with pytest.raises(ApiError, match=r'^400: .* unknown field "spec.image"$'):
        cluster.create(_pod(namespace, image="x"))
    with pytest.raises(ApiError, match=r"^500: .* \.spec\.image: field not declared in schema$"):
        cluster.apply(_pod(namespace, image="x"))


def test_pods_are_admitted_by_the_level_of_their_namespace(cluster: Client, new_namespace: NewNamespace) -> None:
    with pytest.raises(ApiError, match=r'^403: .* violates PodSecurity "restricted:latest"'):
        cluster.create(_pod(new_namespace("restricted")))
    with pytest.raises(ApiError, match=r'^403: .* violates PodSecurity "baseline:latest": host namespaces'):
        cluster.create(_pod(new_namespace("baseline"), hostNetwork=True))


def test_conflicting_edits_are_retried(cluster: Client, namespace: str) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": namespace}, "data": {"a": "1"}}
    cluster.create(settings)
    read: list[dict[str, str]] = []

    def change(there: Manifest) -> Manifest:
        if not read:
            cluster.patch("ConfigMap", "settings", namespace, {"data": {"b": "1"}})
        read.append(there["data"])
        return there | {"data": {**there["data"], "a": "2"}}

    cluster.edit(settings, change, "tests")
    assert read == [{"a": "1"}, {"a": "1", "b": "1"}]
    assert cluster.current(settings)["data"] == {"a": "2", "b": "1"}


def test_rbac_is_enforced(cluster: Client, namespace: str) -> None:
    cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader", "namespace": namespace}})
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "reader", "namespace": namespace}}
    cluster.create({**role, "rules": rules})
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    cluster.create({**role, "kind": "RoleBinding", "roleRef": reference, "subjects": [{"kind": "ServiceAccount", "name": "reader"}]})
    with cluster.as_(cluster.token(namespace, "reader")) as reader:
        wait(lambda: reader.may("list", "pods", namespace), 10, "the role")
        assert reader.list("Pod", namespace) == []
        assert not reader.may("get", "pods/log", namespace)
        with pytest.raises(ApiError, match=rf'^403: .* User "system:serviceaccount:{namespace}:reader" cannot delete resource "pods"'):
            reader.delete("Pod", "main", namespace)
    with cluster.as_("somebody") as stranger, pytest.raises(ApiError, match=r"^401: "):
        stranger.list("Pod", namespace)


def test_pods_are_scheduled_and_deleted(cluster: Client, namespace: str) -> None:
    cluster.create(_pod(namespace, nodeSelector={"pool": "b"}))
    wait(lambda: _is_running(cluster, namespace), 10, "the pod")
    assert NODES[cluster.get("Pod", "main", namespace)["spec"]["nodeName"]] == "b"
    assert cluster.logs("main", namespace) == LOGS
    assert cluster.evict("main", namespace) == 201
    wait(lambda: not cluster.find("Pod", "main", namespace), 5, "the end of the pod")


def test_a_budget_keeps_a_pod_from_eviction(cluster: Client, namespace: str) -> None:
    pod = _pod(namespace)
    pod["metadata"]["labels"] = {"app": "main"}
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app": "main"}}}
    cluster.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": pod["metadata"], "spec": budget})
    cluster.create(pod)
    wait(lambda: _is_running(cluster, namespace), 10, "the pod")
    assert cluster.evict("main", namespace) == 429


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux, whose kernel ends processes with their parent")
def test_killed_tests_leave_no_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _STARTER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = parent.stdout.readline().split()
        assert len(pids) == 5
        assert all(_runs(pid) for pid in pids)
        parent.send_signal(signal.SIGKILL)
    wait(lambda: not any(_runs(pid) for pid in pids), 5, "the end of all processes")
    shutil.rmtree(tmp_path / "etcd")  # the killed one could not


def _runs(pid: str) -> bool:
    """Whether a process is running, and not a zombie."""
    try:
        return bool(Path("/proc", pid, "cmdline").read_bytes())
    except FileNotFoundError:
        return False
