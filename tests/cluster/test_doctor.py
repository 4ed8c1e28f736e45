"""`scalr-agents doctor` against a real API server: what it finds is there, and where nothing is wrong it finds nothing."""

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.cluster import definitions
from tests.cluster.client import Client, Manifest, wait
from tests.cluster.doctor import NODE, TAINTED, Doctor, lines, report

_HELM = {"meta.helm.sh/release-name": "runs", "meta.helm.sh/release-namespace": "NAMESPACE"}
_CACHE = {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": "no-such-class"}}}}

pytestmark = pytest.mark.usefixtures("nodes_of_doctor")


@dataclass(frozen=True)
class Case:
    """A mistake: existing objects, or an agent that needs missing ones, and the beginning of the expected finding."""

    found: str
    objects: list[Manifest] = field(default_factory=list)
    agent: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)


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


def _of(kind: str, name: str, api_version: str = "v1", **content: Any) -> Manifest:
    """An object in the namespace of the test."""
    metadata = {"name": name, "namespace": "NAMESPACE", **content.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}


CASES = {
    "another level": Case(
        "warning: namespace NAMESPACE: enforces no Pod Security level, and the stack file says restricted.",
        config={"namespaces": {"NAMESPACE": {"podSecurity": "restricted"}}},
    ),
    "limit range": Case(
        "error: task pods of agent runs: refused by the API server: maximum cpu usage per Container is 3, but limit is 4.",
        [_of("LimitRange", "bounds", spec={"limits": [{"type": "Container", "max": {"cpu": "3"}}]})],
    ),
    "taint": Case(
        "error: nodes for task pods of agent runs: all 1 nodes that match have taints that the pods do not tolerate: team=payments",
        agent={"values": {"task": {"nodeSelector": {"doctor": TAINTED}}}},
    ),
    "large": Case(
        "error: nodes for task pods of agent runs: none of the 1 nodes that match is large enough for "
        "cpu 750m, ephemeral-storage 4402Mi, memory 1048832Mi",
        agent={"values": {"task": {"runner": {"resources": {"requests": {"memory": "1Ti"}, "limits": {"memory": "1Ti"}}}}}},
    ),
    "registry": Case(
        "warning: pull secret NAMESPACE/regcred: has no credentials for docker.io, where images come from.",
        [
            _of(
                "Secret",
                "regcred",
                type="kubernetes.io/dockerconfigjson",
                data={".dockerconfigjson": base64.b64encode(b'{"auths": {"ghcr.io": {"auth": "aGlkZGVuLXBhc3N3b3Jk"}}}').decode()},
            )
        ],
        agent={"values": {"global": {"imagePullSecrets": [{"name": "regcred"}]}}},
    ),
    "key": Case(
        "error: Secret NAMESPACE/own: has no key token; pods that name it cannot start.",
        [_of("Secret", "own", stringData={"other": "hidden-content"})],
        agent={"values": {"agent": {"tokenExistingSecret": {"name": "own"}}}},
        config={"secrets": {"runs": {"token": None}}},
    ),
    "class": Case(
        "error: claim NAMESPACE/runs-agent-job-cache: its storage class no-such-class does not exist, and no volume is free for it.",
        agent={"values": _CACHE},
    ),
    "driver": Case(
        "error: CSI driver efs.csi.aws.com: is not installed; volumes of it cannot be mounted.",
        agent={"cache": "shared"},
        config={"caches": {"shared": {"efs": {"eksCluster": "prod"}}}},
    ),
    "priority class": Case(
        "error: placeholder pods of agent runs: refused by the API server: no PriorityClass with name no-such-class was found.",
        agent={"values": {"task": {"buffer": {"replicas": 1, "priorityClassName": "no-such-class"}}}},
    ),
    "Helm": Case(
        "error: Helm release NAMESPACE/runs: owns objects of this stack: ServiceAccount runs-agent-job; pulumi up would fail,",
        [_of("ServiceAccount", "runs-agent-job", metadata={"annotations": _HELM})],
    ),
    "record of Helm": Case(
        "warning: Helm release NAMESPACE/runs: has the same name as agent runs, but none of its objects;",
        [
            _of(
                "Secret",
                "sh.helm.release.v1.runs.v1",
                type="helm.sh/release.v1",
                metadata={"labels": {"owner": "helm", "name": "runs"}},
                stringData={"release": "hidden-content"},
            )
        ],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_wrong_is_found(case: Case, doctor: Doctor, cluster: Client, namespace: str) -> None:
    def here(content: Any) -> Any:
        return json.loads(json.dumps(content).replace("NAMESPACE", namespace))

    for manifest in here(case.objects):
        cluster.create(manifest)
    done = doctor(namespace, agent=here(case.agent), config=here(case.config))
    assert [line for line in lines(done) if not line.startswith(here(case.found))] == []
    assert len(lines(done)) == 1
    assert done.returncode == (1 if case.found.startswith("error") else 0)
    assert "hidden" not in done.stdout + done.stderr
    assert "aGlkZGVu" not in done.stdout + done.stderr


def test_a_static_volume_needs_no_storage_class(doctor: Doctor, cluster: Client, namespace: str) -> None:
    spec = {
        "storageClassName": "no-such-class",
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "100Gi"},
        "nfs": {"server": "nfs.acme.internal", "path": "/"},
        "claimRef": {"namespace": namespace, "name": "runs-agent-job-cache"},
    }
    cluster.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"static-{namespace}"}, "spec": spec})
    try:
        assert lines(doctor(namespace, agent={"values": _CACHE})) == []
    finally:
        cluster.delete("PersistentVolume", f"static-{namespace}")


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


