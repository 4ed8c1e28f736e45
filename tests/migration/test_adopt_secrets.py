"""Secrets in the values of a release: none is printed, and each has its command."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scalr_agents.migration import adopt
from scalr_agents.model.findings import errors
from scalr_agents.model.merge import Values, merge

from tests.helpers.command_line import TOKEN
from tests.helpers.releases import CERTIFICATE, KEPT, KEY, MIRROR, URL, loaded, of_values, printed


@pytest.mark.parametrize(
    ("chart", "version", "given_values", "rest", "words"),
    [
        ("agent-job", None, {}, {}, ["token"]),
        ("agent-job", None, {"agent": {"token": ""}}, {}, ["token"]),
        ("agent-job", None, {"agent": {"tokenExistingSecret": {"name": "pool"}}}, {"agent": {"tokenExistingSecret": {"name": "pool"}}}, []),
        ("agent-local", None, {"agent": {"tokenExistingSecret": {"name": "p"}}}, {"agent": {"tokenExistingSecret": {"name": "p"}}}, []),
        ("agent-k8s", None, {"agent": {"tokenExistingSecret": "pool"}}, {"agent": {"tokenExistingSecret": "pool"}}, []),
        (
            "agent-job",
            "1.4.0",
            {"global": {"tls": {"clientCert": CERTIFICATE, "clientKey": KEY}}},
            {"global": {"tls": {"clientCert": CERTIFICATE}}},
            ["token", "clientKey"],
        ),
        (
            "agent-local",
            "1.4.0",
            {"agent": {"tls": {"clientCert": CERTIFICATE, "clientKey": KEY}}},
            {"agent": {"tls": {"clientCert": CERTIFICATE}}},
            ["token", "clientKey"],
        ),
        (
            "agent-job",
            "1.4.0",
            {"global": {"tls": {"clientKey": KEY, "clientCertSecret": {"name": "mtls"}}}},
            {"global": {"tls": {"clientCertSecret": {"name": "mtls"}}}},
            ["token"],
        ),
        (
            "agent-local",
            "1.4.0",
            {"agent": {"providerNetworkMirrors": [MIRROR | {"token": "hidden"}, {"url": "https://n.acme/"}]}},
            {"agent": {"providerNetworkMirrors": [MIRROR, {"url": "https://n.acme/"}]}},
            ["token", 'mirrorTokens["m.acme:8443"]'],
        ),
        (
            "agent-job",
            None,
            {
                "agent": {
                    "extraEnv": {"A": "b", "DB_PASSWORD": "hidden"},
                    "controller": {"extraEnv": [{"name": "API_KEY", "value": "hid"}]},
                },
                "task": {"runner": {"extraEnv": {"TF_TOKEN_app.acme": "hidden", "DB_PASSWORD": "hidden"}}},
            },
            {"agent": {"extraEnv": {"A": "b"}}},
            ["token", "env.DB_PASSWORD", "env.API_KEY", 'env["TF_TOKEN_app.acme"]'],
        ),
        (
            "agent-k8s",
            None,
            {
                "extraEnv": {
                    "HTTPS_PROXY": "http://me:hidden@proxy:3128",
                    "NO_PROXY": "$(KUBERNETES_SERVICE_HOST)",
                    "TOKEN_TTL": 5,
                    "A_TOKEN": "$(B)",
                }
            },
            {"extraEnv": {"NO_PROXY": "$(KUBERNETES_SERVICE_HOST)", "TOKEN_TTL": 5, "A_TOKEN": "$(B)"}},
            ["token", "env.HTTPS_PROXY"],
        ),
        (
            "agent-job",
            None,
            {"agent": {"controller": {"extraEnv": [{"name": "A_TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}}},
            {"agent": {"controller": {"extraEnv": [{"name": "A_TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}}},
            ["token"],
        ),
    ],
)
def test_secrets_are_extracted(chart: str, version: str | None, given_values: Values, rest: Values, words: list[str]) -> None:
    adopted = of_values(given_values, chart, version)
    assert errors(adopted.findings) == []
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"] == merge(
        KEPT.get((chart, version or ""), {}), merge({"agent": {"url": URL}}, rest)
    )
    assert adopted.secrets == [f"pulumi config set --secret --path 'scalr-agents:secrets.runs.{word}'" for word in words]
    text = printed(adopted)
    assert [secret for secret in (TOKEN, "hidden", "hid", "PRIVATE") if secret in text] == []
    assert errors(loaded(adopted).findings) == []


@pytest.mark.parametrize(
    ("given_values", "path", "words"),
    [
        (
            {"agent": {"extraEnv": {"A_TOKEN": "hidden"}}, "task": {"runner": {"extraEnv": {"A_TOKEN": "hidden-too"}}}},
            "agent.extraEnv.A_TOKEN",
            "another value in task.runner.extraEnv",
        ),
        ({"task": {"runner": {"extraEnv": {"SCALR_TOKEN": "hidden"}}}}, "task.runner.extraEnv.SCALR_TOKEN", "rename it"),
        (
            {"agent": {"providerNetworkMirrors": [MIRROR | {"token": "hidden"}, MIRROR | {"token": "hidden-too"}]}},
            "agent.providerNetworkMirrors[1].token",
            "another token for m.acme:8443",
        ),
        (
            {"task": {"sidecars": [{"name": "s", "image": "i", "env": [{"name": "DB_PASSWORD", "value": "hidden"}]}]}},
            "task.sidecars[0].env[0].value",
            "DB_PASSWORD contains a secret",
        ),
        (
            {"global": {"proxy": {"enabled": True, "httpsProxy": "http://me:hidden@proxy:3128"}}},
            "global.proxy.httpsProxy",
            "a URL with a password",
        ),
        (
            {"global": {"proxy": {"enabled": True, "httpsProxy": "http://hidden@proxy:3128"}}},
            "global.proxy.httpsProxy",
            "a URL with a password",
        ),
        (
            {"task": {"sidecars": [{"name": "s", "image": "i", "args": ["http://me:$(P)@x"], "env": [{"name": "P", "value": "hidden"}]}]}},
            "task.sidecars[0].env[0].value",
            "P contains a secret",
        ),
        ({"agent": {"url": "https://me:hidden@acme.scalr.io"}}, "agent.url", "secret"),
        ({"global": {"podAnnotations": {"a": KEY}}}, "global.podAnnotations.a", "a private key"),
        ({"global": {"podAnnotations": {"a": "ghp_hidden"}}}, "global.podAnnotations.a", "a token; put it into a Secret"),
        ({"agent": {"token": ["hidden"]}}, "agent.token", "expected a string"),
        ({"agent": {"token": {"a": "hidden"}}}, "agent.token", "expected a string"),
        (
            {"agent": {"providerNetworkMirrors": [MIRROR | {"token": {"a": "hidden"}}]}},
            "agent.providerNetworkMirrors[0].token",
            "expected a string",
        ),
        ({"agent": {"extraEnv": {"A_TOKEN": ["hidden"]}}}, "agent.extraEnv.A_TOKEN", "expected a string"),
        ({"global": {"tls": {"clientKey": KEY}}}, "global.tls.clientKey", "clientCert"),
        (
            {"agent": {"controller": {"extraEnv": [{"name": "A TOKEN", "value": "hidden"}]}}},
            "agent.controller.extraEnv.A TOKEN",
            "not a valid name of an environment variable",
        ),
    ],
)
def test_unsupported_secrets_are_refused(given_values: Values, path: str, words: str) -> None:
    adopted = of_values(given_values, version="1.4.0")
    assert [(finding.path, words in finding.message) for finding in errors(adopted.findings)] == [(path, True)]
    assert (adopted.stack, adopted.secrets, adopted.before, adopted.after) == ({}, [], [], [])
    assert "hidden" not in "".join(map(str, adopted.findings))


@pytest.mark.parametrize(
    ("given_values", "path"),
    [
        ({"task": {"sidecars": [{"name": "s", "image": "i", "args": ["--password=hidden"]}]}}, "task.sidecars[0].args[0]"),
        ({"task": {"sidecars": [{"name": "s", "image": "i", "command": ["sh", "token: hidden"]}]}}, "task.sidecars[0].command[1]"),
        ({"global": {"podAnnotations": {"vault-token": "hidden"}}}, "global.podAnnotations.vault-token"),
        ({"global": {"podAnnotations": {"a": "api-key=hidden"}}}, "global.podAnnotations.a"),
        ({"serviceAccount": {"annotations": {"acme.io/password": "hidden"}}}, "serviceAccount.annotations.acme\\.io/password"),
    ],
)
def test_probable_secrets_are_warnings(given_values: Values, path: str) -> None:
    findings = of_values(given_values).findings
    assert [(finding.severity, finding.path) for finding in findings] == [("warning", path)]
    assert "seems to contain a secret in plain text" in findings[0].message
    assert "hidden" not in findings[0].message


@pytest.mark.parametrize(
    ("chart", "given_values"),
    [
        ("agent-job", {"global": {"podAnnotations": {"vault.io/agent-inject-token": "true", "token.acme.io/used": "b"}}}),
        ("agent-job", {"task": {"sidecars": [{"name": "s", "image": "i", "args": ["--password=$(P)", "--token-file=/a"]}]}}),
        ("agent-job", {"agent": {"tokenExistingSecret": {"name": "pool", "key": "password"}}}),
        ("agent-job", {"global": {"tls": {"caBundleSecret": {"name": "ca", "key": "secret"}}}}),
        (
            "agent-local",
            {"allowMetadataService": True, "podSecurityContext": {"sysctls": [{"name": "kernel.keys.maxkeys", "value": "5"}]}},
        ),
    ],
)
def test_values_that_resemble_secrets_are_accepted(chart: str, given_values: Values) -> None:
    adopted = of_values(given_values, chart)
    assert adopted.findings == []
    assert [note for note in adopted.notes if "plain text" in note] == []


@pytest.mark.parametrize("dsn", ["https://public@sentry.io/5", "https://public:hidden@sentry.io/5"])
def test_the_sentry_address_is_not_changed(dsn: str) -> None:
    adopted = of_values({"agent": {"sentryDsn": dsn}}, version="1.4.0")
    assert [(finding.severity, finding.path) for finding in adopted.findings] == [("warning", "agent.sentryDsn")]
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"]["agent"]["sentryDsn"] == dsn
    key = of_values({"agent": {"sentryDsn": KEY}}, version="1.4.0")
    assert ("error", "agent.sentryDsn") in [(finding.severity, finding.path) for finding in key.findings]


@pytest.mark.parametrize(
    ("chart", "version", "section"),
    [("agent-local", "1.4.0", "global"), ("agent-local", None, "agent"), ("agent-job", "1.4.0", "agent"), ("agent-job", None, "global")],
)
def test_a_client_key_of_an_unsupported_kind_is_refused(chart: str, version: str | None, section: str) -> None:
    adopted = of_values({section: {"tls": {"clientKey": KEY}}}, chart, version)
    (finding,) = errors(adopted.findings)
    assert f"{section}.tls.clientKey".startswith(finding.path)
    assert "unknown key" in finding.message or "no value" in finding.message, finding
    assert "PRIVATE KEY" not in printed(adopted)


@pytest.mark.parametrize(
    ("chart", "given_values", "names"),
    [
        (
            "agent-job",
            {"global": {"proxy": {"httpProxy": "http://u:$(PROXY_P)@p:1"}}, "agent": {"extraEnv": {"PROXY_P": "hid"}}},
            ["PROXY_P"],
        ),
        (
            "agent-local",
            {"extraEnv": {"HTTP_PROXY": "http://$(U):$(P)@p:1", "U": "hid", "P": "$(Q)", "Q": "$(R)", "R": "hidden"}},
            ["U", "R"],
        ),
        ("agent-local", {"extraEnv": {"A_TOKEN": "$(B)", "B": "hidden", "C": "$(D)", "D": "e"}}, ["B"]),
        ("agent-local", {"extraEnv": {"CURLED": "Authorization: Bearer $(B)", "B": "hidden"}}, ["B"]),
    ],
)
def test_parts_of_secrets_are_secret(chart: str, given_values: Values, names: list[str]) -> None:
    adopted = of_values({"task": {}} | given_values if chart == "agent-job" else given_values, chart)
    assert errors(adopted.findings) == []
    assert adopted.secrets[1:] == [f"pulumi config set --secret --path 'scalr-agents:secrets.runs.env.{name}'" for name in names]
    assert "hid" not in printed(adopted)
    assert errors(loaded(adopted).findings) == []


def test_secrets_with_references_are_warnings() -> None:
    given = {"allowMetadataService": True, "extraEnv": {"A_TOKEN": "hid$(B)den", "B_TOKEN": "x"}}
    adopted = of_values(given, "agent-local")
    assert [finding.path for finding in adopted.findings if "does not expand $(NAME)" in finding.message] == ["extraEnv.A_TOKEN"]
    assert "den" not in printed(adopted).replace("identifier", "")


VARIABLES = {"A_TOKEN": "x"}
ITEMS = [{"name": "A_TOKEN", "value": "x"}]


@pytest.mark.parametrize(
    ("chart", "given_values", "who"),
    [
        ("agent-job", {"agent": {"extraEnv": VARIABLES}}, "runs"),
        ("agent-job", {"agent": {"controller": {"extraEnv": ITEMS}}}, "workers and runs"),
        ("agent-job", {"task": {"worker": {"extraEnv": VARIABLES}}}, "controllers and runs"),
        ("agent-job", {"task": {"runner": {"extraEnv": VARIABLES}}}, "controllers and workers"),
        ("agent-job", {"agent": {"extraEnv": VARIABLES}, "task": {"runner": {"extraEnv": VARIABLES}}}, ""),
        ("agent-job", {"agent": {"extraEnv": {"SCALR_TOKEN": "x"}}}, ""),
        ("agent-local", {"extraEnv": VARIABLES}, ""),
    ],
)
def test_new_readers_of_a_variable_are_named(chart: str, given_values: Values, who: str) -> None:
    warned = [finding.message for finding in of_values(given_values, chart).findings if "becomes a secret variable" in finding.message]
    assert warned == ([f"becomes a secret variable of the stack, which {who} then get too"] if who else [])


@pytest.mark.parametrize("container", ["runner", "worker"])
def test_variables_missing_in_the_deployment_are_not_patched(container: str) -> None:
    task = {"task": {container: {"extraEnv": VARIABLES}}}
    assert of_values(task).before == []
    assert len(of_values(merge(task, {"agent": {"controller": {"extraEnv": ITEMS}}})).before) == 1


def test_variables_that_become_secret_are_patched_first() -> None:
    given_values = {"agent": {"extraEnv": {"A_TOKEN": "x"}, "providerNetworkMirrors": [MIRROR | {"token": "x"}]}}
    step, budget = of_values(given_values, version="1.4.0").before
    patch = json.loads(step.command.partition(" -p '")[2].removesuffix("'"))
    (container,) = patch["spec"]["template"]["spec"]["containers"]
    assert step.command.startswith("kubectl patch deployment runs-scalr-agent -n scalr --type=strategic -p '{")
    assert container == {
        "name": "controller",
        "env": [
            {
                "name": name,
                "value": None,
                "valueFrom": {"secretKeyRef": {"name": "runs-scalr-agent-env", "key": name, "optional": False}},
            }
            for name in ("A_TOKEN", "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")
        ],
    }
    assert "poddisruptionbudget" in budget.command


KEYS = [
    "agent",
    "global",
    "task",
    "runner",
    "tls",
    "extraEnv",
    "A_TOKEN",
    "token",
    "clientKey",
    "providerNetworkMirrors",
    "name",
    "value",
    "url",
    "",
]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "http://a:b@c", "https://[", KEY]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(
    given_values=st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=4), chart=st.sampled_from(["agent-job", "agent-local", "agent-k8s"])
)
@example(given_values={"extraEnv": [{"name": []}]}, chart="agent-local")
@settings(deadline=None, max_examples=150)
def test_any_secret_is_taken_over_or_refused(given_values: Values, chart: str) -> None:
    adopted = adopt.take_over(given_values, chart=chart, release="runs", namespace="scalr", agent_version="1.4.0")
    assert bool(adopted.stack) != bool(errors(adopted.findings))
    text = printed(adopted)
    assert "PRIVATE KEY" not in text
    assert "a:b@c" not in text
