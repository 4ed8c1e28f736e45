"""The examples of the document of the chart agent-k8s: each renders, or fails for a reason that a page of ours gives.

The commands have one assignment per option, and no backslash in a value, as docs/helm-differences.md asks for.
"""

import base64
import shlex
from typing import Any

import pytest
import yaml
from scalr_agents import charts
from scalr_agents.helm.assignments import AssignmentError, assign
from scalr_agents.model.findings import ValuesError, errors
from scalr_agents.model.merge import lookup, merge

from tests.helpers.agent_k8s import MINIMUM, VERSIONS
from tests.helpers.agent_local import CERTIFICATE
from tests.helpers.schemas import assert_valid

MOUNT_OPTIONS = """\
efsMountOptions:
  - acregmin=1
  - acregmax=3
  - acdirmin=1
  - acdirmax=3
"""
INSTALL = '--set agent.url="https://{account}.scalr.io" --set agent.token="{token}"'
NODES = (
    rf'{INSTALL} --set controllerNodeSelector."kubernetes\\.io\\/hostname"="{{node}}"'
    r' --set workerNodeSelector."cloud\\.google\\.com\\/gke-nodepool"="{pool}"'
)
TOLERATION = (
    "--set {0}Tolerations[0].operator=Equal --set {0}Tolerations[0].effect=NoSchedule --set {0}Tolerations[0].key=dedicated"
    " --set {0}Tolerations[0].value=scalr-agent-{0}-pool"
)
POOL = r'--set {0}NodeSelector."cloud\\.google\\.com\\/gke-nodepool"="scalr-agent-{0}-pool"'
DATA_HOME = '--set agent.data_home="/var/lib/{unique-name}"'
PROXY = '--set extraEnv.HTTP_PROXY="{0}" --set extraEnv.HTTPS_PROXY="{0}"'
ADDRESS = "http://proxy.acme.internal:3128"

RENDERED: list[tuple[str, dict[str, Any]]] = [
    (INSTALL.format(account="acme", token="filled-in"), {"agent": {"url": "https://acme.scalr.io", "token": "filled-in"}}),
    (
        NODES.format(account="acme", token="filled-in", node="node-1", pool="runs"),
        {
            "agent": {"url": "https://acme.scalr.io", "token": "filled-in"},
            "controllerNodeSelector": {"kubernetes.io/hostname": "node-1"},
            "workerNodeSelector": {"cloud.google.com/gke-nodepool": "runs"},
        },
    ),
    *(
        (
            TOLERATION.format(part),
            {
                f"{part}Tolerations": [
                    {"operator": "Equal", "effect": "NoSchedule", "key": "dedicated", "value": f"scalr-agent-{part}-pool"},
                ]
            },
        )
        for part in ("controller", "worker")
    ),
    *(
        (POOL.format(part), {f"{part}NodeSelector": {"cloud.google.com/gke-nodepool": f"scalr-agent-{part}-pool"}})
        for part in ("controller", "worker")
    ),
    (DATA_HOME, {"agent": {"data_home": "/var/lib/{unique-name}"}}),
    (
        f'{DATA_HOME} --set efsVolumeHandle="fs-582a03f3"',
        {"agent": {"data_home": "/var/lib/{unique-name}"}, "efsVolumeHandle": "fs-582a03f3"},
    ),
    (
        f'{DATA_HOME} --set efsVolumeHandle="fs-582a03f3::fsap-01e050b7d9a3109d5"',
        {"agent": {"data_home": "/var/lib/{unique-name}"}, "efsVolumeHandle": "fs-582a03f3::fsap-01e050b7d9a3109d5"},
    ),
    ("--set restrictMetadataService=true", {"restrictMetadataService": True}),
    (
        f"{PROXY.format(ADDRESS)} --set extraEnv.NO_PROXY='<addr1>,<addr2>'",
        {"extraEnv": {"HTTP_PROXY": ADDRESS, "HTTPS_PROXY": ADDRESS, "NO_PROXY": "<addr1>,<addr2>"}},
    ),
    (
        f"--set agent.ca_cert={base64.b64encode(CERTIFICATE.encode()).decode()}",
        {"agent": {"ca_cert": base64.b64encode(CERTIFICATE.encode()).decode()}},
    ),
]
"""Commands as a shell gets them, with what a user fills in, and the values that they are."""

