"""Secrets of every kind and line: they become Secrets, are nowhere else, and are never repeated."""

import json
from typing import Any

import pytest
from scalr_agents import output, stack
from scalr_agents.model.maps import merge
from scalr_agents.stack import secrets
from scalr_agents.stack.source import Sealed

from tests.helpers.kinds import CA, JOB, K8S, KEY, LOCAL, TOKEN, Kind, errors, every_kind, load, of_one, secret, secrets_of

MIRRORS: list[dict[str, Any]] = [
    {"url": "https://a.acme/providers/", "include": ["registry.opentofu.org/*/*"]},
    {"url": "https://b.acme:8443/providers/"},
]
CURRENT: list[Kind] = [(JOB, "current"), (LOCAL, "current")]
SECTION = {JOB: "global", LOCAL: "agent"}
"""Where a kind has the section `tls`."""
BASE = {JOB: {"legacy": "agent-job", "current": "scalr-agent"}, LOCAL: {"legacy": "agent-local", "current": "agent-local"}}

with_tls = pytest.mark.parametrize("kind", CURRENT, ids="-".join)


def tls(kind: Kind, **words: Any) -> dict[str, Any]:
    return of_one(values={SECTION[kind[0]]: {"tls": words}})


def mirrors(*given: Any) -> dict[str, Any]:
    return of_one(values={"agent": {"providerNetworkMirrors": list(given)}})


def name_of(kind: Kind, suffix: str) -> str:
    return f"one-{BASE[kind[0]][kind[1]]}-{suffix}"


def variable(loaded: stack.Stack, name: str) -> list[dict[str, Any]]:
    """The variable in every container that has it."""
    return list(_variables(loaded.objects(), name))


def _variables(content: Any, name: str) -> list[dict[str, Any]]:
    if isinstance(content, dict):
        return [content] if content.get("name") == name and len(content) > 1 else _variables(list(content.values()), name)
    return [found for item in content for found in _variables(item, name)] if isinstance(content, list) else []


@with_tls
def test_client_key_and_certificate_become_a_secret(kind: Kind) -> None:
    loaded = load(kind, merge(tls(kind, clientCert=CA), secret(clientKey=KEY)))
    assert errors(loaded) == []
    assert secrets_of(loaded)[name_of(kind, "client-cert")] == {"tls.crt": CA, "tls.key": KEY}
    assert KEY not in str([made for made in loaded.objects() if made["kind"] != "Secret"])


@with_tls
def test_mirror_tokens_are_inserted_by_host(kind: Kind) -> None:
    loaded = load(kind, merge(mirrors(*MIRRORS), secret(mirrorTokens={"b.acme:8443": "hidden"})))
    assert errors(loaded) == []
    name = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"
    content = secrets_of(loaded)[name_of(kind, "env")]
    assert json.loads(content[name]) == [MIRRORS[0], MIRRORS[1] | {"token": "hidden"}]
    reference = {"secretKeyRef": {"name": name_of(kind, "env"), "key": name, "optional": False}}
    found = variable(loaded, name)
    assert found
    assert found == [{"name": name, "valueFrom": reference}] * len(found)


@with_tls
def test_mirrors_without_a_token_stay_plain(kind: Kind) -> None:
    loaded = load(kind, mirrors(*MIRRORS))
    assert name_of(kind, "env") not in secrets_of(loaded)
    assert [json.loads(found["value"]) for found in variable(loaded, "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")][:1] == [MIRRORS]


def test_the_command_for_a_mirror_token_names_its_host() -> None:
    """Dots in the name of a host separate no words."""
    config = {"secrets": {"one": {"mirrorTokens": {"a.acme": "hidden"}}}}
    place = 'scalr-agents:secrets.one.mirrorTokens["a.acme"]'
    message = f"is in this file in plain text; encrypt it with: pulumi config set --secret --path '{place}'"
    assert [(finding.path, finding.message) for finding in secrets.misplaced(config)] == [(place, message)]


@every_kind
def test_a_token_and_an_existing_secret_are_an_error(kind: Kind) -> None:
    existing: dict[str, Any] = {"tokenExistingSecret": "pool"} if kind[0] == K8S else {"tokenExistingSecret": {"name": "pool"}}
    where = "agent.tokenExistingSecret" if kind[0] == K8S else "agent.tokenExistingSecret.name"
    words = of_one(values={"agent": existing})
    assert errors(load(kind, words)) == [("secrets.one.token", f"given together with an existing Secret in {where}; keep one of them")]
    alone = load(kind, {**words, "secrets": None})
    assert errors(alone) == []
    assert secrets_of(alone) == {}
    found = variable(alone, "SCALR_AGENT_TOKEN")
    assert found[0]["valueFrom"]["secretKeyRef"]["name"] == "pool"


@every_kind
def test_the_token_of_secrets_overrides_that_of_values(kind: Kind) -> None:
    loaded = load(kind, of_one(values={"agent": {"token": "hidden"}}))
    assert loaded.agents[0].values.agent.token == TOKEN


SEALED = {"token": Sealed("token"), "env": {"A": Sealed("env")}}


@every_kind
def test_sealed_secrets_are_printed_as_placeholders(kind: Kind) -> None:
    given: dict[str, Any] = secret(**SEALED)
    expected = {"<secret env>", "<secret token>"}
    if kind in CURRENT:
        more = secret(clientKey=Sealed("key"), mirrorTokens={"a.acme": Sealed("mirror")})
        given = merge(merge(given, more), merge(tls(kind, clientCert=CA), mirrors(*MIRRORS)))
        expected |= {"<secret key>", "<secret mirror>"}
    loaded = load(kind, given)
    assert errors(loaded) == []
    assert {str(value) for value in output.unknown(loaded.objects())} == expected
    text = output.text(loaded.objects(), "yaml")
    assert all(placeholder in text for placeholder in expected)
    assert "checksum/secrets" not in text


HIDDEN = "hidden"


@every_kind
@pytest.mark.parametrize(
    "given",
    [
        secret(token=f" {HIDDEN} ", clientKey=HIDDEN, mirrorTokens={"a.acme": HIDDEN}, env={"A B": HIDDEN}),
        secret(tokn=HIDDEN, env=HIDDEN, mirrorTokens=HIDDEN),
        secret(mirrorTokens=[HIDDEN], clientKey=[HIDDEN], env=[HIDDEN], token=[HIDDEN]),
        {"secrets": {"one": HIDDEN}},
        {"secrets": {"nobody": {"token": HIDDEN}, "one": {"token": "null"}}},
        of_one(values={"agent": {"token": HIDDEN, "tokenExistingSecret": f"{HIDDEN} Token", "tls": HIDDEN}}),
        of_one(values={"agent": {"tls": {"clientKey": HIDDEN}}, "global": {"tls": {"clientKey": HIDDEN}}}),
        of_one(values={"agent": {"providerNetworkMirrors": [{"url": 1, "token": HIDDEN}, {"token": [HIDDEN]}, HIDDEN]}}),
        of_one(values={"agent": HIDDEN}),
    ],
    ids=range(9),
)
def test_findings_do_not_repeat_secrets(kind: Kind, given: dict[str, Any]) -> None:
    loaded = load(kind, given)
    assert errors(loaded)
    assert HIDDEN not in str(loaded.findings)
