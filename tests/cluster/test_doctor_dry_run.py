"""Responses of the API server to a dry run of a stack's objects and pods: doctor reports them, and nothing is created."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiClient

from tests.cluster import definitions, volumes
from tests.cluster.client import ApiError, Client, Manifest, wait
from tests.cluster.conftest import NewNamespace
from tests.cluster.control_plane import ControlPlane
from tests.cluster.doctor import NODE, Doctor, lines
from tests.cluster.webhook import configuration, refusing

_TASKS = "task pods of agent runs"
_PULUMI = "pulumi-kubernetes-1a2b3c4d"
_KINDS = (
    "ConfigMap", "DaemonSet", "Deployment", "Job", "NetworkPolicy", "PersistentVolumeClaim", "Pod", "PodDisruptionBudget", "ReplicaSet",
    "Role", "RoleBinding", "Secret", "ServiceAccount", "AgentTask", "ResourceQuota", "LimitRange",
)  # fmt: skip
_KINDS_OF_CLUSTER = ("ClusterRole", "ClusterRoleBinding", "Namespace", "PersistentVolume", "PriorityClass")
_CACHE: dict[str, Any] = {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": {"storageClassName": "fast"}}}}

pytestmark = pytest.mark.usefixtures("nodes_of_doctor", "kinds")


@pytest.fixture(scope="module")
def kinds(cluster: Client) -> None:
    definitions.install_all(cluster)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The requests of doctor: methods and addresses."""
    requests: list[tuple[str, str]] = []
    call = ApiClient.call_api

    def recorded(self: ApiClient, method: str, url: str, *arguments: Any, **more: Any) -> Any:
        requests.append((method, url))
        return call(self, method, url, *arguments, **more)

    monkeypatch.setattr(ApiClient, "call_api", recorded)
    return requests


def _pod(namespace: str, memory: str = "1Mi", **labels: str) -> Manifest:
    container = {"name": "c", "image": "i", "resources": {"requests": {"memory": memory}}}
    spec = {"containers": [container], "nodeSelector": {"doctor": "nobody"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod", "namespace": namespace, "labels": labels}, "spec": spec}


def _is_refused(cluster: Client, manifest: Manifest) -> bool:
    try:
        cluster.create(manifest, dry_run=True)
    except ApiError:
        return True
    return False


def test_pod_security(doctor: Doctor, new_namespace: NewNamespace) -> None:
    volume = {"values": {"task": {"extraVolumes": [{"name": "host", "hostPath": {"path": "/data"}}]}}}
    [line] = lines(doctor(new_namespace("restricted"), agent=volume))
    assert line.startswith(f'error: {_TASKS}: refused by the API server: violates PodSecurity "restricted:latest": ')
    assert 'volume "host"' in line


def test_a_stateful_set(doctor: Doctor, cluster: Client, new_namespace: NewNamespace) -> None:
    """Its pods are judged with their claims, which nobody has created yet."""
    namespace = new_namespace("restricted")
    cache = {"enabled": True, "persistentVolumeClaim": {"storageClassName": namespace}}
    values = {"workload": {"kind": "StatefulSet"}, "persistence": {"cache": cache}, "nodeSelector": {"doctor": NODE}}
    agent = {"kind": "agent-local", "agentVersion": "1.4.0", "values": values}
    [line] = lines(doctor(namespace, agent=agent))
    missing = f"its storage class {namespace} does not exist, and no volume is free for it"
    assert line.startswith(f"error: claim {namespace}/cache-dir-runs-agent-local-0: {missing}")
    volumes.of_class(cluster, namespace)
    assert lines(doctor(namespace, agent=agent)) == []
    volume = {"extraVolumes": [{"name": "host", "hostPath": {"path": "/data"}}]}
    [line] = lines(doctor(namespace, agent={**agent, "values": values | volume}))
    assert line.startswith('error: pods of agent runs: refused by the API server: violates PodSecurity "restricted:latest": ')
    assert cluster.list("StatefulSet", namespace) == cluster.list("PersistentVolumeClaim", namespace) == []
    cluster.delete("PersistentVolume", namespace)


def test_a_quota_that_is_full_now(doctor: Doctor, cluster: Client, namespace: str) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": namespace}}
    cluster.create({**quota, "spec": {"hard": {"requests.memory": "1Gi"}}})
    wait(lambda: cluster.get("ResourceQuota", "team", namespace).get("status"), "the quota's status")
    cluster.create(_pod(namespace, "512Mi"))
    [line] = lines(doctor(namespace))
    amounts = "requested: requests.memory=768Mi, used: requests.memory=512Mi, limited: requests.memory=1Gi"
    assert line.startswith(f"warning: {_TASKS}: refused by the API server: exceeded quota: team, {amounts}. Raise the quota")


def test_a_limit_range_fills_what_a_quota_counts(doctor: Doctor, cluster: Client, namespace: str) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team", "namespace": namespace}}
    cluster.create({**quota, "spec": {"hard": {"limits.cpu": "64"}}})
    wait(lambda: cluster.get("ResourceQuota", "team", namespace).get("status"), "the quota's status")
    unlimited = {"values": {"task": {"worker": {"resources": {"limits": {"cpu": None}}}}}}
    unset = f"error: {_TASKS}: refused by the API server: failed quota: team: must specify limits.cpu for: worker. "
    [line] = lines(doctor(namespace, agent=unlimited))
    assert line.startswith(unset)
    bounds = {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}
    cluster.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "bounds", "namespace": namespace}, "spec": bounds})
    wait(lambda: lines(doctor(namespace, agent=unlimited)) == [], "the LimitRange")


