"""Secrets from a store, of every kind and line: an ExternalSecret stands in place of each Secret, and everything else is as it was."""

from typing import Any

import pytest
from scalr_agents import stack
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import merge

from tests import definitions
from tests.helpers.kinds import CA, JOB, KEY, KINDS, LOCAL, Kind, errors, every_kind, load, of_one, secret, secrets_of

STORE = {"store": {"name": "vault", "kind": "ClusterSecretStore"}}
TOKEN = {"token": {"key": "scalr/one", "property": "token"}}
ENV = {"env": {"GITHUB_TOKEN": {"key": "scalr/one", "property": "github"}, "SCALR_EXTRA": {"key": "plain"}}}
CLIENT_KEY = {"clientKey": {"key": "scalr/one", "property": "key"}}
CURRENT: list[Kind] = [(JOB, "current"), (LOCAL, "current")]
SECTION = {JOB: "global", LOCAL: "agent"}


def of_store(*words: dict[str, Any], secrets: dict[str, Any] | None = None) -> dict[str, Any]:
    """An agent with these words, and no other secrets unless they are given."""
    given = {key: content for word in (STORE, *words) for key, content in word.items()}
    return merge(of_one(secretsFrom=given), {"secrets": {"one": {"token": None, **(secrets or {})}}})


def certificate(kind: Kind) -> dict[str, Any]:
    return of_one(values={SECTION[kind[0]]: {"tls": {"clientCert": CA}}})


def external(loaded: stack.Stack) -> dict[str, Manifest]:
    found = {made["metadata"]["name"]: made for made in loaded.objects() if made["kind"] == "ExternalSecret"}
    for made in found.values():
        definitions.assert_valid(made)
    return found


def others(loaded: stack.Stack) -> list[Manifest]:
    """The objects that are no secrets, without the digest of secrets."""
    found = [made for made in loaded.objects() if made["kind"] not in ("Secret", "ExternalSecret")]
    for made in found:
        if made["kind"] in WORKLOADS:
            metadata = made["spec"]["template"]["metadata"]
            metadata["annotations"] = {key: text for key, text in metadata.get("annotations", {}).items() if key != "checksum/secrets"}
    return found


@every_kind
def test_only_the_origin_of_the_secrets_changes(kind: Kind) -> None:
    words = {"GITHUB_TOKEN": "x", "SCALR_EXTRA": "x"}
    ours, theirs = load(kind, secret(env=words)), load(kind, of_store(TOKEN, ENV))
    assert errors(theirs) == []
    assert secrets_of(theirs) == {}
    assert external(theirs).keys() == secrets_of(ours).keys()
    assert "checksum/secrets" not in str(theirs.objects())
    assert others(theirs) == others(ours)
    for made in ours.objects():
        if made["kind"] == "Secret":
            other = external(theirs)[made["metadata"]["name"]]
            assert other["metadata"] == made["metadata"]
            target = other["spec"]["target"]
            assert (target["name"], target["creationPolicy"]) == (made["metadata"]["name"], "Owner")
            assert target["template"] == {"type": made["type"], "metadata": {"labels": made["metadata"]["labels"]}}
            assert {each["secretKey"] for each in other["spec"]["data"]} == made["stringData"].keys()


@every_kind
def test_external_secrets_refer_to_the_store(kind: Kind) -> None:
    [token, env] = external(load(kind, of_store(TOKEN, ENV))).values()
    assert token["spec"]["secretStoreRef"] == {"name": "vault", "kind": "ClusterSecretStore"}
    assert token["spec"]["refreshInterval"] == "1h"
    assert token["spec"]["data"] == [{"secretKey": "token", "remoteRef": {"key": "scalr/one", "property": "token"}}]
    assert env["spec"]["data"][1] == {"secretKey": "SCALR_EXTRA", "remoteRef": {"key": "plain"}}


