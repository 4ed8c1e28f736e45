"""The examples of the chart's own document: each renders, or fails for the reason that docs/helm-differences.md gives."""

from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.helm.assignments import assign
from scalr_agents.model.findings import ValuesError
from scalr_agents.model.merge import merge

from tests.helpers.agent_job import MINIMUM

PROXY = """\
global:
  proxy:
    enabled: true
    httpProxy: "http://proxy.example.com:8080"
    httpsProxy: "http://proxy.example.com:8080"
    noProxy: "localhost,127.0.0.1,.svc,.cluster.local,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"
"""
CACHE = """\
persistence:
  cache:
    enabled: true
    persistentVolumeClaim: {claimName: my-cache-pvc, storageClassName: nfs-client, storage: 40Gi, accessMode: ReadWriteMany}
agent: {providerCache: {enabled: true, sizeLimit: 20Gi}}
"""
RENDER = [
    PROXY,
    CACHE,
    "global: {tls: {caBundleSecret: {name: my-ca-bundle, key: ca-bundle.crt}}}",
    "otel: {enabled: true, endpoint: 'otel-collector:4317', metricsEnabled: true, tracesEnabled: false}",
]
COMMANDS = [
    ["agent.token=filled-in"],
    ["agent.token=filled-in", "task.runner.image.repository=registry.example.com/custom-runner", "task.runner.image.tag=v1.2.3"],
    ["agent.token=t", "task.allowMetadataService=true"],
    ["agent.token=t", "agent.debug=1"],
    ["agent.token=t", "agent.nodeSelector.node-type=agent-controller", "task.nodeSelector.node-type=agent-worker"],
    [
        "agent.token=t",
        *(
            f"{pods}.tolerations[0].{key}={value}"
            for pods, value in (("agent", "agent-controller"), ("task", "agent-worker"))
            for key, value in (("key", "dedicated"), ("operator", "Equal"), ("value", value), ("effect", "NoSchedule"))
        ),
    ],
    ["agent.token=t", "rbac.create=false"],
]
"""The values of `--set`, one per option."""
ELIDED = """\
global:
  tls:
    caBundle: |
      -----BEGIN CERTIFICATE-----
      MIIDXTCCAkWgAwIBAgIJAKZ...
      -----END CERTIFICATE-----
      -----BEGIN CERTIFICATE-----
      MIIEFzCCAv+gAwIBAgIUDiCT...
      -----END CERTIFICATE-----
"""


def _render(values: dict[str, Any]) -> list[dict[str, Any]]:
    return charts.render("agent-job", values, release="scalr-agent", namespace="scalr-agent")


@pytest.mark.parametrize("example", RENDER)
def test_a_values_example_renders(example: str) -> None:
    assert [manifest["kind"] for manifest in _render(merge(MINIMUM, yaml.safe_load(example)))][-1] == "Deployment"


@pytest.mark.parametrize("options", COMMANDS, ids=lambda options: options[-1][:40])
def test_a_command_line_renders(options: list[str]) -> None:
    values: dict[str, Any] = {}
    for text in options:
        assign(values, text, charts.find("agent-job").keys())
    assert [manifest["kind"] for manifest in _render(values)][-1] == "Deployment"


def test_elided_certificates_are_not_pem() -> None:
    with pytest.raises(ValuesError, match=r"global\.tls\.caBundle: not PEM"):
        _render(merge(MINIMUM, yaml.safe_load(ELIDED)))
