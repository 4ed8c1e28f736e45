"""The cross-checks of agent-local: what each finds, where, and what it lets pass."""

from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import nested
from tests.helpers.agent_local import CERTIFICATE, KEY, MINIMUM, ROOT, VERSIONS
from tests.helpers.validated import validate

SINGLE = {"SCALR_AGENT_SINGLE": "true"}
OFF = {"SCALR_AGENT_PROVIDER_CACHE_ENABLED": "false", "SCALR_AGENT_MODULE_CACHE_ENABLED": "false"}
MOUNT = {"name": "tools", "mountPath": "/tools"}
TOOLS = {"extraVolumes": [{"name": "tools", "emptyDir": {}}]}
REPLICAS = {"replicaCount": 3}


def _findings(given: dict[str, Any], line: str = "current", inputs: Inputs | None = None) -> dict[str, tuple[str, str]]:
    checked = validate("agent-local", merge(MINIMUM, given), release="vcs", namespace="scalr", agent_version=VERSIONS[line], inputs=inputs)
    return {finding.path: (finding.severity, finding.message) for finding in checked.findings}


ERRORS = [
    (nested("agent.shutdownMode", "slow"), "agent.shutdownMode", "given 'slow'; allowed: 'graceful', 'drain' or 'force'"),
    (
        merge(nested("agent.tls.clientCertSecret.name", "mtls"), nested("agent.dataDir", "/etc/scalr-agent/ssl")),
        "agent.dataDir",
        "/etc/scalr-agent/ssl is already used by the agent",
    ),
    (nested("agent.providerNetworkMirrors", [{"url": object()}]), "agent.providerNetworkMirrors[0].url", "must be known before deployment"),
    (nested("serviceAccount", {"create": True, "name": "default"}), "serviceAccount.name", "every namespace already has"),
    (
        nested("terminationGracePeriodSeconds", 29),
        "terminationGracePeriodSeconds",
        "29, but agent.shutdownMode: graceful needs at least 30",
    ),
    (
        merge(nested("agent.shutdownMode", "drain"), nested("terminationGracePeriodSeconds", 119)),
        "terminationGracePeriodSeconds",
        "119, but agent.shutdownMode: drain needs at least 120",
    ),
    (
        merge(nested("agent.shutdownMode", "drain"), nested("terminationGracePeriodSeconds", None)),
        "terminationGracePeriodSeconds",
        "30, but agent.shutdownMode: drain",
    ),
    (
        merge(nested("agent.shutdownMode", "force"), nested("terminationGracePeriodSeconds", 9)),
        "terminationGracePeriodSeconds",
        "9, but agent.shutdownMode: force needs at least 10",
    ),
    (nested("strategy.type", "OnDelete"), "strategy.type", "given 'OnDelete'; allowed: 'RollingUpdate' or 'Recreate'"),
    (
        nested("strategy.rollingUpdate", {"maxSurge": 0, "maxUnavailable": "0%"}),
        "strategy.rollingUpdate.maxUnavailable",
        "0 together with maxSurge 0",
    ),
    (nested("resources.requests.memory", "3Gi"), "resources.requests.memory", "3Gi is above the limit of 2048Mi"),
    (nested("securityContext.runAsUser", 0), "securityContext.runAsUser", "0 (here or for the pod) while runAsNonRoot is true"),
    (
        merge(nested("agent.tls.caBundleSecret.name", "corp"), nested("extraVolumes", [{"name": "ca-bundle"}])),
        "extraVolumes[0].name",
        "'ca-bundle' is already used by the agent",
    ),
    (
        {**TOOLS, "extraVolumeMounts": [MOUNT | {"mountPath": "/var/lib/scalr-agent/cache"}]},
        "extraVolumeMounts[0].mountPath",
        "/var/lib/scalr-agent/cache is already used by agent.cacheDir",
    ),
    ({**TOOLS, "extraVolumeMounts": [MOUNT, MOUNT]}, "extraVolumeMounts[1].mountPath", "/tools is already used by extraVolumeMounts[0]"),
    (nested("persistence.data.emptyDir.sizeLimit", "4GB"), "persistence.data.emptyDir.sizeLimit", "not a Kubernetes quantity; write 4G"),
    (nested("persistence.cache.emptyDir.sizeLimit", "-1Gi"), "persistence.cache.emptyDir.sizeLimit", "not a size greater than zero"),
    (
        nested("persistence.cache.persistentVolumeClaim.storage", "0"),
        "persistence.cache.persistentVolumeClaim.storage",
        "not a size greater than zero",
    ),
    (nested("persistence.data.persistentVolumeClaim.storage", "big"), "persistence.data.persistentVolumeClaim.storage", "not a Kubernetes"),
    (nested("persistence.persistentVolumeClaim.storage", "0Gi"), "persistence.persistentVolumeClaim.storage", "not a size greater than"),
    (nested("replicas", 2), "replicas", "unknown key 'replicas'"),
]

