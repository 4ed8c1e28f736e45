"""The checks that several charts share: each finds the same in all charts that have the value, on every line that knows it."""

from collections.abc import Iterator
from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.model.maps import merge
from scalr_agents.model.release import Line

from tests.helpers.agent_job import nested, value_paths
from tests.helpers.agent_local import CERTIFICATE, KEY, ROOT
from tests.helpers.validated import LINES, validate

MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}}
OWN = {
    "image": {"agent-job": "agent.image"},
    "resources": {"agent-job": "agent.resources"},
    "securityContext": {"agent-job": "agent.controller.securityContext"},
    "extraEnv": {"agent-job": "agent.extraEnv"},
    "replicaCount": {"agent-job": "agent.replicaCount"},
    "terminationGracePeriodSeconds": {"agent-job": "agent.terminationGracePeriodSeconds"},
    "extraVolumes": {"agent-job": "task.extraVolumes"},
    "extraVolumeMounts": {"agent-job": "task.runner.extraVolumeMounts"},
    "agent.tls": {"agent-job": "global.tls"},
    "agent.tokenExistingSecret.name": {"agent-k8s": "agent.tokenExistingSecret"},
    "agent.tokenExistingSecret.key": {"agent-k8s": "agent.tokenExistingSecretKey"},
}
"""Where a chart has a value that others have elsewhere."""

ERRORS: list[tuple[str, Any, str, str]] = [
    ("agent.token", "", "", "missing: set the token of the agent pool, or the name of an existing Secret in agent.tokenExistingSecret"),
    ("agent.token", "null", "", 'is the word "null"'),
    *(
        ("agent.url", url, "", "not a URL with scheme and host")
        for url in (
            "acme.scalr.io",
            "ftp://acme.scalr.io",
            "https://",
            "https://[acme",
            "https://acme.scalr.io:abc",
            "https://acme,scalr.io",
        )
    ),
    ("agent.tokenExistingSecret.name", "No_Name", "", "not a valid Kubernetes name"),
    ("agent.tokenExistingSecret.key", "a/b", "", "not a valid key of a Secret"),
    ("agent.dataDir", "data", "", "not an absolute path"),
    ("agent.cacheDir", "/var/lib/scalr-agent/data", "", "/var/lib/scalr-agent/data is already used by agent.dataDir"),
    ("agent.providerNetworkMirrors", [{"url": "mirror"}], "[0].url", "not a URL"),
    ("agent.providerNetworkMirrors", [{"token": "x"}], "[0].url", "missing"),
    *(
        ("agent.tls.caBundle", bundle, "", "not PEM")
        for bundle in (
            "MIID...",
            CERTIFICATE.replace("MAMCAQE=", "MIIDXTCCAkWgAwIBAgIJAKZ..."),
            CERTIFICATE.replace("MAMCAQE=", "aGVsbG8="),
            CERTIFICATE.replace("MAMCAQE=", "MAMC"),
            CERTIFICATE + "-----BEGIN CERTIFICATE-----\nMAMC",
            CERTIFICATE + KEY,
        )
    ),
    ("agent.tls.clientCert", CERTIFICATE, "", "requires clientKey"),
    ("agent.tls.clientKey", KEY, "", "requires clientCert"),
    ("agent.tls", {"clientCert": KEY, "clientKey": KEY}, ".clientCert", "not PEM"),
    ("agent.tls", {"clientCert": CERTIFICATE, "clientKey": CERTIFICATE}, ".clientKey", "not PEM"),
    ("agent.tls.clientCertSecret", {"name": "s", "keyKey": "tls.crt"}, ".keyKey", "'tls.crt' is already the key of the certificate"),
    ("extraEnv", {"A B": "x"}, ".A B", "not a valid name of an environment variable"),
    ("extraEnv", {"HTTPS_PROXY": "http://[fd00::1:3128"}, ".HTTPS_PROXY", "not a URL with a valid host and port"),
    ("extraEnv", {"SCALR_AGENT_OTLP_ENDPOINT": "a b"}, ".SCALR_AGENT_OTLP_ENDPOINT", "not a URL with a valid host and port"),
    ("image.tag", 1.1, "", "a number; quote it"),
    *(("image.tag", tag, "", "not an image tag") for tag in ("a b", "\u00e9")),
    *(("image.repository", name, "", "not an image repository") for name in ("scalr/agent:1", "Scalr/Agent")),
    ("image.repository", None, "", "empty: set a repository"),
    ("resources.limits.cpu", "fast", "", "not a Kubernetes quantity"),
    ("resources.limits", {"memory": "10Mi"}, "resources.requests.memory", " is above the limit of 10Mi"),
    (
        "securityContext",
        {"privileged": True, "allowPrivilegeEscalation": False},
        ".allowPrivilegeEscalation",
        "Kubernetes rejects false together with privileged: true or CAP_SYS_ADMIN; set it to true",
    ),
    ("securityContext", {"runAsUser": 0, "runAsNonRoot": True}, ".runAsUser", "0 (here or for the pod) while runAsNonRoot is true"),
    ("serviceAccount.name", "Runs", "", "not a valid Kubernetes name"),
    ("nameOverride", "a b", "", "not a valid label value"),
    ("replicaCount", -1, "", "greater than or equal to 0"),
    ("terminationGracePeriodSeconds", "120", "", "expected a whole number"),
    ("extraVolumes", [{"name": "data-dir", "emptyDir": {}}], "[0].name", "'data-dir' is already used by the agent"),
    ("extraVolumes", [{"emptyDir": {}}], "[0]", "missing: name"),
    ("extraVolumeMounts", [{"name": "nope", "mountPath": "/x"}], "[0].name", "no volume 'nope'"),
    ("persistence.cache.emptyDir.sizeLimit", "10GB", "", "not a Kubernetes quantity; write 10G"),
    ("persistence.cache.persistentVolumeClaim.storage", "big", "", "not a Kubernetes quantity"),
    ("persistence.data.persistentVolumeClaim.storage", "-5Gi", "", "not a size greater than zero"),
    ("persistence.cache.persistentVolumeClaim.subPath", "a/../..", "", "leads out of the volume"),
    ("persistence.cache.persistentVolumeClaim.accessMode", "RWX", "", "given 'RWX'"),
]
"""Values at a path, and what is found there, below it, or at another path."""

