"""Secrets that stay in the values of a release because a stack has no key for them: each is reported once."""

import pytest
from scalr_agents.model.merge import Values

from tests.helpers.releases import KEY, of_values


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
    ("given_values", "path"),
    [
        ({"agent": {"url": "https://me:hidden@acme.scalr.io"}}, "agent.url"),
        (
            {"global": {"proxy": {"enabled": True, "httpProxy": "http://me:hidden@proxy:1", "noProxy": "10.0.0.0/8"}}},
            "global.proxy.httpProxy",
        ),
    ],
)
def test_a_password_is_reported_once(given_values: Values, path: str) -> None:
    assert [(finding.severity, finding.path) for finding in of_values(given_values).findings] == [("error", path)]
