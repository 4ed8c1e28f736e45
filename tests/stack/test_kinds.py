"""The settings of a stack file for every kind and line: the resulting values, or the error."""

import base64
from pathlib import Path
from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.charts.shared.secrets import digest

from tests.helpers.kinds import (
    CA,
    JOB,
    K8S,
    LEGACY_JOB,
    LEGACY_LOCAL,
    LOCAL,
    TOKEN,
    Kind,
    errors,
    every_kind,
    load,
    of_one,
    secret,
    secrets_of,
    stack_of,
    values_of,
)
from tests.helpers.validated import LINES

ENCODED = base64.b64encode(CA.encode()).decode()
DIRECT = "$(KUBERNETES_SERVICE_HOST),localhost,127.0.0.1,.svc,.cluster.local"


def of_all(values: dict[str, Any]) -> dict[str | Kind, dict[str, Any]]:
    return {JOB: values, LOCAL: values, K8S: values}


REGISTRY = {"global": {"imageRegistry": "mirror.acme"}}
PULL = [{"name": "a"}, {"name": "b"}]
PROXY = {"http": "http://p:1", "https": "http://p:2", "except": [".acme", "localhost"]}
NO_PROXY = f"{DIRECT},.acme"
EXTRA_PROXY = {"extraEnv": {"HTTP_PROXY": "http://p:1", "HTTPS_PROXY": "http://p:2", "NO_PROXY": NO_PROXY}}
EXTRA_OTEL = {"extraEnv": {"SCALR_AGENT_OTLP_ENDPOINT": "http://o:4317", "SCALR_AGENT_OTLP_TRACES_ENABLED": "true"}}
NODES = {"nodeSelector": {"pool": "a"}, "tolerations": [{"key": "pool"}]}
CLAIM = {"enabled": True, "persistentVolumeClaim": {"claimName": "shared-cache"}}
ON = {"agent": {"providerCache": {"enabled": True}}}

TRANSLATED: dict[str, tuple[dict[str, Any], dict[str | Kind, dict[str, Any]]]] = {
    "url": ({"common": {"url": "https://other.scalr.io"}}, of_all({"agent": {"url": "https://other.scalr.io"}})),
    "imageRegistry": (
        {"common": {"imageRegistry": "mirror.acme"}},
        {
            JOB: REGISTRY,
            LEGACY_LOCAL: {"image": {"repository": "mirror.acme/scalr/agent-runner"}},
            LOCAL: {"image": {"repository": "mirror.acme/scalr/agent"}},
            K8S: {"image": {"repository": "mirror.acme/scalr/agent"}, "agent": {"container_task_image_registry": "mirror.acme/"}},
        },
    ),
    "imagePullSecrets": (
        {"common": {"imagePullSecrets": ["a", "b"]}},
        {JOB: {"global": {"imagePullSecrets": PULL}}, LOCAL: {"imagePullSecrets": PULL}, K8S: {"imagePullSecrets": PULL}},
    ),
    "proxy": (
        {"common": {"proxy": PROXY}},
        {
            JOB: {"global": {"proxy": {"enabled": True, "httpProxy": "http://p:1", "httpsProxy": "http://p:2", "noProxy": NO_PROXY}}},
            LOCAL: EXTRA_PROXY,
            K8S: EXTRA_PROXY,
        },
    ),
    "one proxy": (
        {"common": {"proxy": {"https": "http://p:2"}}},
        {
            JOB: {"global": {"proxy": {"enabled": True, "httpsProxy": "http://p:2", "noProxy": DIRECT}}},
            LOCAL: {"extraEnv": {"HTTPS_PROXY": "http://p:2", "NO_PROXY": DIRECT}},
            K8S: {"extraEnv": {"HTTPS_PROXY": "http://p:2", "NO_PROXY": DIRECT}},
        },
    ),
    "ca.file": (
        {"common": {"ca": {"file": "corp.pem"}}},
        {
            JOB: {"global": {"tls": {"caBundle": CA}}},
            (LOCAL, "current"): {"agent": {"tls": {"caBundle": CA}}},
            K8S: {"agent": {"ca_cert": ENCODED, "container_task_ca_cert": ENCODED}},
        },
    ),
    "ca.secret": (
        {"common": {"ca": {"secret": "corp", "key": "root.pem"}}},
        {
            JOB: {"global": {"tls": {"caBundleSecret": {"name": "corp", "key": "root.pem"}}}},
            (LOCAL, "current"): {"agent": {"tls": {"caBundleSecret": {"name": "corp", "key": "root.pem"}}}},
        },
    ),
    "otel": (
        {"common": {"otel": {"endpoint": "http://o:4317", "metrics": False, "traces": True}}},
        {
            JOB: {"otel": {"enabled": True, "endpoint": "http://o:4317", "metricsEnabled": False, "tracesEnabled": True}},
            LOCAL: EXTRA_OTEL,
            K8S: EXTRA_OTEL,
        },
    ),
    "labels": (
        {"common": {"labels": {"team": "web"}}},
        {
            LEGACY_JOB: {"serviceAccount": {"labels": {"team": "web"}}, "global": {"podLabels": {"team": "web"}}},
            (JOB, "current"): {"global": {"labels": {"team": "web"}}},
        },
    ),
    "podAnnotations": (
        {"common": {"podAnnotations": {"a": "b"}}},
        {
            JOB: {"global": {"podAnnotations": {"a": "b"}}},
            LOCAL: {"podAnnotations": {"a": "b"}},
            K8S: {"podAnnotations": {"a": "b"}, "agent": {"kubernetes_task_annotations": {"a": "b"}}},
        },
    ),
    "nodes": (
        of_one(nodes={"selector": {"pool": "a"}, "tolerations": [{"key": "pool"}]}),
        {
            JOB: {"agent": NODES, "task": NODES},
            LOCAL: NODES,
            K8S: {
                "controllerNodeSelector": {"pool": "a"},
                "controllerTolerations": [{"key": "pool"}],
                "workerNodeSelector": {"pool": "a"},
                "workerTolerations": [{"key": "pool"}],
            },
        },
    ),
    "identity": (
        of_one(identity={"role": "arn"}),
        {
            JOB: {"serviceAccount": {"annotations": {"role": "arn"}}},
            LOCAL: {"serviceAccount": {"create": True, "annotations": {"role": "arn"}}},
            K8S: {"serviceAccount": {"annotations": {"role": "arn"}}},
        },
    ),
    "cache": (
        of_one(cache="big") | {"caches": {"big": {"claim": "shared-cache"}}},
        {
            JOB: {**ON, "persistence": {"cache": CLAIM}},
            LEGACY_LOCAL: {"persistence": CLAIM},
            (LOCAL, "current"): {"persistence": {"cache": CLAIM}},
        },
    ),
    "token": (secret(token="other"), of_all({"agent": {"token": "other"}})),
    "env": (secret(env={"TF_TOKEN_acme": "hidden"}), of_all({})),
}
"""What a word becomes, by kind or by kind and line. A kind or line that is not there refuses the word."""
REFUSED: dict[str, tuple[str, dict[str | Kind, str]]] = {
    "ca.file": ("common.ca", {LEGACY_LOCAL: "certificates; use agents 1.1 or newer, or add them to a custom image"}),
    "ca.secret": (
        "common.ca",
        {
            LEGACY_LOCAL: "certificates; use agents 1.1 or newer, or add them to a custom image",
            K8S: "a Secret with certificates; set them from a file",
        },
    ),
    "labels": (
        "common.labels",
        dict.fromkeys((LOCAL, K8S), "labels of all pods; set them in the values of each agent-job agent instead (global.podLabels)"),
    ),
    "cache": ("agents.one.cache", {K8S: "a claim of a cache; set efsVolumeHandle in its values, or use agent-job"}),
}
"""Where the error stands, and its end."""


