"""The examples of the charts' own documents: each renders on every line of agents, or fails for a reason that a page of ours gives.

The commands have one assignment per option, and no backslash in a value, as docs/helm-differences.md asks for.
"""

import shlex
from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.migration.template import assign
from scalr_agents.model.findings import ValuesError, errors
from scalr_agents.model.maps import merge
from scalr_agents.model.release import Line

from tests.helpers.validated import LINES

MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}}
OF_JOB = [
    """\
global:
  proxy:
    enabled: true
    httpProxy: "http://proxy.example.com:8080"
    httpsProxy: "http://proxy.example.com:8080"
    noProxy: "localhost,127.0.0.1,.svc,.cluster.local,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"
""",
    """\
persistence:
  cache:
    enabled: true
    persistentVolumeClaim: {claimName: my-cache-pvc, storageClassName: nfs-client, storage: 40Gi, accessMode: ReadWriteMany}
agent: {providerCache: {enabled: true, sizeLimit: 20Gi}}
""",
    "global: {tls: {caBundleSecret: {name: my-ca-bundle, key: ca-bundle.crt}}}",
    "otel: {enabled: true, endpoint: 'otel-collector:4317', metricsEnabled: true, tracesEnabled: false}",
    "--set task.runner.image.repository=registry.example.com/custom-runner --set task.runner.image.tag=v1.2.3",
    "--set task.allowMetadataService=true",
    "--set agent.debug=1",
    "--set agent.nodeSelector.node-type=agent-controller --set task.nodeSelector.node-type=agent-worker",
    "--set task.tolerations[0].key=dedicated --set task.tolerations[0].operator=Equal --set task.tolerations[0].value=agent-worker",
    "--set rbac.create=false",
]
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
OF_LOCAL = [
    CACHE.format('claimName: "my-cache-pvc"'),
    CACHE.format("subPath: vcs"),
    'extraEnv: {SCALR_AGENT_SINGLE: "true", SCALR_AGENT_PROVIDER_CACHE_ENABLED: "false", SCALR_AGENT_MODULE_CACHE_ENABLED: "false"}',
    """\
extraEnv:
  SCALR_AGENT_OTLP_ENDPOINT: "otel-collector:4317"
  SCALR_AGENT_OTLP_METRICS_ENABLED: "true"
  SCALR_AGENT_OTLP_TRACES_ENABLED: "true"
""",
    "{agent: {shutdownMode: drain}, terminationGracePeriodSeconds: 3600}",
    "{agent: {shutdownMode: force}, terminationGracePeriodSeconds: 10}",
    "securityContext: {readOnlyRootFilesystem: false, runAsUser: 0, runAsGroup: 0, runAsNonRoot: false}",
    "--set extraEnv.SCALR_AGENT_DEBUG=1 --set extraEnv.HTTPS_PROXY=http://myproxy.com:3128",
    "--set allowMetadataService=false",
]
INSTALL = '--set agent.url="https://{account}.scalr.io" --set agent.token="{token}"'
NODES = (
    r'--set controllerNodeSelector."kubernetes\\.io\\/hostname"="{node}"'
    r' --set workerNodeSelector."cloud\\.google\\.com\\/gke-nodepool"="{pool}"'
)
DATA_HOME = '--set agent.data_home="/var/lib/{unique-name}"'
PROXY = '--set extraEnv.HTTP_PROXY="{0}" --set extraEnv.HTTPS_PROXY="{0}"'
OF_K8S = [
    "efsMountOptions: [acregmin=1, acregmax=3, acdirmin=1, acdirmax=3]",
    INSTALL.format(account="acme", token="filled-in"),
    NODES.format(node="node-1", pool="runs"),
    "--set workerTolerations[0].operator=Equal --set workerTolerations[0].effect=NoSchedule --set workerTolerations[0].key=dedicated",
    f'{DATA_HOME} --set efsVolumeHandle="fs-582a03f3::fsap-01e050b7d9a3109d5"',
    "--set restrictMetadataService=true",
    f"{PROXY.format('http://proxy.acme.internal:3128')} --set extraEnv.NO_PROXY='<addr1>,<addr2>'",
]
EXAMPLES = {"agent-job": OF_JOB, "agent-local": OF_LOCAL, "agent-k8s": OF_K8S}
"""Values files, and options as a shell gets them, with what a user fills in."""
REFUSED = [
    (
        INSTALL.format(account="<account>", token="<agent-pool-token>"),
        ["agent.token: is a placeholder", "agent.url: not a URL with scheme and host"],
    ),
    (
        NODES.format(node="<node-name>", pool="<node-pool-name>"),
        [
            r"controllerNodeSelector.kubernetes\.io/hostname: not a valid label value",
            r"workerNodeSelector.cloud\.google\.com/gke-nodepool: not a valid label value",
        ],
    ),
    (
        PROXY.format("<proxy-address>"),
        ["extraEnv.HTTP_PROXY: not a URL with a valid host", "extraEnv.HTTPS_PROXY: not a URL with a valid host"],
    ),
    ("--set agent.ca_cert='<base-64-encoded-certs>'", ["agent.ca_cert: neither an absolute path nor base64"]),
]
"""Commands of agent-k8s with placeholders for the user, and their errors."""


def render(line: Line, example: str) -> list[dict[str, Any]]:
    given: dict[str, Any] = {}
    if example.startswith("--set "):
        for word in shlex.split(example.replace("--set ", "")):
            assign(given, word, charts.find(line.chart).keys())
    else:
        given = yaml.safe_load(example)
    return charts.render(line.chart, merge(MINIMUM, given), release="scalr-agent", namespace="scalr", agent_version=line.default_version)


@pytest.mark.parametrize(("line", "example"), [(line, example) for line in LINES for example in EXAMPLES[line.chart]])
def test_an_example_renders(line: Line, example: str) -> None:
    assert render(line, example)[-1]["kind"] in ("Deployment", "DaemonSet")


@pytest.mark.parametrize("line", [line for line in LINES if line.chart == "agent-k8s"], ids=lambda line: line.generation)
@pytest.mark.parametrize(("command", "reasons"), REFUSED, ids=[command[:70] for command, _ in REFUSED])
def test_commands_with_placeholders_are_refused(command: str, reasons: list[str], line: Line) -> None:
    with pytest.raises(ValuesError) as raised:
        render(line, command)
    found = errors(raised.value.findings)
    assert [f"{finding.path}: {finding.message}".startswith(reason) for finding, reason in zip(found, reasons, strict=True)] == [
        True for _ in reasons
    ]
