"""ExternalSecrets of every kind and line at a real API server, with the operator's own definition."""

import base64
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import merge

from tests.cluster import external_secrets
from tests.cluster.client import Client, wait
from tests.cluster.external_secrets import Operator
from tests.helpers.kinds import CA, JOB, KEY, LOCAL, VERSIONS, Kind, every_kind

_TLS = {(JOB, "current"): "global", (LOCAL, "current"): "agent"}
"""The section of the client certificate, where there is one."""
_STORE = {("pool", "token"): "token-of-the-pool", ("github", ""): "hunter2", ("tls", "key"): KEY}


def _objects(kind: Kind, namespace: str) -> list[Manifest]:
    section = _TLS.get(kind)
    words: dict[str, Any] = {
        "store": {"name": "vault", "kind": "ClusterSecretStore"},
        "token": {"key": "pool", "property": "token"},
        "env": {"GITHUB_TOKEN": {"key": "github"}},
        **({"clientKey": {"key": "tls", "property": "key"}} if section else {}),
    }
    agent = {"kind": kind[0], "namespace": namespace, "agentVersion": VERSIONS[kind], "secretsFrom": words}
    values = {section: {"tls": {"clientCert": CA}}} if section else {}
    config = {"common": {"url": "https://acme.scalr.io"}, "agents": {"one": merge(agent, {"values": values})}}
    loaded = stack.load(config, directory=Path())
    assert [finding for finding in loaded.findings if finding.severity == "error"] == []
    return [made for made in loaded.objects() if made["kind"] == "ExternalSecret"]


def _becomes(cluster: Client, resource: Manifest) -> str:
    """The status of the condition Ready, when the operator has set it."""

    def status() -> str:
        conditions = cluster.current(resource).get("status", {}).get("conditions", [])
        return next((str(each["status"]) for each in conditions if each["type"] == "Ready"), "")

    return wait(status, resource["metadata"]["name"])


@every_kind
def test_the_operator_creates_the_secret_of_the_pods(kind: Kind, cluster: Client, namespace: str) -> None:
    external_secrets.install(cluster)
    resources = _objects(kind, namespace)
    with Operator(cluster, namespace, "vault", _STORE):
        for each in resources:
            cluster.apply(each)
        for each in resources:
            assert _becomes(cluster, each) == "True"
            before = cluster.current(each)
            assert cluster.apply(each)["metadata"]["generation"] == before["metadata"]["generation"]
        secrets = [cluster.get("Secret", each["metadata"]["name"], namespace) for each in resources]
        content = {key: base64.b64decode(value).decode() for secret in secrets for key, value in secret["data"].items()}
        certificate = {"tls.crt": CA, "tls.key": KEY} if kind in _TLS else {}
        assert content == {"token": "token-of-the-pool", "GITHUB_TOKEN": "hunter2", **certificate}
        for each, secret in zip(resources, secrets, strict=True):
            assert secret["metadata"]["labels"].items() >= each["metadata"]["labels"].items()
            cluster.delete("ExternalSecret", each["metadata"]["name"], namespace)
        wait(lambda: not any(cluster.find("Secret", each["metadata"]["name"], namespace) for each in resources), "no Secrets")


@pytest.mark.parametrize("missing", ["pool", "github"])
def test_secrets_missing_in_the_store_are_not_ready(missing: str, cluster: Client, namespace: str) -> None:
    external_secrets.install(cluster)
    with Operator(cluster, namespace, "vault", {remote: value for remote, value in _STORE.items() if remote[0] != missing}):
        for each in _objects((JOB, "legacy"), namespace):
            [data] = cluster.apply(each)["spec"]["data"]
            assert _becomes(cluster, each) == ("False" if data["remoteRef"]["key"] == missing else "True")
