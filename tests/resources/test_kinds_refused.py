"""Refused arguments of all kinds of agents and of AgentCrds, with their messages, and the definitions of AgentCrds."""

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from tests.helpers.components import program, record, refused
from tests.helpers.recording import run

TOKEN = "s3cr3t-token"
ARGS: dict[str, Any] = {"namespace": "scalr", "url": "https://acme.scalr.io", "token": TOKEN}
CA = "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n"
CURRENT = {"agent_version": "1.4.0"}
MIRROR = {"url": "https://a.acme/"}
CLAIM = {"enabled": True, "persistentVolumeClaim": {"claimName": "x"}}

KINDS = ("AgentJob", "AgentLocal", "AgentK8s")
every_kind = pytest.mark.parametrize("component", KINDS)


def errors(component: str, args: dict[str, Any]) -> list[str]:
    """The errors, without the warnings that some agents always have."""
    found = refused(component, {**ARGS, **args})
    return [line.removeprefix("error: ") for line in found if line.startswith("error: ")]


@pytest.mark.parametrize(
    ("component", "args", "pairs"),
    [
        *((component, {"values": {"agent": {"url": "https://x.y"}}}, [("url", "agent.url")]) for component in KINDS),
        *((component, {"values": {"agent": {"token": "x"}}}, [("token", "agent.token")]) for component in KINDS),
        (
            "AgentJob",
            {"agent_image": "a:1", "values": {"agent": {"image": {"tag": "1"}}, "task": {"worker": {"image": {"tag": "1"}}}}},
            [("agent_image", "agent.image.tag"), ("agent_image", "task.worker.image.tag")],
        ),
        (
            "AgentJob",
            {"claim_name": "c", "values": {"persistence": {"cache": {"enabled": False}}}},
            [("claim_name", "persistence.cache.enabled")],
        ),
        (
            "AgentLocal",
            {"agent_image": "a:1", "values": {"image": {"repository": "x", "tag": "1"}}},
            [("agent_image", "image.repository"), ("agent_image", "image.tag")],
        ),
        (
            "AgentLocal",
            {"service_account_annotations": {"a": "b"}, "values": {"serviceAccount": {"annotations": {"c": "d"}}}},
            [("service_account_annotations", "serviceAccount.annotations")],
        ),
        (
            "AgentLocal",
            {"claim_name": "c", "values": {"persistence": CLAIM}},
            [("claim_name", "persistence.enabled"), ("claim_name", "persistence.persistentVolumeClaim.claimName")],
        ),
        (
            "AgentLocal",
            {**CURRENT, "claim_name": "c", "values": {"persistence": {"cache": CLAIM}}},
            [("claim_name", "persistence.cache.enabled"), ("claim_name", "persistence.cache.persistentVolumeClaim.claimName")],
        ),
        ("AgentLocal", {**CURRENT, "ca_bundle": CA, "values": {"agent": {"tls": {"caBundle": CA}}}}, [("ca_bundle", "agent.tls.caBundle")]),
        ("AgentK8s", {"agent_image": "a:1", "values": {"image": {"tag": "1"}}}, [("agent_image", "image.tag")]),
        (
            "AgentK8s",
            {"service_account_annotations": {"a": "b"}, "values": {"serviceAccount": {"annotations": None}}},
            [("service_account_annotations", "serviceAccount.annotations")],
        ),
    ],
)
def test_an_argument_and_its_value_are_an_error(component: str, args: dict[str, Any], pairs: list[tuple[str, str]]) -> None:
    assert errors(component, args) == [
        f"{word}: given together with values.{path}, which it sets; keep one of them" for word, path in pairs
    ]


def test_a_claim_with_deprecated_cache_values_is_an_error() -> None:
    """Without a word the deprecated values would win, and the argument would be lost."""
    found = errors("AgentLocal", {**CURRENT, "claim_name": "c", "values": {"persistence": CLAIM}})
    assert any(line.startswith("claim_name: ") and "values.persistence." in line for line in found)


