"""The cross-checks of agent-job: what each finds, where, and what it lets pass."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.model.findings import ValuesError, errors
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, DEADLINE, MINIMUM, nested
from tests.helpers.agent_local import CERTIFICATE, ROOT
from tests.helpers.validated import validate

ZONE = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
SPREAD = {"app.kubernetes.io/name": "agent-job", "app.kubernetes.io/instance": "runs", "app.kubernetes.io/component": "agent"}


def _findings(given: dict[str, Any]) -> dict[str, tuple[str, str]]:
    found = charts.check("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr")
    return {finding.path: (finding.severity, finding.message) for finding in found}


ERRORS = [
    (nested("agent.terminationGracePeriodSeconds", -1), "agent.terminationGracePeriodSeconds", "greater than or equal to 0"),
    (nested("task.terminationGracePeriodSeconds", -1), "task.terminationGracePeriodSeconds", "greater than or equal to 0"),
    (nested("agent.providerCache", {"enabled": True, "sizeLimit": "1Ti"}), "agent.providerCache.sizeLimit", "use Gi, Mi, G or M"),
    (nested("agent.moduleCache", {"enabled": True, "sizeLimit": "4096"}), "agent.moduleCache.sizeLimit", "use Gi, Mi, G or M"),
    (nested("agent.moduleCache.sizeLimit", "big"), "agent.moduleCache.sizeLimit", "not a Kubernetes quantity"),
    (nested("agent.resources.limits", "none"), "agent.resources.limits", "expected a map, given 'none'"),
    (nested("agent.resources.requests.memory", "1Gi"), "agent.resources.requests.memory", "above the limit of 256Mi"),
    (nested("task.runner.resources.requests.cpu", 5), "task.runner.resources.requests.cpu", "above the limit of 4000m"),
    (nested("task.worker.resources.limits.memory", "100M"), "task.worker.resources.requests.memory", "above the limit of 100M"),
    (nested("serviceAccount.tokenTTL", 300), "serviceAccount.tokenTTL", "600 seconds"),
    (nested("task.podLabels", {"team": "a b"}), "task.podLabels.team", "not a valid label value"),
    (nested("task.podLabels", {"team": True}), "task.podLabels.team", "expected a string, given true; quote it"),
    (nested("agent.podAnnotations", {"a b": "c"}), "agent.podAnnotations.a b", "not a valid label or annotation key"),
    (nested("agent.extraEnv", {"1A": "b"}), "agent.extraEnv.1A", "not a valid name of an environment variable"),
    (nested("agent.extraEnv", {"SCALR_AGENT_LOG_FORMAT": "xml"}), "agent.extraEnv.SCALR_AGENT_LOG_FORMAT", "plain, dev, json"),
    (nested("task.worker.extraEnv", {"SCALR_AGENT_DEBUG": "maybe"}), "task.worker.extraEnv.SCALR_AGENT_DEBUG", "true, false, 1, 0"),
    (nested("agent.controller.extraEnv", [{"value": "x"}]), "agent.controller.extraEnv[0]", "missing: name"),
    (nested("agent.controller.extraEnv", [{"name": "A", "value": 1}]), "agent.controller.extraEnv[0].value", "quote it"),
    (nested("agent.dataDir", "/tmp"), "agent.dataDir", "/tmp is already used by the agent"),
    (nested("agent.debug", "maybe"), "agent.debug", "true, false, 1, 0"),
    (nested("global.imageRegistry", "https://registry.example/"), "global.imageRegistry", "no scheme"),
    (nested("task.extraVolumes", [{"name": "a"}, {"name": "a"}]), "task.extraVolumes[1].name", "already used by task.extraVolumes[0]"),
    (nested("task.sidecars", [{"name": "runner"}]), "task.sidecars[0].name", "already used by the agent"),
    (
        nested("task.sidecars", [{"name": "s", "volumeMounts": [{"name": "nope", "mountPath": "/x"}]}]),
        "task.sidecars[0].volumeMounts[0].name",
        "no volume 'nope'",
    ),
    (
        nested("task.runner.extraVolumeMounts", [{"name": "data-dir", "mountPath": "/opt/bin"}]),
        "task.runner.extraVolumeMounts[0].mountPath",
        "already used by the agent",
    ),
    (nested("task.worker.extraVolumeMounts", [{"name": "data-dir"}]), "task.worker.extraVolumeMounts[0]", "missing: mountPath"),
    (nested("task.runner.securityContext.privileged", True), "task.runner.securityContext.allowPrivilegeEscalation", "set it to true"),
    (nested("fullnameOverride", "No_Name"), "fullnameOverride", "rejects: 'No_Name'"),
    (
        nested("task.worker.securityContext", {"capabilities": {"add": ["CAP_SYS_ADMIN"]}, "allowPrivilegeEscalation": False}),
        "task.worker.securityContext.allowPrivilegeEscalation",
        "CAP_SYS_ADMIN",
    ),
    (nested("task.podSecurityContext.runAsUser", 0), "task.worker.securityContext.runAsUser", "would never start"),
    (nested("task.runner.securityContext.runAsUser", 0), "task.runner.securityContext.runAsUser", "would never start"),
    (nested("serviceAccount", {"create": False, "name": "default"}), "serviceAccount.name", "default account"),
    (nested("serviceAccount.name", "default"), "serviceAccount.name", "default account"),
    (nested("task.sidecars", [{"name": "s"}]), "task.sidecars[0].image", "missing; set the image of the container"),
    (nested("task.sidecars", [{"name": "s", "image": ""}]), "task.sidecars[0].image", "missing; set the image of the container"),
    (nested("task.sidecars", [{"name": "My_Sidecar"}]), "task.sidecars[0].name", "lower case"),
    (nested("task.extraVolumes", [{"name": "My_Vol"}]), "task.extraVolumes[0].name", "lower case"),
    (
        nested("task", {"extraVolumes": [{"name": "v"}], "worker": {"extraVolumeMounts": [{"name": "v", "mountPath": "tmp"}]}}),
        "task.worker.extraVolumeMounts[0].mountPath",
        "not an absolute path",
    ),
    (nested("agent.resources.requests.cpu", -1), "agent.resources.requests.cpu", "-1 is negative"),
    (nested("agent.replicaCount", 99999999999), "agent.replicaCount", "less than or equal to 2147483647"),
    (nested("agent.podDisruptionBudget.minAvailable", "150%"), "agent.podDisruptionBudget.minAvailable", "percentage"),
    (nested("agent.minReadySeconds", 600), "agent.minReadySeconds", "must be below 600"),
    (nested("agent.controller.extraEnv", [{"name": [None]}]), "agent.controller.extraEnv[0].name", "expected a string, given a list"),
    (nested("agent.controller.extraEnv", [{"name": "A B", "value": "x"}]), "agent.controller.extraEnv[0].name", "environment variable"),
    (nested("rbac.rules", [{"resources": ["pods"]}]), "rbac.rules[0].verbs", "missing"),
]

WARNINGS = [
    (nested("task.runner.image.tag", "latest"), "task.runner.image.tag", "changes without notice"),
    (nested("task.worker.image.tag", "latest"), "task.worker.image.tag", "changes without notice"),
    (nested("agent.image.tag", "1.4.0"), "agent.image.tag", "does not belong to this contract line"),
    (nested("global.proxy", {"enabled": True, "httpProxy": "http://p:1"}), "global.proxy.noProxy", "$(KUBERNETES_SERVICE_HOST)"),
    (nested("global.proxy", {"enabled": True, "httpProxy": "http://p:1", "noProxy": "127.0.0.1"}), "global.proxy.noProxy", "private"),
    (nested("global.proxy.enabled", True), "global.proxy.enabled", "no effect"),
    (nested("global.proxy.httpsProxy", "http://p:1"), "global.proxy.httpsProxy", "global.proxy.enabled is false"),
    (
        nested("global.proxy", {"enabled": True, "httpsProxy": "http://u:pw@p:1", "noProxy": "10.0.0.0/8"}),
        "global.proxy.httpsProxy",
        "http://user:$(NAME)@host",
    ),
    (
        nested("agent", {"replicaCount": 2, "podDisruptionBudget": {"minAvailable": None, "maxUnavailable": 0}}),
        "agent.podDisruptionBudget.maxUnavailable",
        "can be drained",
    ),
    (nested("otel", {"enabled": True, "endpoint": ""}), "otel.enabled", "otel.endpoint is empty"),
    (nested("serviceAccount.automountToken", False), "serviceAccount.automountToken", "cannot start Jobs"),
    (nested("agent.replicaCount", 2), "agent.replicaCount", "spread them"),
    (nested("agent", {"replicaCount": 2, "podDisruptionBudget": {"enabled": False}}), "agent.podDisruptionBudget", "without a budget"),
    (
        nested("agent", {"replicaCount": 2, "podDisruptionBudget": {"minAvailable": 2}}),
        "agent.podDisruptionBudget.minAvailable",
        "no node that runs one can be drained",
    ),
    (
        nested("agent.topologySpreadConstraints", [{**ZONE, "labelSelector": {"matchLabels": {"app": "scalr"}}}]),
        "agent.topologySpreadConstraints[0].labelSelector",
        "matchLabels: {app.kubernetes.io/name: agent-job, app.kubernetes.io/instance: runs, app.kubernetes.io/component: agent}",
    ),
    (nested("agent.extraEnv", {"SCALR_AGENT_DEBUG": "1"}), "agent.extraEnv.SCALR_AGENT_DEBUG", "agent.debug"),
    (nested("agent.extraEnv", {"SCALR_AGENT_TOKEN": "x"}), "agent.extraEnv.SCALR_AGENT_TOKEN", "plain text"),
    (nested("task.worker.extraEnv", {"SCALR_AGENT_DRIVER": "x"}), "task.worker.extraEnv.SCALR_AGENT_DRIVER", "remove it"),
    (nested("task.runner.extraEnv", {"HTTPS_PROXY": "x"}), "task.runner.extraEnv.HTTPS_PROXY", "global.proxy.httpsProxy"),
    (
        nested("agent.controller.extraEnv", [{"name": "SCALR_URL", "value": "x"}]),
        "agent.controller.extraEnv.SCALR_URL",
        "set that value instead",
    ),
    (
        nested("agent", {"replicaCount": 2, "podDisruptionBudget": {"minAvailable": "100%"}}),
        "agent.podDisruptionBudget.minAvailable",
        "100% of 2 controllers must stay",
    ),
    (nested("task.worker.image.tag", "1.4.0"), "task.worker.image.tag", "does not belong to this contract line"),
    (nested("persistence.data.enabled", True), "persistence.data.enabled", "only one run at a time is safe"),
    (
        nested("agent.controller.extraEnv", [{"name": "SCALR_AGENT_TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]),
        "agent.controller.extraEnv.SCALR_AGENT_TOKEN",
        "overrides the variable of agent.token",
    ),
    (nested("task.podLabels", {"app.kubernetes.io/name": "x"}), r"task.podLabels.app\.kubernetes\.io/name", "no effect"),
]

FINE: list[dict[str, Any]] = [
    {},
    {"task": {"podSecurityContext": {"runAsUser": 0, "runAsNonRoot": False}, "runner": {"securityContext": {"runAsNonRoot": False}}}},
    nested("global.proxy", {"enabled": True, "httpsProxy": "http://u:$(PASSWORD)@p:1", "noProxy": "10.0.0.0/8"}),
    nested(
        "task",
        {
            "extraVolumes": [{"name": "v"}],
            "runner": {"extraVolumeMounts": [{"name": "v", "mountPath": "/etc/ssl/certs/scalr-ca-bundle.crt"}]},
        },
    ),
    nested("agent.topologySpreadConstraints", [{**ZONE, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]),
    nested("agent", {"topologySpreadConstraints": {}, "tolerations": {}, "affinity": []}),
    nested("agent.controller.extraEnv", [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}}]),
    nested("agent.url", "https://acme.scalr.io:8443/"),
    nested("global.tls.caBundle", f"corporate\n{CERTIFICATE}public\n{ROOT}"),
    *(
        nested("global.proxy", {"enabled": True, "httpsProxy": url, "noProxy": "localhost,10.0.0.0/8"})
        for url in ("http://p:1", "http://[fd00::1]:3128", "http://a_b.acme.:8080", "http://$(HOST):$(PORT)", "$(PROXY)", "HTTP://Proxy:1")
    ),
    nested("global.proxy", {"enabled": True, "httpsProxy": "http://p:1", "noProxy": ".svc, $(KUBERNETES_SERVICE_HOST)"}),
    nested("agent.moduleCache.sizeLimit", "1Ti"),
    nested("agent.image.tag", "0.60.3"),
    nested("agent.image", {"repository": "acme/custom", "tag": "9.9.9"}),
    nested("agent.image.tag", "0.57.0@sha256:" + 64 * "0"),
    nested("agent", {"replicaCount": 2, "topologySpreadConstraints": [{**ZONE, "labelSelector": {"matchLabels": SPREAD}}]}),
    nested("agent", {"replicaCount": 2.0, "affinity": {"podAntiAffinity": {}}}),
    nested("task.sidecars", [{"name": "s", "image": "s:1", "volumeMounts": [{"name": "data-dir", "mountPath": "/data"}]}]),
    nested("agent.resources", {"requests": {"cpu": 0.1}, "limits": {"cpu": 1, "memory": None}}),
    nested("task.runner.securityContext", {"privileged": True, "allowPrivilegeEscalation": True}),
]


@pytest.mark.parametrize(("given", "path", "words"), ERRORS, ids=[path for _, path, _ in ERRORS])
def test_error(given: dict[str, Any], path: str, words: str) -> None:
    severity, message = _findings(given)[path]
    assert severity == "error"
    assert words in message


@pytest.mark.parametrize(("given", "path", "words"), WARNINGS, ids=[path for _, path, _ in WARNINGS])
def test_warning(given: dict[str, Any], path: str, words: str) -> None:
    severity, message = _findings(given)[path]
    assert severity == "warning"
    assert words in message


@pytest.mark.parametrize("given", FINE)
def test_valid_values_have_no_findings(given: dict[str, Any]) -> None:
    assert _findings(given) == {}


def test_all_findings_are_returned_errors_first() -> None:
    given = {
        "agent": {"url": "http://acme", "replicaCount": "2", "logFormat": "xml", "tokn": "x"},
        "task": {"runner": {"resources": {"requests": {"cpu": 9}}}},
        "persistence": {"cache": {"enabled": "yes"}},
    }
    found = charts.check("agent-job", given, release="Runs", namespace="scalr")
    assert [(finding.severity, finding.path) for finding in found] == [
        ("error", "agent.logFormat"),
        ("error", "agent.replicaCount"),
        ("error", "agent.tokn"),
        ("error", "task.runner.resources.requests.cpu"),
        ("error", "persistence.cache.enabled"),
        ("error", "release"),
        ("error", "agent.token"),
        ("warning", "agent.url"),
        ("warning", "task.job.activeDeadlineSeconds"),
    ]


def test_invalid_server_addresses_are_errors() -> None:
    given = {
        "global": {"proxy": {"enabled": True, "httpProxy": "http://[fd00::1:3128", "httpsProxy": "http://me:pa55w0rd@pro xy.acme"}},
        "otel": {"enabled": True, "endpoint": "http://pro\txy.acme"},
        "agent": {
            "sentryDsn": "http://pro%xy.acme",
            "extraEnv": {"HTTPS_PROXY": "http://k\u00f6lner.acme", "SCALR_AGENT_OTLP_ENDPOINT": "http://proxy.acme:port"},
            "controller": {"extraEnv": [{"name": "HTTP_PROXY", "value": "http://proxy.acme:0"}]},
        },
        "task": {"worker": {"extraEnv": {"HTTPS_PROXY": "http://proxy..acme"}}, "runner": {"extraEnv": {"https_proxy": "http://"}}},
    }
    found = validate("agent-job", merge(MINIMUM, given), agent_version=CURRENT).findings
    assert [finding.path for finding in errors(found) if finding.message.startswith("not a URL with a valid host and port, for")] == [
        "global.proxy.httpProxy",
        "global.proxy.httpsProxy",
        "agent.sentryDsn",
        "otel.endpoint",
        "agent.extraEnv.HTTPS_PROXY",
        "agent.extraEnv.SCALR_AGENT_OTLP_ENDPOINT",
        "agent.controller.extraEnv.HTTP_PROXY",
        "task.worker.extraEnv.HTTPS_PROXY",
        "task.runner.extraEnv.https_proxy",
    ]
    assert "pa55w0rd" not in str(found)
    disabled = {"global": {"proxy": {"httpsProxy": "<proxy>"}}, "otel": {"endpoint": "<proxy>"}}
    assert errors(validate("agent-job", merge(MINIMUM, disabled)).findings) == []


def test_invalid_values_have_one_finding() -> None:
    found = _findings({"agent": {"token": 5, "url": ["x"]}})
    assert {path: severity for path, (severity, _) in found.items()} == {"agent.token": "error", "agent.url": "error"}


def test_render_raises_every_finding_as_text() -> None:
    with pytest.raises(ValuesError) as raised:
        charts.render("agent-job", {"agent": {"url": "http://acme"}, "tasks": {}, **DEADLINE}, release="runs", namespace="scalr")
    assert str(raised.value).splitlines() == [
        "error: tasks: unknown key 'tasks'; did you mean 'task'?",
        "error: agent.token: missing: set the token of the agent pool, or the name of an existing Secret in agent.tokenExistingSecret.name",
        "warning: agent.url: http:// sends the agent's token unencrypted; use https://",
    ]


@pytest.mark.parametrize(
    ("chart", "version", "message"),
    [
        ("agent-jobs", None, "unknown chart 'agent-jobs'; allowed: agent-job, agent-local, agent-k8s"),
        ("agent-job", "0.56.9", "agent-job does not support agent version 0.56.9; supported: 0.57 to 0.60; 0.61.3 or newer"),
        ("agent-job", "0.61.0", "agent-job does not support agent version 0.61.0; supported: 0.57 to 0.60; 0.61.3 or newer"),
        ("agent-job", "0.61.2", "agent-job does not support agent version 0.61.2; supported: 0.57 to 0.60; 0.61.3 or newer"),
        ("agent-job", "0.57", "agent version '0.57' is incomplete; write 0.57.0"),
    ],
)
def test_unknown_charts_and_versions_are_errors(chart: str, version: str | None, message: str) -> None:
    found = charts.check(chart, MINIMUM, release="runs", namespace="scalr", agent_version=version)
    assert [(finding.severity, finding.path, finding.message) for finding in found] == [("error", "", message)]
    with pytest.raises(ValuesError, match=r"^error: "):
        charts.render(chart, MINIMUM, release="runs", namespace="scalr", agent_version=version)