def test_a_namespace_that_is_missing_or_goes_is_found(doctor: Doctor, cluster: Client, namespace: str) -> None:
    assert lines(doctor("no-such-namespace"))[0].startswith("error: namespace no-such-namespace: does not exist, and this stack does not ")
    kept = _of("ConfigMap", "kept", metadata={"namespace": namespace, "finalizers": ["scalr-agents.test/keep"]})
    cluster.create(kept)
    cluster.delete("Namespace", namespace)
    try:
        wait(lambda: cluster.get("Namespace", namespace)["status"]["phase"] == "Terminating", "the deletion of the namespace")
        assert lines(doctor(namespace))[0].startswith(f"error: namespace {namespace}: is being deleted, and accepts no new objects. ")
    finally:
        cluster.patch("ConfigMap", "kept", namespace, {"metadata": {"finalizers": None}})


def test_definitions_that_are_missing_or_of_others_are_found(doctor: Doctor, cluster: Client, namespace: str) -> None:
    [line] = [each for each in definitions.LINES_WITH_ONE if each.chart == "agent-job" and each.generation == "legacy"]
    definition = definitions.of(line)
    name = definition["metadata"]["name"]
    if cluster.find("CustomResourceDefinition", name):
        cluster.delete("CustomResourceDefinition", name)
        wait(lambda: not cluster.find("CustomResourceDefinition", name), "the end of the definition")
    expected = {"kubernetes": {"crds": "expect"}}
    [missing] = lines(doctor(namespace, config=expected))
    assert missing.startswith(f"error: definition {name}: does not exist in the cluster, and this stack does not install it. ")
    annotations = {"meta.helm.sh/release-name": "old", "meta.helm.sh/release-namespace": "scalr"}
    cluster.create(definition | {"metadata": {"name": name, "annotations": annotations}})
    [owned] = lines(doctor(namespace))
    assert owned.startswith(f"warning: definition {name}: belongs to the Helm release scalr/old; pulumi up fails if its content differs. ")
    assert lines(doctor(namespace, config=expected)) == []
    cluster.patch("CustomResourceDefinition", name, None, {"metadata": {"annotations": dict.fromkeys(annotations)}})