@every_kind
def test_external_secrets_come_before_pods(kind: Kind) -> None:
    kinds = [made["kind"] for made in load(kind, of_store(TOKEN, ENV)).objects()]
    assert max(index for index, each in enumerate(kinds) if each == "ExternalSecret") < min(
        index for index, each in enumerate(kinds) if each in WORKLOADS
    )


def test_the_default_store_is_that_of_the_operator() -> None:
    given = of_one(secretsFrom={"store": {"name": "vault"}, "refreshInterval": "1h30m", **TOKEN})
    [token] = external(load(KINDS[0], merge(given, secret(token=None)))).values()
    assert token["spec"]["secretStoreRef"] == {"name": "vault", "kind": "SecretStore"}
    assert token["spec"]["refreshInterval"] == "1h30m"


@pytest.mark.parametrize("kind", CURRENT, ids="-".join)
def test_a_client_key_is_stored_with_its_certificate(kind: Kind) -> None:
    ours = load(kind, merge(certificate(kind), secret(clientKey=KEY)))
    theirs = load(kind, merge(certificate(kind), of_store(TOKEN, CLIENT_KEY)))
    assert errors(theirs) == []
    [name] = [name for name in secrets_of(ours) if name.endswith("client-cert")]
    spec = external(theirs)[name]["spec"]
    assert spec["data"] == [{"secretKey": "tls.key", "remoteRef": {"key": "scalr/one", "property": "key"}}]
    template = spec["target"]["template"]
    assert (template["data"], template["mergePolicy"]) == ({"tls.crt": CA}, "Merge")


@every_kind
def test_pods_roll_only_for_our_own_secrets(kind: Kind) -> None:
    """Our token and stored variables. In the opposite case, only a deployment can compute a digest."""

    def digest(changed: dict[str, Any]) -> set[str]:
        templates = [made["spec"]["template"] for made in load(kind, changed).objects() if made["kind"] in WORKLOADS]
        return {template["metadata"].get("annotations", {}).get("checksum/secrets", "") for template in templates}

    assert digest(of_store(ENV, secrets={"token": "a"})) == digest(secret(token="a")) != {""}
    assert digest(of_store(TOKEN, secrets={"env": {"A": "b"}})) == {""}


@pytest.mark.parametrize("kind", CURRENT, ids="-".join)
def test_mirror_tokens_and_stored_variables_are_an_error(kind: Kind) -> None:
    """Both would be in one Secret, and that of the operator has only public values and those of the store."""
    mirrors = of_one(agentVersion="1.4.0", values={"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/providers/"}]}})
    [(path, message)] = errors(load(kind, merge(mirrors, of_store(TOKEN, ENV, secrets={"mirrorTokens": {"a.acme": "t"}}))))
    assert path == 'secrets.one.mirrorTokens["a.acme"]'
    assert message.startswith("cannot be in one Secret with variables from a store")
    whole = {"env": {"SCALR_AGENT_PROVIDER_NETWORK_MIRRORS": {"key": "mirrors"}}}
    assert errors(load(kind, merge(mirrors, of_store(TOKEN, whole)))) == []
    beside = load(kind, merge(mirrors, of_store(TOKEN, secrets={"mirrorTokens": {"a.acme": "t"}})))
    assert errors(beside) == []
    assert len(secrets_of(beside)) == len(external(beside)) == 1


def test_secret_annotations_are_escaped_for_the_operator() -> None:
    """In the operator's template, braces would be an expression."""
    given = of_one(values={"secret": {"annotations": {"acme/owner": "{{team}}"}, "labels": {"a": "b"}}})
    [token] = external(load((LOCAL, "current"), merge(given, of_store(TOKEN)))).values()
    assert token["metadata"]["annotations"] == {"acme/owner": "{{team}}"}
    assert token["spec"]["target"]["template"]["metadata"]["annotations"] == {"acme/owner": '{{"{{"}}team}}'}
    assert token["spec"]["target"]["template"]["metadata"]["labels"].items() >= {"a": "b"}.items()