@pytest.mark.parametrize("version", ["0.57.0", "0.59.0", "0.60.3", None])
def test_agents_local_of_the_legacy_line_have_no_certificates(version: str | None) -> None:
    (line,) = errors("AgentLocal", {"ca_bundle": CA, **({"agent_version": version} if version else {})})
    word, reason = "ca_bundle: agent-local of agents 0.57 to 1.0 has no value for certificates", "use agents 1.1 or newer"
    assert line == f"{word}; {reason}, or add them to a custom image"


@pytest.mark.parametrize(
    ("component", "values", "path", "ignorant", "knowing"),
    [
        ("AgentLocal", {"agent": {"tls": {"caBundle": CA}}}, "agent.tls.caBundle", "0.57 to 1.0", "1.1 or newer"),
        ("AgentLocal", {"agent": {"providerNetworkMirrors": [MIRROR]}}, "agent.providerNetworkMirrors", "0.57 to 1.2", "1.3 or newer"),
        ("AgentLocal", {"extraVolumes": [{"name": "a", "emptyDir": {}}]}, "extraVolumes", "0.57 to 1.0", "1.1 or newer"),
        ("AgentLocal", {"persistence": {"cache": {"enabled": True}}}, "persistence.cache.enabled", "0.57 to 1.0", "1.1 or newer"),
        (
            "AgentK8s",
            {"agent": {"container_task_image_mode": "golden"}},
            "agent.container_task_image_mode",
            "0.53 to 0.60",
            "0.61.3 or newer",
        ),
        ("AgentK8s", {"agent": {"container_task_image": "a:1"}}, "agent.container_task_image", "0.53 to 0.59", "0.60 or newer"),
    ],
)
def test_values_of_newer_agents_are_errors(component: str, values: dict[str, Any], path: str, ignorant: str, knowing: str) -> None:
    assert record(component, {**ARGS, **CURRENT, "values": values}).error is None
    message = f"unknown key {path.rpartition('.')[2]!r}: agents {ignorant} do not support it; agents {knowing} do (see the agent version)"
    assert f"values.{path}: {message}" in errors(component, {"values": values})


@pytest.mark.parametrize(
    ("component", "word", "advice"),
    [
        ("AgentCrds", "version", "did you mean 'agent_version'?"),
        *((component, "cache_claim_name", "did you mean 'claim_name'?") for component in ("AgentJob", "AgentLocal")),
        *(("AgentK8s", word, "") for word in ("ca_bundle", "claim_name", "pre_pull", "mirror_tokens")),
        *((component, "runner_image", "it is an argument of AgentJob only") for component in ("AgentLocal", "AgentK8s")),
    ],
)
def test_arguments_of_other_components_are_errors(component: str, word: str, advice: str) -> None:
    args = {} if component == "AgentCrds" else ARGS
    [line] = [line for line in refused(component, {**args, word: "x"}) if line.startswith("error: ")]
    assert line.startswith(f"error: {word}: unknown key '{word}'; {advice}")


SUPPORTED = {
    "AgentJob": "0.57 to 0.60; 0.61.3 or newer",
    "AgentLocal": "0.57 to 0.60; 0.61.3 or newer",
    "AgentK8s": "0.53 to 0.60; 0.61.3 or newer",
    "AgentCrds": "0.57 to 0.60; 0.61.3 or newer",
}
CHARTS = {"AgentJob": "agent-job", "AgentLocal": "agent-local", "AgentK8s": "agent-k8s", "AgentCrds": "agent-job"}


@pytest.mark.parametrize("component", SUPPORTED)
@pytest.mark.parametrize("version", ["0.52.0", "0.61.0", "0.61.2"])
def test_unsupported_versions_are_errors(component: str, version: str) -> None:
    message = f"agent_version: {CHARTS[component]} does not support agent version {version}; supported: {SUPPORTED[component]}"
    args = {} if component == "AgentCrds" else ARGS
    assert refused(component, {**args, "agent_version": version}) == [f"error: {message}"]