@every_kind
@pytest.mark.parametrize("word", TRANSLATED)
def test_settings_are_translated_or_refused(tmp_path: Path, word: str, kind: Kind) -> None:
    (tmp_path / "corp.pem").write_text(CA)
    changed, values = TRANSLATED[word]
    expected = values.get(kind, values.get(kind[0]))
    if expected is not None:
        assert values_of(kind, changed, tmp_path) == expected
        return
    path, reasons = REFUSED[word]
    versions = next(line.versions for line in LINES if (line.chart, line.generation) == kind)
    agent = "for agent 'one': " if path.startswith("common.") else ""
    ignorant = "0.57 to 1.0" if kind == LEGACY_LOCAL and word.startswith("ca.") else versions
    message = f"{agent}{kind[0]} of agents {ignorant} has no value for {reasons.get(kind) or reasons[kind[0]]}"
    assert errors(load(kind, changed, tmp_path)) == [(path, message)]


def test_the_version_of_common_selects_the_line_of_every_kind() -> None:
    kinds = {kind.removeprefix("agent-"): {"kind": kind} for kind in (JOB, LOCAL, K8S)}
    loaded = stack_of(kinds, common={"url": "https://acme.scalr.io", "agentVersion": "1.4.0"})
    assert [(agent.release.line.generation, agent.release.version) for agent in loaded.agents] == [("current", "1.4.0")] * 3
    own = stack_of(
        {"old": {"kind": LOCAL, "agentVersion": "0.58.1"}, "new": {"kind": LOCAL}},
        common={"url": "https://acme.scalr.io", "agentVersion": "1.4.0"},
    )
    assert [agent.release.version for agent in own.agents] == ["0.58.1", "1.4.0"]


def test_a_version_unknown_to_one_kind_names_its_agent() -> None:
    loaded = stack_of({"old": {"kind": K8S}, "runs": {"kind": JOB}}, common={"url": "https://acme.scalr.io", "agentVersion": "0.53.0"})
    assert errors(loaded) == [
        ("common.agentVersion", "agent-job does not support agent version 0.53.0; supported: 0.57 to 0.60; 0.61.3 or newer")
    ]


