"""Secrets from a store, with the real engine and the real Kubernetes provider; the operator is a stand-in."""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cluster import external_secrets
from tests.cluster.client import Client, wait
from tests.cluster.external_secrets import Operator
from tests.engine.stacks import Deployment, up

_SECONDS = 120
_NAME = "runs-agent-job"
_STORE = {("scalr/runs", "token"): "token-from-the-store"}
_SECRETS_FROM = {"store": {"name": "vault", "kind": "ClusterSecretStore"}, "token": {"key": "scalr/runs", "property": "token"}}
_NOT_READY = f"error: The ExternalSecret '{_NAME}' of 'runs' is not ready"


@pytest.fixture
def stored(local: Deployment, cluster: Client) -> Deployment:
    """The stack `local`, with its token in a store."""
    external_secrets.install(cluster)
    _from_store(local)
    return local


@pytest.fixture
def operator(cluster: Client, namespace: str) -> Iterator[Operator]:
    external_secrets.install(cluster)
    with Operator(cluster, namespace, "vault", _STORE) as running:
        yield running


def _from_store(stack: Deployment) -> None:
    stack.edit({"agents.runs.secretsFrom": _SECRETS_FROM, "secrets": None})


def _token(cluster: Client, namespace: str) -> str:
    return base64.b64decode(cluster.get("Secret", _NAME, namespace)["data"]["token"]).decode()


def test_the_agent_waits_for_its_secret(stored: Deployment, cluster: Client, namespace: str) -> None:
    with ThreadPoolExecutor(1) as executor:
        first = executor.submit(stored.up)
        wait(lambda: cluster.find("ExternalSecret", _NAME, namespace), "an ExternalSecret")
        made = cluster.get("ExternalSecret", _NAME, namespace)
        assert made["metadata"]["annotations"]["pulumi.com/waitFor"] == "condition=Ready"
        wait(lambda: cluster.find("AgentTask", f"{_NAME}-task", namespace), "what does not wait")
        assert cluster.list("Deployment", namespace) == []
        with Operator(cluster, namespace, "vault", _STORE):
            outcome = first.result(_SECONDS)
            assert not outcome.failed, outcome.output
            secret = cluster.get("Secret", _NAME, namespace)
            assert _token(cluster, namespace) == "token-from-the-store"
            assert secret["metadata"]["labels"].items() >= made["metadata"]["labels"].items()
            assert not any(key.startswith("pulumi.com/") for key in secret["metadata"]["annotations"])
            for again in (stored.preview(), stored.refresh(), stored.preview()):
                assert not again.failed, again.output
                assert again.steps == {}
            assert not stored.destroy().failed
    wait(lambda: cluster.find("Secret", _NAME, namespace) is None, "a Secret that goes with its owner")


def test_a_missing_operator_is_reported(local: Deployment, cluster: Client) -> None:
    external_secrets.remove(cluster)
    _from_store(local)
    failed = local.up()
    assert failed.failed
    assert "error: The cluster does not know ExternalSecrets" in failed.output
    external_secrets.install(cluster)


def test_a_secret_missing_in_the_store_is_reported(stored: Deployment, operator: Operator, cluster: Client, namespace: str) -> None:
    operator.store.clear()
    stored.edit({"kubernetes.rolloutTimeoutSeconds": 10})
    failed = stored.up()
    assert failed.failed
    assert _NOT_READY in failed.output
    assert f"  kubectl describe externalsecret -n {namespace} {_NAME}" in failed.output
    assert "error processing spec.data[0] (key: scalr/runs), err: Secret does not exist" in failed.output  # the operator's event
    assert cluster.list("Deployment", namespace) == []
    operator.store.update(_STORE)
    stored.edit({"kubernetes.rolloutTimeoutSeconds": 60})
    up(stored)
    assert stored.preview().steps == {}
    assert not stored.destroy().failed


def test_a_missing_changed_secret_fails_the_rollout(stored: Deployment, operator: Operator, cluster: Client, namespace: str) -> None:
    """The condition has not changed. The message of the kubelet is as in `test_provider_failures.py`."""
    up(stored)
    waiting = '"state": {"waiting": {"reason": "CreateContainerConfigError", "message": "%s"}}'
    unready = waiting % f"couldn't find key token in Secret {namespace}/{_NAME}"
    stored.edit({"kubernetes.rolloutTimeoutSeconds": 10, "agents.runs.values.agent.podAnnotations": {"scalr-agents.test/unready": unready}})
    failed = stored.up()
    assert failed.failed
    assert _NOT_READY in failed.output
    assert "the operator has not read a change yet" in failed.output


def test_a_token_moves_to_a_store_and_back(local: Deployment, operator: Operator, cluster: Client, namespace: str) -> None:
    """As documented in docs/stack-file.md."""
    up(local)
    _from_store(local)
    assert up(local).steps == {
        "runs-controller-token-external-secret": ("create",),
        "runs-controller-deployment": ("update",),
        "runs-controller-token-secret": ("delete",),
    }
    wait(lambda: cluster.find("Secret", _NAME, namespace), "the operator's own Secret")
    assert _token(cluster, namespace) == "token-from-the-store"
    owned = cluster.get("Secret", _NAME, namespace)
    assert local.preview().steps == {}
    cluster.delete("ExternalSecret", _NAME, namespace, propagation="Orphan")
    local.edit({"agents.runs.secretsFrom": None, "kubernetes.upsertExisting": True})
    local.set_secrets({"runs.token": "token-of-runs"})
    up(local)
    local.edit({"kubernetes.upsertExisting": False})
    up(local)
    assert local.preview().steps == {}
    secret = cluster.get("Secret", _NAME, namespace)
    assert secret["metadata"]["uid"] == owned["metadata"]["uid"]
    assert _token(cluster, namespace) == "token-of-runs"
    assert not local.destroy().failed