@pytest.fixture
def policy(cluster: Client, namespace: str) -> Iterator[None]:
    """A policy that refuses the pods of runs in the namespace, and one that only warns about Deployments."""
    selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    rules = {
        "pods": ("object.metadata.labels[?'app.kubernetes.io/component'].orValue('') != 'task'", "runs belong\nelsewhere", "Deny"),
        "deployments": ("object.spec.replicas > 1", "one replica is few", "Warn"),
    }
    api_version = "admissionregistration.k8s.io/v1"
    for resource, (expression, message, action) in rules.items():
        group = "" if resource == "pods" else "apps"
        rule = {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": [resource]}
        spec = {
            "matchConstraints": {"resourceRules": [rule], "namespaceSelector": selector},
            "validations": [{"expression": expression, "message": message.replace("\n", " ")}],
        }
        metadata = {"name": f"{namespace}-{resource}"}
        cluster.create({"apiVersion": api_version, "kind": "ValidatingAdmissionPolicy", "metadata": metadata, "spec": spec})
        binding = {"policyName": metadata["name"], "validationActions": [action]}
        cluster.create({"apiVersion": api_version, "kind": "ValidatingAdmissionPolicyBinding", "metadata": metadata, "spec": binding})
    wait(lambda: _is_refused(cluster, _pod(namespace, **{"app.kubernetes.io/component": "task"})), "the policy")
    yield
    for resource in rules:
        cluster.delete("ValidatingAdmissionPolicyBinding", f"{namespace}-{resource}")
        cluster.delete("ValidatingAdmissionPolicy", f"{namespace}-{resource}")


def test_a_policy(doctor: Doctor, namespace: str, policy: None) -> None:
    done = doctor(namespace)
    [line] = lines(done)
    assert line.startswith(f"error: {_TASKS}: refused by the API server: ValidatingAdmissionPolicy '{namespace}-pods' ")
    assert "denied request: runs belong elsewhere. Change the agent's values, or " in line
    warned = f"note: Deployment {namespace}/runs-agent-job: the API server warns: Validation failed for ValidatingAdmissionPolicy"
    assert [each for each in done.stdout.splitlines() if each.startswith(warned) and each.endswith("one replica is few")] != []


def test_a_webhook(doctor: Doctor, control_plane: ControlPlane, cluster: Client, namespace: str) -> None:
    with refusing(control_plane, cluster, namespace) as requests:
        wait(lambda: _is_refused(cluster, _pod(namespace)), "the webhook")
        requests.clear()
        found = lines(doctor(namespace))
    refused = 'refused by the API server: admission webhook "pods.acme.example" denied the request: '
    message = "pods need an owner \\x1b[31mof their own. Change the agent's values, or"
    assert [line.startswith("error: ") and f"{refused}{message}" in line for line in found] == [True, True]
    assert [(request["dryRun"], request["namespace"]) for request in requests] == [(True, namespace)] * 2
    assert {request["object"]["metadata"]["ownerReferences"][0]["kind"] for request in requests} == {"Job", "ReplicaSet"}


def test_a_webhook_that_is_down(doctor: Doctor, control_plane: ControlPlane, cluster: Client, namespace: str) -> None:
    cluster.create(configuration(namespace, 1, control_plane.authority.read_bytes()))
    try:
        wait(lambda: _is_refused(cluster, _pod(namespace)), "the webhook")
        found = lines(doctor(namespace))
    finally:
        cluster.delete("ValidatingWebhookConfiguration", namespace)
    message = 'the API server cannot judge now: Internal error occurred: failed calling webhook "pods.acme.example": '
    assert [line.startswith("warning: ") and message in line for line in found] == [True, True]


def test_a_field_that_cannot_change(doctor: Doctor, cluster: Client, namespace: str) -> None:
    """Pulumi replaces the claim, which the API server cannot know."""
    spec = {"accessModes": ["ReadWriteMany"], "storageClassName": "slow", "resources": {"requests": {"storage": "90Gi"}}}
    metadata = {"name": "runs-agent-job-cache", "namespace": namespace}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}
    cluster.apply(claim, manager=_PULUMI)
    found = lines(doctor(namespace, agent={"values": _CACHE}))
    message = (
        f"warning: PersistentVolumeClaim {namespace}/runs-agent-job-cache: refused by the API server: spec: Forbidden: spec is immutable"
    )
    assert [line for line in found if line.startswith(message)] != []


