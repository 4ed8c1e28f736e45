"""Variables of a release that are recognized as secrets, and those that stay in plain text and are named."""

import json

import pytest
from scalr_agents.model import secret_patterns
from scalr_agents.model.maps import Values

from tests.helpers.releases import KEY, MIRROR, of_values

SECRET_NAMES = [
    "SECRET_KEY",
    "VAULT_SECRET_ID",
    "GH_PAT",
    "PGPASS",
    "PGPASSWORD",
    "DB_PASS",
    "DB_PWD",
    "GITHUB_TOKEN_2",
    "TF_VAR_token_foo",
    "TF_VAR_dbPasswordOfAcme",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "API_KEY",
    "APIKEY",
    "SSH_KEY_BASE64",
    "REDIS_AUTH",
    "DOCKER_AUTH_CONFIG",
    "SENTRY_DSN",
    "GOOGLE_CREDENTIALS",
    "AZURE_STORAGE_CONNECTION_STRING",
    "SLACK_WEBHOOK_URL",
    "TEAMS_WEBHOOK",
    "AZURE_SAS_URL",
]
PLAIN_NAMES = [
    "KEY_PATH",
    "TOKEN_URL",
    "PASSWORD_FILE",
    "PGPASSFILE",
    "AWS_ACCESS_KEY_ID",
    "AUTH_URL",
    "TOKEN_TTL",
    "KMS_KEY_ALIAS",
    "ARM_OIDC_TOKEN_AUDIENCE",
    "SIGNING_KEY_FINGERPRINT",
    "PUBLIC_KEY",
    "SECRET_NAME",
    "KEYBOARD",
    "PATH",
    "COMPASS",
    "BYPASS",
    "TOKENIZER",
    "AUTHOR",
    "PATTERN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "SSH_AUTH_SOCK",
    "WEBHOOK_PORT",
    "WEBHOOK_ENABLED",
]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in SECRET_NAMES),
        ("A", KEY),
        ("A", "Bearer abc"),
        ("A", "Authorization: Bearer abc"),
        ("A", "Authorization=Basic%20abc"),
        ("A", "x-team=acme,api-key=abc"),
        ("A", "-backend-config=access_key=abc"),
        ("A", "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=abc"),
        ("A", "http://abc@proxy:3128"),
        ("A", "https://abc:@proxy"),
        ("A", "postgres://me:pass@db/x"),
        ("A", "postgres://me:$(B)tail@db/x"),
        ("A", "ghp_abcdef"),
        ("A", "eyJhbGciOiJI.eyJzdWIi.abc"),
        ("TOKEN_URL", "https://me:pass@acme"),
        ("A", "https://hooks.slack.com/services/T0/B0/abc"),
        ("A", "https://discord.com/api/webhooks/1/abc"),
        ("A", "https://acme.webhook.office.com/webhookb2/abc"),
        ("A", "https://acme.blob.core.windows.net/c?sv=1&sig=abc%3D"),
        ("A", "https://acme.s3.amazonaws.com/c?X-Amz-Signature=abc"),
        ("A", "https://storage.googleapis.com/c?a=b&X-Goog-Signature=abc"),
        ("NETRC", "machine acme.io\n  login me\n  password abc"),
        ("A", "hvs.abcdef"),
        ("A", "AbCdEfGhIjKlMn.atlasv1.abc"),
        ("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS", json.dumps([MIRROR | {"token": "x"}])),
    ],
)
def test_secrets_are_recognized(name: str, value: str) -> None:
    assert secret_patterns.is_secret(name, value)
    adopted = of_values({"extraEnv": {name: value, "PLAIN": "text"}}, "agent-local")
    assert adopted.secrets[1:] == [f"pulumi config set --secret --path 'scalr-agents:secrets.runs.env.{name}'"]
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"]["extraEnv"] == {"PLAIN": "text"}
    assert "these variables stay in plain text; check that none is a secret: PLAIN" in adopted.notes


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in PLAIN_NAMES),
        ("A_TOKEN", "$(B)"),
        ("A_TOKEN", "true"),
        ("A_TOKEN", False),
        ("A_TOKEN", ""),
        ("A", "http://$(B)@proxy"),
        ("A", "http://me:$(B)@proxy"),
        ("A", "Authorization: Bearer $(B)"),
        ("A", 'token="$(B)"'),
        ("A", '[{"url": "https://m.acme/", "token": ""}]'),
        ("A", "ssh://git@github.com/acme"),
        ("A", "https://acme.io/?design=1&signed=no"),
        ("A", "https://acme.io/?sig=$(B)"),
        ("A", "machine acme.io login me password $(B)"),
        ("NETRC", "/home/me/.netrc"),
        ("A", "https://slack.com/services/abc"),
        ("A", "https://acme.io/token/key?a=b"),
    ],
)
def test_other_values_are_not_secrets(name: str, value: object) -> None:
    adopted = of_values({"extraEnv": {name: value}}, "agent-local")
    assert adopted.secrets[1:] == []
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"]["extraEnv"] == {name: value}


@pytest.mark.parametrize(
    "prefix",
    [
        *(f"gh{letter}_" for letter in "pousr"),
        "github_pat_",
        "glpat-",
        *(f"xox{letter}-" for letter in "abprs"),
        "xapp-",
        "hvs.",
        "npm_",
        "pypi-",
        "dckr_pat_",
        "ATATT",
        "SG.abcdefghijklmnopqrst-_.",
        "AbCdEfGhIjKlMn.atlasv1.",
        "eyJhbGciOiJI.",
    ],
)
def test_tokens_are_recognized_by_their_prefix(prefix: str) -> None:
    assert [secret_patterns.in_text(text) for text in (f"{prefix}0a", f"a={prefix}0a")] == ["a token"] * 2
    assert [secret_patterns.in_text(text) for text in (prefix, f"{prefix}-", f"x{prefix}0a")] == [""] * 3


def test_remaining_secret_variables_are_named() -> None:
    sidecar = {
        "name": "s",
        "image": "i",
        "env": [{"name": "B", "value": "x"}, {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    }
    given_values: Values = {
        "agent": {"extraEnv": {"A": "x", "A_TOKEN": "x", "D": "$(A)"}, "controller": {"extraEnv": [{"name": "E", "value": "x"}]}},
        "task": {"sidecars": [sidecar], "runner": {"extraEnv": {"A": "x", "F": 5}}},
    }
    adopted = of_values(given_values, version="1.4.0")
    assert [note for note in adopted.notes if "plain" in note] == [
        "these variables stay in plain text; check that none is a secret: A, E, B, F"
    ]
    assert [note for note in of_values({"extraEnv": {"A_TOKEN": "x"}}, "agent-local").notes if "plain" in note] == []