LAYERED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    JOB: (
        {
            "global": {"podAnnotations": {"a": "values"}, "imageRegistry": "values"},
            "serviceAccount": {"annotations": {"a": "values", "b": "values"}},
            "agent": {"nodeSelector": {"a": "values", "b": "values"}},
        },
        {
            "global": {"podAnnotations": {"a": "values", "b": "common"}, "imageRegistry": "values"},
            "serviceAccount": {"annotations": {"a": "identity", "b": "values"}},
            "agent": {"nodeSelector": {"a": "nodes", "b": "values"}},
            "task": {"nodeSelector": {"a": "nodes"}},
        },
    ),
    LOCAL: (
        {
            "podAnnotations": {"a": "values"},
            "image": {"repository": "values/agent"},
            "serviceAccount": {"annotations": {"a": "values", "b": "values"}},
            "nodeSelector": {"a": "values", "b": "values"},
        },
        {
            "podAnnotations": {"a": "values", "b": "common"},
            "image": {"repository": "values/agent"},
            "serviceAccount": {"create": True, "annotations": {"a": "identity", "b": "values"}},
            "nodeSelector": {"a": "nodes", "b": "values"},
        },
    ),
    K8S: (
        {
            "podAnnotations": {"a": "values"},
            "image": {"repository": "values/agent"},
            "serviceAccount": {"annotations": {"a": "values", "b": "values"}},
            "workerNodeSelector": {"a": "values", "b": "values"},
        },
        {
            "podAnnotations": {"a": "values", "b": "common"},
            "agent": {"kubernetes_task_annotations": {"a": "common", "b": "common"}, "container_task_image_registry": "common/"},
            "image": {"repository": "values/agent"},
            "serviceAccount": {"annotations": {"a": "identity", "b": "values"}},
            "workerNodeSelector": {"a": "nodes", "b": "values"},
            "controllerNodeSelector": {"a": "nodes"},
        },
    ),
}


@every_kind
def test_precedence_of_common_values_and_agent_settings(kind: Kind) -> None:
    given, expected = LAYERED[kind[0]]
    words = of_one(values=given, nodes={"selector": {"a": "nodes"}}, identity={"a": "identity"})
    common = {"common": {"imageRegistry": "common", "podAnnotations": {"a": "common", "b": "common"}}}
    assert values_of(kind, {**words, **common}) == expected


@every_kind
def test_precedence_of_values_and_values_files(tmp_path: Path, kind: Kind) -> None:
    (tmp_path / "one.yaml").write_text("agent: {url: 'https://one.scalr.io'}\nserviceAccount: {name: one}\n")
    (tmp_path / "two.yaml").write_text("serviceAccount: {name: two, create: true}\nnameOverride: two\n")
    words = of_one(valuesFiles=["one.yaml", "two.yaml"], values={"nameOverride": "values"})
    account = {"name": "two", "create": True} if kind[0] == LOCAL else {"name": "two"}
    assert values_of(kind, words, tmp_path) == {
        "agent": {"url": "https://one.scalr.io"},
        "serviceAccount": account,
        "nameOverride": "values",
    }


@every_kind
def test_secret_variables_become_a_secret_that_the_containers_refer_to(kind: Kind) -> None:
    loaded = load(kind, secret(env={"TF_TOKEN_acme": "hidden", "B": "b"}))
    (name,) = (name for name, content in secrets_of(loaded).items() if content == {"B": "b", "TF_TOKEN_acme": "hidden"})
    reference = {"secretKeyRef": {"name": name, "key": "TF_TOKEN_acme", "optional": False}}
    assert {"name": "TF_TOKEN_acme", "valueFrom": reference} in _controller(loaded)["containers"][0]["env"]
    assert "hidden" not in str([made for made in loaded.objects() if made["kind"] != "Secret"])


def _controller(loaded: stack.Stack) -> dict[str, Any]:
    spec: dict[str, Any] = next(made for made in loaded.objects() if made["kind"] == "Deployment")["spec"]["template"]["spec"]
    return spec


@every_kind
def test_the_digest_of_the_secrets_rolls_the_pods(kind: Kind) -> None:
    for env in ({}, {"A": "b"}):
        held = {"token": {"token": TOKEN}, "env": env}
        workloads = [made for made in load(kind, secret(env=env)).objects() if made["kind"] in ("Deployment", "DaemonSet")]
        rolled = [made["spec"]["template"]["metadata"]["annotations"]["checksum/secrets"] for made in workloads]
        assert rolled == [digest(held)] * (2 if kind[0] == K8S else 1)


def _warned_of_metadata(**words: Any) -> list[str]:
    found = load((LOCAL, "current"), of_one(**words)).findings
    return [finding.severity for finding in found if finding.path == "scalr-agents:agents.one.values.allowMetadataService"]


def test_agent_local_with_metadata_access_is_a_warning() -> None:
    assert _warned_of_metadata() == _warned_of_metadata(role="runs", values={"allowMetadataService": None}) == ["warning"]
    assert _warned_of_metadata(values={"allowMetadataService": False}) == []
    assert _warned_of_metadata(values={"allowMetadataService": True}) == []
    assert _warned_of_metadata(role="vcs") == []
    for kind in ((JOB, "current"), (K8S, "current")):
        assert not any("their node's credentials" in finding.message for finding in load(kind, {}).findings)