WARNINGS = [
    (nested("image.tag", "0.59.0"), "image.tag", "0.59.0 does not belong to this contract line"),
    (nested("serviceAccount.annotations", {"a": "b"}), "serviceAccount.annotations", "has no effect: serviceAccount.create is false"),
    (nested("serviceAccount.labels", {"a": "b"}), "serviceAccount.labels", "has no effect: serviceAccount.create is false"),
    (
        nested("serviceAccount.automountToken", True),
        "serviceAccount.automountToken",
        "runs get the token of the namespace's default account",
    ),
    (
        {"allowMetadataService": False, "serviceAccount": {"create": True, "annotations": {"iam.gke.io/gcp-service-account": "a@b"}}},
        r"serviceAccount.annotations.iam\.gke\.io/gcp-service-account",
        "takes credentials from the metadata service",
    ),
    (
        {"allowMetadataService": False, "podAnnotations": {"iam.amazonaws.com/role": "runs"}},
        r"podAnnotations.iam\.amazonaws\.com/role",
        "takes credentials from the metadata service",
    ),
    (
        {"allowMetadataService": False, "extraEnv": {"AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://x"}},
        "extraEnv.AWS_EC2_METADATA_SERVICE_ENDPOINT",
        "takes credentials from the metadata service",
    ),
    (
        {"podLabels": {"app.kubernetes.io/instance": "other", "team": "platform"}},
        r"podLabels.app\.kubernetes\.io/instance",
        "has no effect: the selectors use this label",
    ),
    (nested("extraEnv", SINGLE), "extraEnv.SCALR_AGENT_SINGLE", "every run gets a new container, but runs share the cache"),
    (
        nested("extraEnv", SINGLE | OFF | {"SCALR_AGENT_MODULE_CACHE_ENABLED": 1}),
        "extraEnv.SCALR_AGENT_SINGLE",
        "every run gets a new container, but runs share the cache",
    ),
    (nested("extraEnv", {"SCALR_AGENT_CACHE_DIR": "/x"}), "extraEnv.SCALR_AGENT_CACHE_DIR", "has no effect: agent.cacheDir sets it"),
    (
        merge(nested("agent.shutdownMode", "drain"), nested("extraEnv", {"SCALR_AGENT_WORKER_DRAIN_TIMEOUT": 5})),
        "extraEnv.SCALR_AGENT_WORKER_DRAIN_TIMEOUT",
        "has no effect: terminationGracePeriodSeconds sets it",
    ),
    (
        merge(nested("agent.tls.clientCertSecret.name", "mtls"), nested("extraEnv", {"SCALR_AGENT_TLS_KEY_FILE": "/x"})),
        "extraEnv.SCALR_AGENT_TLS_KEY_FILE",
        "has no effect: agent.tls sets it",
    ),
    (nested("extraEnv", {"SCALR_AGENT_DEBUG": "yes"}), "extraEnv.SCALR_AGENT_DEBUG", "allowed: true, false, 1, 0"),
    (nested("persistence.cache.enabled", True), "strategy.type", "RollingUpdate starts the new pod while the old one still uses the claim"),
    (nested("persistence.data.enabled", True), "strategy.type", "RollingUpdate starts the new pod while the old one still uses the claim"),
    (
        REPLICAS | nested("persistence.cache.enabled", True),
        "persistence.cache.persistentVolumeClaim.accessMode",
        "ReadWriteOnce, but 3 agents mount the claim",
    ),
    (
        {"replicaCount": None} | nested("persistence.cache.enabled", True),
        "persistence.cache.persistentVolumeClaim.accessMode",
        "ReadWriteOnce, but any number of agents mount the claim",
    ),
    (
        REPLICAS | nested("persistence.enabled", True),
        "persistence.persistentVolumeClaim.accessMode",
        "ReadWriteOnce, but 3 agents mount the claim",
    ),
    (
        REPLICAS | nested("persistence.data", {"enabled": True, "persistentVolumeClaim": {"accessMode": "ReadWriteMany"}}),
        "persistence.data.enabled",
        "3 agents share one claim and the same directories in it",
    ),
    (nested("persistence.enabled", True), "persistence.enabled", "deprecated: use persistence.cache.enabled"),
    (
        nested("persistence.persistentVolumeClaim.claimName", "old"),
        "persistence.persistentVolumeClaim.claimName",
        "deprecated, and takes precedence over persistence.cache.persistentVolumeClaim",
    ),
]