def test_a_variable_that_becomes_a_reference(doctor: Doctor, cluster: Client, namespace: str) -> None:
    """Applied as anybody but Pulumi, the variable would keep its value beside the reference."""
    variable = {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    labels = {"app.kubernetes.io/name": "agent-job", "app.kubernetes.io/instance": "runs", "app.kubernetes.io/component": "agent"}
    container = {"name": "controller", "image": "i", "env": [{"name": "A", "value": "b"}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "nodeSelector": {"doctor": "nobody"}}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": "runs-agent-job", "namespace": namespace}
    cluster.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}, manager=_PULUMI)
    assert lines(doctor(namespace, agent={"values": {"agent": {"controller": {"extraEnv": [variable]}}}})) == []


def _objects(cluster: Client, namespace: str) -> set[tuple[str, str, str]]:
    """What is in a namespace, with its version, and what is in no namespace."""
    inside = {
        (kind, each["metadata"]["name"], each["metadata"]["resourceVersion"]) for kind in _KINDS for each in cluster.list(kind, namespace)
    }
    return inside | {(kind, each["metadata"]["name"], "") for kind in _KINDS_OF_CLUSTER for each in cluster.list(kind)}


@pytest.mark.parametrize("deployed", [False, True], ids=["first", "again"])
def test_nothing_is_created(
    deployed: bool, doctor: Doctor, cluster: Client, namespace: str, project: Path, asked: list[tuple[str, str]]
) -> None:
    agent = {"values": {**_CACHE, "task": {"buffer": {"replicas": 1}}}}
    quota = {"create": False, "quota": {"pods": 30, "cpu": "64"}}
    config = {"namespaces": {f"{namespace}-new": {"podSecurity": "restricted"}, namespace: quota}}
    if deployed:
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runs-agent-job", "namespace": namespace}}
        cluster.apply(account, manager=_PULUMI)
    before = _objects(cluster, namespace)
    assert doctor(namespace, agent=agent, config=config).stdout
    assert _objects(cluster, namespace) - before == set()
    writes = [(method, url) for method, url in asked if method != "GET" and not url.endswith("/selfsubjectaccessreviews")]
    assert {method for method, _ in writes} == {"PATCH", "POST"}
    assert [url for _, url in writes if "dryRun=All" not in url.partition("?")[2].split("&")] == []
    submitted = [url.partition("?")[0].rpartition(f"/{namespace}/")[2] for _, url in writes if f"/{namespace}/" in url]
    assert submitted.count("pods") == 3
    assert submitted.count("jobs") == 1
    assert len(writes) < 25