WARNINGS: list[tuple[str, Any, str, str]] = [
    ("agent.url", "", "", "missing: the agent takes the address from its token"),
    ("agent.url", "http://acme.scalr.io", "", "sends the agent's token unencrypted"),
    ("agent.url", "https://u:pw@acme.scalr.io", "", "a password in plain text"),
    ("agent.token", "s3cr3t-token\n", "", "begins or ends with white space"),
    ("agent.tokenExistingSecret.name", "pool", "agent.token", "has no effect: agent.tokenExistingSecret"),
    ("agent.tls.caBundle", CERTIFICATE, "", "contains no public root certificate"),
    ("agent.tls", {"caBundle": ROOT, "caBundleSecret": {"name": "corp"}}, ".caBundle", "the existing Secret takes precedence"),
    ("agent.tls", {"clientKey": KEY, "clientCertSecret": {"name": "s"}}, ".clientKey", "the existing Secret takes precedence"),
    ("image.tag", "latest", "", "latest: the image changes without notice"),
    *(
        ("serviceAccount", {"create": False, "name": "own", key: {"a": "b"}}, f".{key}", "has no effect: serviceAccount.create is false")
        for key in ("annotations", "labels")
    ),
]


def place(path: str, chart: str) -> str:
    """Where a chart has a value."""
    for common, own in OWN.items():
        if path == common or path.startswith(f"{common}."):
            return own.get(chart, common) + path.removeprefix(common)
    return path


def is_known(path: str, line: Line) -> bool:
    """Whether a line has a value at a path, above or below it."""
    chart = charts.find(line.chart)
    absent = chart.versions.unsupported(line.default_version)
    meets = any(f"{one}.".startswith(f"{other}.") for value in value_paths(chart.model) for one, other in ((value, path), (path, value)))
    return meets and not any(f"{path}.".startswith(f"{gone}.") for gone in absent)


def on_every_line(rows: list[tuple[str, Any, str, str]]) -> Iterator[Any]:
    for path, value, below, words in rows:
        for line in LINES:
            given = place(path, line.chart)
            at = given + below if below.startswith((".", "[")) else place(below, line.chart) or given
            if is_known(given, line) and is_known(at.partition("[")[0], line):
                yield pytest.param(line, nested(given, value), at, words, id=f"{line.chart}-{line.generation}-{at}")


def found(line: Line, given: dict[str, Any], at: str) -> tuple[str, str]:
    findings = validate(line.chart, merge(MINIMUM, given), agent_version=line.default_version).findings
    return next((finding.severity, finding.message) for finding in findings if finding.path == at)


@pytest.mark.parametrize(("line", "given", "at", "words"), list(on_every_line(ERRORS)))
def test_error(line: Line, given: dict[str, Any], at: str, words: str) -> None:
    severity, message = found(line, given, at)
    assert (severity, words in message) == ("error", True), message


@pytest.mark.parametrize(("line", "given", "at", "words"), list(on_every_line(WARNINGS)))
def test_warning(line: Line, given: dict[str, Any], at: str, words: str) -> None:
    severity, message = found(line, given, at)
    assert (severity, words in message) == ("warning", True), message