FINE: list[dict[str, Any]] = [
    {},
    REPLICAS,
    nested("image", {"repository": "acme/agent", "tag": "9.9.9"}),
    nested("terminationGracePeriodSeconds", None),
    nested("serviceAccount", {"create": True, "automountToken": True, "annotations": {"eks.amazonaws.com/role-arn": "arn"}}),
    nested("serviceAccount", {"name": "brought", "automountToken": True}),
    nested("agent.tls", {"caBundle": ROOT, "clientCert": CERTIFICATE, "clientKey": KEY}),
    nested("agent.providerNetworkMirrors", [{"url": "https://mirror.acme.example/", "token": "x"}]),
    nested("extraEnv", SINGLE | OFF),
    nested("extraEnv", {"SCALR_AGENT_WORKER_DRAIN_TIMEOUT": 5, "SCALR_AGENT_LOG_FORMAT": "json", "SCALR_AGENT_DEBUG": 1}),
    {**TOOLS, "extraVolumeMounts": [MOUNT, {"name": "data-dir", "mountPath": "/mnt"}]},
    {"allowMetadataService": False, "serviceAccount": {"create": True, "annotations": {"eks.amazonaws.com/role-arn": "arn"}}},
    REPLICAS | nested("persistence.cache", {"enabled": True, "persistentVolumeClaim": {"accessMode": "ReadWriteMany"}}),
    REPLICAS | nested("persistence.cache", {"enabled": True, "persistentVolumeClaim": {"claimName": "shared"}}),
    nested("securityContext", {"runAsUser": 0, "runAsNonRoot": False}) | nested("podSecurityContext", {"runAsNonRoot": False}),
]


@pytest.mark.parametrize(("given", "path", "start"), ERRORS, ids=[path for _, path, _ in ERRORS])
def test_error(given: dict[str, Any], path: str, start: str) -> None:
    severity, message = _findings(given)[path]
    assert (severity, message[: len(start)]) == ("error", start)


@pytest.mark.parametrize(("given", "path", "start"), WARNINGS, ids=[path for _, path, _ in WARNINGS])
def test_warning(given: dict[str, Any], path: str, start: str) -> None:
    severity, message = _findings(given)[path]
    assert (severity, message[: len(start)]) == ("warning", start)


@pytest.mark.parametrize("given", FINE)
def test_valid_values_have_no_findings(given: dict[str, Any]) -> None:
    assert _findings(given) == {}


def test_the_cache_of_the_legacy_line_is_not_deprecated() -> None:
    given = nested("persistence", {"enabled": True, "persistentVolumeClaim": {"claimName": "shared"}})
    assert _findings(given, "legacy") == {}


def test_a_complete_image_reference_is_checked() -> None:
    given = nested("image", {"repository": None, "tag": "latest"})
    assert _findings(given, inputs=Inputs(agent_image=f"acme/agent@sha256:{64 * '0'}")) == {}
    assert list(_findings(given, inputs=Inputs(agent_image="acme/agent"))) == ["agent_image"]


def test_the_token_can_be_optional() -> None:
    assert _findings({"agent": {"token": None}}, inputs=Inputs(token_needed=False)) == {}


RESERVED = [
    ("SCALR_AGENT_NAME", "it is the pod's name"),
    ("SCALR_URL", "set agent.url"),
    ("SCALR_AGENT_DRIVER", "it is always local"),
    ("SCALR_AGENT_CONCURRENCY", "it is always 1; set replicaCount"),
    ("SCALR_AGENT_DISCONNECT_ON_STOP", "it is always 1"),
    ("SCALR_AGENT_WORKER_ON_STOP_ACTION", "set agent.shutdownMode"),
    ("SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT", "set terminationGracePeriodSeconds"),
    ("SCALR_AGENT_DATA_DIR", "set agent.dataDir"),
    ("SCALR_AGENT_TOKEN", "set agent.token"),
]
RESERVED_LATER = [
    ("SCALR_AGENT_CA_CERT", "set agent.tls.caBundle"),
    ("SSL_CERT_FILE", "set agent.tls.caBundle"),
    ("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS", "set agent.providerNetworkMirrors"),
]
"""Variables that only the agent itself may have, on both lines and on the current one, and what to do instead."""


@pytest.mark.parametrize("line", ["legacy", "current"])
@pytest.mark.parametrize(("name", "instead"), RESERVED)
def test_reserved_variables(name: str, instead: str, line: str) -> None:
    message = f"reserved for the agent: {instead}"
    for path, found in (
        (f"extraEnv.{name}", _findings({"extraEnv": {name: "s3cr3t"}}, line)),
        (f"secret_env.{name}", _findings({}, line, Inputs(secret_env={name: "s3cr3t"}))),
    ):
        severity, full_message = found[path]
        assert (severity, full_message[: len(message)]) == ("error", message)


@pytest.mark.parametrize(("name", "instead"), RESERVED_LATER)
def test_variables_reserved_only_on_the_current_line(name: str, instead: str) -> None:
    assert _findings({"extraEnv": {name: "/x"}})[f"extraEnv.{name}"] == ("error", f"reserved for the agent: {instead}")
    assert _findings({"extraEnv": {name: "/x"}}, "legacy") == {}


def test_mirrors_may_be_a_secret_variable() -> None:
    assert _findings({}, inputs=Inputs(secret_env={"SCALR_AGENT_PROVIDER_NETWORK_MIRRORS": "[]"})) == {}
