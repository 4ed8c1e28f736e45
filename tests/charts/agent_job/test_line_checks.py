"""The cross-checks of agent-job that concern one of its lines."""

from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested
from tests.helpers.agent_local import CERTIFICATE, KEY
from tests.helpers.validated import validate

CACHE = "persistence.cache"
EXTRA = {"extraVolumes": [{"name": "v", "emptyDir": {}}]}


def _findings(given: dict[str, Any], version: str = CURRENT, inputs: Inputs | None = None) -> dict[str, tuple[str, str]]:
    loaded = validate("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr", agent_version=version, inputs=inputs)
    return {finding.path: (finding.severity, finding.message) for finding in loaded.findings}


def _mirror(**fields: Any) -> dict[str, Any]:
    return nested("agent.providerNetworkMirrors", [fields])


def _mounted(container: str, path: str) -> dict[str, Any]:
    return nested("task", {**EXTRA, container: {"extraVolumeMounts": [{"name": "v", "mountPath": path}]}})


ERRORS = [
    (_mirror(url="http://mirror.example/"), "agent.providerNetworkMirrors[0].url", "https://"),
    (_mirror(url="https://mirror.example/", tokens="x"), "agent.providerNetworkMirrors[0].tokens", "did you mean 'token'"),
    (_mirror(url="https://mirror.example/", token=object()), "agent.providerNetworkMirrors[0].token", "set it in mirror_tokens, by host"),
    (
        _mirror(url=object()),
        "agent.providerNetworkMirrors[0].url",
        "must be known before deployment, because the list of mirrors is one string",
    ),
    (nested("global.tls.clientCertSecret", {"name": "s", "certKey": "k", "keyKey": "k"}), "global.tls.clientCertSecret.keyKey", "already"),
    (nested("agent.binaryCache.sizeLimit", "1Ti"), "agent.binaryCache.sizeLimit", "Gi, Mi, G or M"),
    (nested("task.runner.memorySoftLimitPercent", 101), "task.runner.memorySoftLimitPercent", "not a percentage"),
    (nested("task.runner.memoryWarnPercent", 0), "task.runner.memoryWarnPercent", "not a percentage"),
    (nested("task.job.basename", "Web"), "task.job.basename", "not a valid Kubernetes name"),
    (nested("task.job.backoffLimit", -1), "task.job.backoffLimit", "greater than or equal to 0"),
    (nested(f"{CACHE}.hostPath.path", "mnt/cache"), f"{CACHE}.hostPath.path", "not an absolute path"),
    (nested(f"{CACHE}.hostPath.type", "File"), f"{CACHE}.hostPath.type", "allowed"),
    (nested("global.imageNamespace", "https://mirror.example/"), "global.imageNamespace", "no scheme"),
    (nested("task.extraVolumes", [{"name": "worker"}]), "task.extraVolumes[0].name", "already used"),
    (nested("task.extraVolumes", [{"name": "podinfo"}]), "task.extraVolumes[0].name", "already used"),
    (_mounted("runner", "/usr/bin/runner"), "task.runner.extraVolumeMounts[0].mountPath", "already used"),
    (_mounted("runner", "/opt/binary-cache"), "task.runner.extraVolumeMounts[0].mountPath", "already used"),
    (_mounted("worker", "/etc/podinfo"), "task.worker.extraVolumeMounts[0].mountPath", "already used"),
    (nested("agent.dataDir", "/etc/podinfo"), "agent.dataDir", "already used"),
]

