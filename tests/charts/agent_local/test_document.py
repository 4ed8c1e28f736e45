"""The examples of the document of the chart agent-local: every one renders."""

from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.helm.assignments import assign
from scalr_agents.model.merge import merge

from tests.helpers.agent_local import MINIMUM, VERSIONS

CACHE = """\
persistence:
  enabled: true
  persistentVolumeClaim:
    {0}
    storageClassName: "nfs-client"
    storage: 40Gi
    accessMode: ReadWriteMany
extraEnv:
  SCALR_AGENT_PROVIDER_CACHE_ENABLED: "1"
  SCALR_AGENT_MODULE_CACHE_ENABLED: "1"
"""
VALUES = [
    CACHE.format('claimName: "my-cache-pvc"'),
    CACHE.format("subPath: vcs"),
    """\
extraEnv:
  SCALR_AGENT_SINGLE: "true"
  SCALR_AGENT_PROVIDER_CACHE_ENABLED: "false"
  SCALR_AGENT_MODULE_CACHE_ENABLED: "false"
""",
    """\
extraEnv:
  SCALR_AGENT_OTLP_ENDPOINT: "otel-collector:4317"
  SCALR_AGENT_OTLP_METRICS_ENABLED: "true"
  SCALR_AGENT_OTLP_TRACES_ENABLED: "true"
""",
    "{agent: {shutdownMode: drain}, terminationGracePeriodSeconds: 3600}",
    "{agent: {shutdownMode: force}, terminationGracePeriodSeconds: 10}",
    "securityContext: {readOnlyRootFilesystem: false, runAsUser: 0, runAsGroup: 0, runAsNonRoot: false}",
]
COMMANDS = [
    ["agent.token=filled-in"],
    ["agent.token=t", "extraEnv.SCALR_AGENT_DEBUG=1", "extraEnv.HTTPS_PROXY=http://myproxy.com:3128"],
    ["agent.token=t", "allowMetadataService=false"],
]


def _kinds(given: dict[str, Any], line: str) -> list[str]:
    made = charts.render("agent-local", given, release="scalr-agent", namespace="scalr", agent_version=VERSIONS[line])
    return [manifest["kind"] for manifest in made]


@pytest.mark.parametrize("line", ["legacy", "current"])
@pytest.mark.parametrize("example", VALUES)
def test_a_values_example_renders(example: str, line: str) -> None:
    assert _kinds(merge(MINIMUM, yaml.safe_load(example)), line)[-1] == "Deployment"


@pytest.mark.parametrize("line", ["legacy", "current"])
@pytest.mark.parametrize("options", COMMANDS, ids=" ".join)
def test_a_command_line_renders(options: list[str], line: str) -> None:
    given: dict[str, Any] = {}
    for text in options:
        assign(given, text, charts.find("agent-local").keys())
    assert _kinds(given, line)[-1] == "Deployment"
