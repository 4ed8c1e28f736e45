"""`scalr-agents doctor` against a real API server: what it finds is there, and where nothing is wrong it finds nothing."""

import base64
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cluster.client import Client, Manifest
from tests.cluster.doctor import NODE, TAINTED, Doctor, lines, report

pytestmark = pytest.mark.usefixtures("nodes_of_doctor")


@pytest.mark.parametrize(
    "agent",
    [
        {"kind": "agent-job"},
        {"kind": "agent-job", "agentVersion": "1.4.0"},
        {"kind": "agent-local", "values": {"nodeSelector": {"doctor": NODE}}},
    ],
    ids=["agent-job-legacy", "agent-job-current", "agent-local"],
)
def test_nothing_is_found_where_nothing_is_wrong(agent: dict[str, Any], doctor: Doctor, namespace: str) -> None:
    done = doctor(namespace, agent=agent)
    assert lines(done) == []
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "cluster of dev: 0 errors, 0 warnings"


def _of(namespace: str, kind: str, name: str, metadata: Mapping[str, Any] | None = None, **content: Any) -> Manifest:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace, **(metadata or {})}, **content}


def test_what_is_wrong_is_found_at_once(doctor: Doctor, cluster: Client, namespace: str) -> None:
    """What is read of objects is where the API server has it."""
    registries = base64.b64encode(b'{"auths": {"ghcr.io": {"auth": "aGlkZGVuLXBhc3N3b3Jk"}}}').decode()
    of_helm = {"meta.helm.sh/release-name": "old", "meta.helm.sh/release-namespace": namespace}
    record = {"labels": {"owner": "helm", "name": "runs"}}
    for manifest in (
        _of(namespace, "LimitRange", "bounds", spec={"limits": [{"type": "Container", "max": {"cpu": "3"}}]}),
        _of(namespace, "Secret", "regcred", type="kubernetes.io/dockerconfigjson", data={".dockerconfigjson": registries}),
        _of(namespace, "Secret", "own", stringData={"other": "hidden-content"}),
        _of(namespace, "ServiceAccount", "runs-agent-job", metadata={"annotations": of_helm}),
        _of(
            namespace,
            "Secret",
            "sh.helm.release.v1.runs.v1",
            type="helm.sh/release.v1",
            metadata=record,
            stringData={"release": "hidden-content"},
        ),
    ):
        cluster.create(manifest)
    values = {
        "global": {"imagePullSecrets": [{"name": "regcred"}]},
        "agent": {"tokenExistingSecret": {"name": "own"}},
        "task": {"nodeSelector": {"doctor": TAINTED}, "buffer": {"replicas": 1, "priorityClassName": "no-such-class"}},
        "persistence": {"data": {"enabled": True, "persistentVolumeClaim": {"storageClassName": "no-such-class"}}},
    }
    config = {
        "namespaces": {namespace: {"podSecurity": "restricted"}},
        "secrets": {"runs": {"token": None}},
        "caches": {"shared": {"efs": {"eksCluster": "prod"}}},
    }
    done = doctor(namespace, agent={"cache": "shared", "values": values}, config=config)
    taint = "all 1 nodes that match have taints that the pods do not tolerate: team=payments:NoSchedule. "
    expected = [
        f"error: Secret {namespace}/own: has no key token; pods that name it cannot start. ",
        f"error: claim {namespace}/runs-agent-job-data: its storage class no-such-class does not exist, and no volume is free for it. ",
        "error: CSI driver efs.csi.aws.com: is not installed; volumes of it cannot be mounted. ",
        "error: task pods of agent runs: refused by the API server: maximum cpu usage per Container is 3, but limit is 4. ",
        "error: placeholder pods of agent runs: refused by the API server: no PriorityClass with name no-such-class was found. ",
        *(f"error: nodes for {pods} pods of agent runs: {taint}" for pods in ("task", "placeholder")),
        f"error: Helm release {namespace}/old: owns objects of this stack: ServiceAccount runs-agent-job; pulumi up would fail",
        f"warning: namespace {namespace}: enforces no Pod Security level, and the stack file says restricted. ",
        f"warning: pull secret {namespace}/regcred: has no credentials for docker.io, where images come from. ",
        f"warning: Helm release {namespace}/runs: has the same name as agent runs, but none of its objects; ",
    ]
    assert [line for line, beginning in zip(lines(done), expected, strict=True) if not line.startswith(beginning)] == []
    assert done.returncode == 1
    assert "hidden" not in done.stdout + done.stderr
    assert "aGlkZGVu" not in done.stdout + done.stderr


def test_an_old_node_is_found(doctor: Doctor, cluster: Client, namespace: str) -> None:
    report(cluster, NODE, "v1.34.1", "containerd://1.7.27")
    try:
        done = doctor(namespace, agent={"agentVersion": "1.4.0"})
    finally:
        report(cluster, NODE, "v1.36.3", "containerd://2.1.4")
    assert [line.partition(". ")[0] for line in lines(done)] == [
        f"error: nodes of task pods of agent runs: their kubelet is older than Kubernetes 1.35, which agents 1.4.0 need: {NODE} (v1.34.1)",
        f"error: nodes of task pods of agent runs: their container runtime cannot mount images as volumes: {NODE} (containerd://1.7.27)",
    ]