@pytest.mark.parametrize("component", SUPPORTED)
@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.4", "agent version '1.4' is incomplete; write 1.4.0"),
        ("0.61", "agent version '0.61' does not have the form MAJOR.MINOR.PATCH, for instance 0.57.0"),
        (1.4, "expected a string, given a number; quote it"),
    ],
)
def test_invalid_versions_are_errors(component: str, version: Any, message: str) -> None:
    args = {} if component == "AgentCrds" else ARGS
    assert refused(component, {**args, "agent_version": version}) == [f"error: agent_version: {message}"]


@every_kind
def test_findings_are_located_at_their_argument(component: str) -> None:
    assert errors(component, {"url": "acme", "release": "Runs", "values": {"agnt": {}}}) == [
        "values.agnt: unknown key 'agnt'; did you mean 'agent'?",
        "release: 'Runs' is not a valid release name: use at most 53 lower case letters, digits, '-' and '.'",
        "url: not a URL with scheme and host, for instance https://acme.scalr.io",
    ]


@every_kind
@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"tokn": "x"}, "tokn: unknown key 'tokn'; did you mean 'token'?"),
        ({"namespace": None}, "namespace: missing"),
        ({"names": "helm"}, "names: given 'helm'; allowed: 'scoped' or 'chart'"),
        ({"rollout_timeout_seconds": 0}, "rollout_timeout_seconds: input should be greater than 0; given the number 0"),
        ({"await_rollout": "x"}, "await_rollout: expected true or false, given 'x'"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_arguments_that_cannot_be_used(component: str, args: dict[str, Any], message: str) -> None:
    assert errors(component, args) == [message]


@every_kind
def test_a_refused_token_is_not_repeated(component: str) -> None:
    wrong = {"agent": {"tokenExistingSecret": f"{TOKEN} x", "controller": {"extraEnv": TOKEN}}, "extraEnv": TOKEN}
    found = refused(component, {**ARGS, "token": f" {TOKEN}", "url": TOKEN, "values": wrong})
    assert len(found) > 2
    assert TOKEN not in str(found)


@pytest.mark.parametrize(
    ("component", "values", "path"),
    [
        ("AgentJob", lambda later: {"agent": {"replicaCount": later(2)}}, "agent.replicaCount"),
        ("AgentLocal", lambda later: {"replicaCount": later(2)}, "replicaCount"),
        ("AgentK8s", lambda later: {"agent": {"kubernetes_task_annotations": {"a": later("b")}}}, "agent.kubernetes_task_annotations.a"),
        ("AgentK8s", lambda later: {"workerTolerations": [{"key": later("a")}]}, "workerTolerations[0].key"),
    ],
)
def test_arguments_that_shape_the_graph_or_a_text_must_be_known(component: str, values: Callable[[Any], Any], path: str) -> None:
    recording = run(program(component, lambda: {**ARGS, "values": values(pulumi.Output.from_input)}))
    assert f"error: values.{path}: must be known before deployment" in str(recording.error)
    assert recording.names == []


@pytest.mark.parametrize(
    ("args", "plurals"),
    [
        ({}, ["atasks", "agenttasktemplates"]),
        ({"agent_version": None}, ["atasks", "agenttasktemplates"]),
        ({"agent_version": "0.58.0"}, ["atasks"]),
        ({"agent_version": "1.2.0"}, ["agenttasktemplates"]),
    ],
    ids=["all", "none", "legacy", "current"],
)
def test_agent_crds_of_one_or_both_lines(args: dict[str, Any], plurals: list[str]) -> None:
    recording = record("AgentCrds", args)
    children = recording.of_type("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch")
    assert {child.name: child.inputs["metadata"]["name"] for child in children} == {
        f"it-{plural}": f"{plural}.scalr.io" for plural in plurals
    }
    assert len(children) == len(plurals)
    assert {(child.parent, child.retain) for child in children} == {("it", True)}
    assert recording.outputs["it"] == {"crdNames": [f"{plural}.scalr.io" for plural in plurals]}