REFUSED = [
    (
        INSTALL.format(account="<account>", token="<agent-pool-token>"),
        ["agent.token: is a placeholder", "agent.url: not a URL with scheme and host"],
    ),
    (
        NODES.format(account="<account>", token="<agent-pool-token>", node="<node-name>", pool="<node-pool-name>"),
        [
            r"controllerNodeSelector.kubernetes\.io/hostname: not a valid label value",
            r"workerNodeSelector.cloud\.google\.com/gke-nodepool: not a valid label value",
            "agent.token: is a placeholder",
            "agent.url: not a URL with scheme and host",
        ],
    ),
    (
        PROXY.format("<proxy-address>"),
        ["extraEnv.HTTP_PROXY: not a URL with a valid host", "extraEnv.HTTPS_PROXY: not a URL with a valid host"],
    ),
    ("--set agent.ca_cert='<base-64-encoded-certs>'", ["agent.ca_cert: neither an absolute path nor base64"]),
]
"""Commands with placeholders for the user, and their errors."""

every_line = pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)


def parsed(command: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for word in shlex.split(command):
        if word != "--set":
            assign(given, word, charts.find("agent-k8s").keys())
    return given


def render(given: dict[str, Any], version: str) -> list[dict[str, Any]]:
    return charts.render("agent-k8s", merge(MINIMUM, given), release="scalr-agent", namespace="scalr-agent", agent_version=version)


@every_line
@pytest.mark.parametrize("efs", ["", "fs-582a03f3"], ids=["on nodes", "on EFS"])
def test_the_values_example_renders_and_is_the_default(efs: str, version: str) -> None:
    given = {"efsVolumeHandle": efs}
    rendered = render(given | yaml.safe_load(MOUNT_OPTIONS), version)
    assert [manifest["kind"] for manifest in rendered][-2:] == ["Deployment", "DaemonSet"]
    assert rendered == render(given, version)
    found = [lookup(manifest, "spec", "mountOptions") for manifest in rendered if manifest["kind"] == "PersistentVolume"]
    assert found == ([["acregmin=1", "acregmax=3", "acdirmin=1", "acdirmax=3"]] if efs else [])


@every_line
@pytest.mark.parametrize(("command", "given"), RENDERED, ids=[command[:70] for command, _ in RENDERED])
def test_a_command_renders(command: str, given: dict[str, Any], version: str) -> None:
    assert parsed(command) == given
    rendered = render(given, version)
    assert [manifest["kind"] for manifest in rendered][-2:] == ["Deployment", "DaemonSet"]
    for manifest in rendered:
        assert_valid(manifest)


@every_line
@pytest.mark.parametrize(("command", "reasons"), REFUSED, ids=[command[:70] for command, _ in REFUSED])
def test_commands_with_placeholders_are_refused(command: str, reasons: list[str], version: str) -> None:
    with pytest.raises(ValuesError) as raised:
        render(parsed(command), version)
    found = errors(raised.value.findings)
    assert [f"{finding.path}: {finding.message}".startswith(reason) for finding, reason in zip(found, reasons, strict=True)] == [
        True for _ in reasons
    ]


@pytest.mark.parametrize("text", ["controllerTolerations[0].operator=Equal,controllerTolerations[0].key=a", r"extraEnv.NO_PROXY=a\,b"])
def test_what_only_helm_reads_is_refused(text: str) -> None:
    with pytest.raises(AssignmentError, match="a backslash, a list in braces, or several values in one option"):
        parsed(shlex.join(["--set", text]))