WARNINGS = [
    (_mirror(url="https://mirror.example"), "agent.providerNetworkMirrors[0].url", "slash"),
    (
        _mirror(url="https://user:s3cr3t@mirror.example/"),
        "agent.providerNetworkMirrors[0].url",
        "a password in plain text",
    ),
    (
        nested("global.labels", {"app.kubernetes.io/name": "x"}),
        r"global.labels.app\.kubernetes\.io/name",
        "no effect on pods: the",
    ),
    (nested("agent.labels", {"app.kubernetes.io/instance": "x"}), r"agent.labels.app\.kubernetes\.io/instance", "no effect: the selectors"),
    (
        nested("agent.labels", {"app.kubernetes.io/component": "x"}),
        r"agent.labels.app\.kubernetes\.io/component",
        "no effect: the selectors",
    ),
    (
        nested(CACHE, {"enabled": True, "hostPath": {"path": "/mnt/cache"}, "persistentVolumeClaim": {"claimName": "shared"}}),
        f"{CACHE}.persistentVolumeClaim.claimName",
        "has no effect: persistence.cache.hostPath.path is set and takes precedence",
    ),
    *((nested("agent.image.tag", tag), "agent.image.tag", "does not belong to this contract line") for tag in ("0.59.0", "0.61.2")),
    (nested(f"{CACHE}.hostPath.path", "/mnt/cache"), f"{CACHE}.hostPath.path", "persistence.cache.enabled is false"),
    (
        nested("agent.extraEnv", {"SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS": "3"}),
        "agent.extraEnv.SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS",
        "agent.binaryCache.thresholdDays",
    ),
    (
        nested("task.worker.extraEnv", {"SCALR_AGENT_STATE_PERSISTENCE_ENABLED": "true"}),
        "task.worker.extraEnv.SCALR_AGENT_STATE_PERSISTENCE_ENABLED",
        "remove it",
    ),
]

FINE: list[dict[str, Any]] = [
    _mirror(url="https://mirror.example/", token="t", include=["registry.opentofu.org/*/*"]),
    nested("global.tls", {"clientCert": CERTIFICATE, "clientKey": KEY}),
    nested("global.tls.clientCertSecret", {"name": "s"}),
    nested("persistence.cache", {"enabled": True, "hostPath": {"path": "/mnt/cache"}}),
    *(nested("agent.image.tag", tag) for tag in ("1.0.0", "2.1.0")),
    nested("task.job", {"backoffLimit": 0, "basename": "web"}),
    nested("agent.extraEnv", {"SCALR_AGENT_DISCONNECT_ON_STOP": "0"}),
    nested("task.extraVolumes", [{"name": "client-cert", "emptyDir": {}}]),
    _mounted("runner", "/opt/bin"),
    nested("task.runner.resources", {"requests": {"memory": "4Gi"}}),
]


@pytest.mark.parametrize(("given", "path", "words"), ERRORS, ids=[f"{index}-{path}" for index, (_, path, _) in enumerate(ERRORS)])
def test_error_on_the_current_line(given: dict[str, Any], path: str, words: str) -> None:
    severity, message = _findings(given)[path]
    assert severity == "error"
    assert words in message


@pytest.mark.parametrize(("given", "path", "words"), WARNINGS, ids=[path for _, path, _ in WARNINGS])
def test_warning_on_the_current_line(given: dict[str, Any], path: str, words: str) -> None:
    severity, message = _findings(given)[path]
    assert severity == "warning"
    assert words in message


@pytest.mark.parametrize("given", FINE)
def test_valid_values_of_the_current_line_have_no_findings(given: dict[str, Any]) -> None:
    assert _findings(given) == {}


@pytest.mark.parametrize(
    "given",
    [
        nested("task.extraVolumes", [{"name": "worker", "emptyDir": {}}, {"name": "podinfo", "emptyDir": {}}]),
        _mounted("runner", "/opt/binary-cache"),
        _mounted("worker", "/etc/podinfo"),
        nested("agent.dataDir", "/etc/podinfo"),
        nested("agent.extraEnv", {"SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS": "3"}),
    ],
)
def test_names_reserved_on_the_current_line_are_free_on_the_legacy_line(given: dict[str, Any]) -> None:
    assert _findings(given, LEGACY) == {}


@pytest.mark.parametrize(
    ("version", "name"),
    [(LEGACY, "SCALR_AGENT_KUBERNETES_JOB_TEMPLATE"), (CURRENT, "SCALR_AGENT_KUBERNETES_TASK_TEMPLATE")],
)
def test_secret_variables_overriding_the_contract_are_warnings(version: str, name: str) -> None:
    assert f"secret_env.{name}" in _findings({}, version, Inputs(secret_env={name: "x"}))
    other = LEGACY if version == CURRENT else CURRENT
    assert _findings({}, other, Inputs(secret_env={name: "x"})) == {}


def test_a_private_key_is_not_repeated() -> None:
    key = "-----BEGIN PRIVATE KEY-----\ns3cr3t"
    for version in (LEGACY, CURRENT):
        found = _findings(nested("global.tls", {"clientCert": CERTIFICATE, "clientKey": key}), version)
        assert "s3cr3t" not in str(found)
    assert "s3cr3t" not in str(_findings(_mirror(url="mirror", token=["s3cr3t"])))
