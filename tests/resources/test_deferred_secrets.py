"""Secrets that are outputs: invalid ones, and the key of the digest of guessable ones."""

import hashlib
import hmac
import re
from typing import Any

import pulumi
import pytest
from scalr_agents.charts.shared import secrets
from scalr_agents.resources.kubernetes import agents, late, objects

from tests.helpers.components import record
from tests.helpers.programs import ARGS, TOKEN
from tests.helpers.recording import Recording, Registration, Secret, run

every_kind = pytest.mark.parametrize("component", ["AgentJob", "AgentLocal", "AgentK8s"])
VERSION = {"agent_version": "1.4.0"}
EXISTING = {"agent": {"tokenExistingSecret": {"name": "pool"}}}
EXISTING_K8S = {"agent": {"tokenExistingSecret": "pool"}}
MIRROR = {"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/"}]}}


@every_kind
def test_an_empty_token_output_creates_no_pod(component: str) -> None:
    with pytest.raises(pulumi.RunError, match=re.escape("agent 'it' cannot be deployed: these outputs are empty or not a string: ")):
        record(component, lambda: {**ARGS, "token": pulumi.Output.secret("")})


@every_kind
@pytest.mark.parametrize("secret", ["token", "PORT"])
@pytest.mark.parametrize(
    "content", [None, 90210, ["hidden-90210"], {"token": "hidden-90210"}, True], ids=lambda given: type(given).__name__
)
def test_non_string_outputs_are_named_and_not_printed(component: str, secret: str, content: Any) -> None:
    def args() -> dict[str, Any]:
        wrapped = pulumi.Output.secret(content)
        given = {"token": wrapped} if secret == "token" else {"token": TOKEN, "secret_env": {secret: wrapped}}
        return {**ARGS, **given}

    with pytest.raises(pulumi.RunError, match=f"cannot be deployed: .*not a string.*: (variable )?{secret}$") as refused:
        record(component, args)
    assert "90210" not in str(refused.value)


def test_non_string_secrets_do_not_reach_the_provider() -> None:
    def program() -> None:
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "it"}, "stringData": {"PORT": pulumi.Output.secret(90210)}}
        objects.register({"secret": secret}, None, "it", None)

    with pytest.raises(pulumi.RunError, match=r"Secret 'it' cannot be deployed: the output for this key is not a string: PORT$"):
        run(program)


def test_non_string_secrets_have_no_digest() -> None:
    def program() -> None:
        args: Any = {**ARGS, "token": pulumi.Output.secret(90210)}
        agent = agents.agent_local("it", args).agent
        owner = pulumi.ComponentResource("test:index:Owner", "it")
        pulumi.export("digest", late.digest(agent, owner, "it"))

    with pytest.raises(pulumi.RunError, match=r"agent 'it' cannot be deployed: these outputs are empty or not a string: token$"):
        run(program)


@pytest.mark.parametrize("component", ["AgentJob", "AgentLocal"])
@pytest.mark.parametrize("content", [None, "", 90210, ["hidden-90210"]], ids=str)
def test_a_non_string_mirror_token_is_an_error(component: str, content: Any) -> None:
    args = {**ARGS, **VERSION, "token": TOKEN, "values": MIRROR}
    with pytest.raises(pulumi.RunError, match=re.escape(r"empty or not a string: mirror_tokens.a\.acme")) as refused:
        record(component, lambda: {**args, "mirror_tokens": {"a.acme": pulumi.Output.secret(content)}})
    assert "90210" not in str(refused.value)


@every_kind
def test_a_variable_may_be_empty_but_not_null(component: str) -> None:
    def args() -> dict[str, Any]:
        return {**ARGS, "token": TOKEN, "secret_env": {"EMPTY": pulumi.Output.secret(""), "NOTHING": pulumi.Output.secret(None)}}

    with pytest.raises(pulumi.RunError, match=r"not a string.*: (variable )?NOTHING$"):
        record(component, args)


def deployed(component: str, wrap: Any = str, **args: Any) -> Recording:
    values = EXISTING_K8S if component == "AgentK8s" else EXISTING
    return record(component, lambda: {**ARGS, "values": values, "secret_env": {"PIN": wrap("4711")}, **args})


def keys(recording: Recording) -> list[Registration]:
    return recording.of_type("pulumi:index:Stash")


def annotations(recording: Recording) -> list[str]:
    workloads = [made for made in recording.resources if made.type in {"kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:DaemonSet"}]
    return [made.inputs["spec"]["template"]["metadata"]["annotations"]["checksum/secrets"] for made in workloads]


@every_kind
@pytest.mark.parametrize("wrap", [str, pulumi.Output.secret], ids=["plain", "output"])
def test_guessable_secrets_are_digested_with_a_random_key(component: str, wrap: Any) -> None:
    recording = deployed(component, wrap)
    (key,) = keys(recording)
    holder = "it-controller" if component == "AgentJob" else "it"
    assert (key.name, key.parent, key.ignored_changes) == (f"{holder}-digest-key", holder, ("input",))
    assert isinstance(key.inputs["input"], Secret)
    assert re.fullmatch("[0-9a-f]{64}", key.inputs["input"].value)
    expected = secrets.digest({"env": {"PIN": "4711"}}, key.inputs["input"].value)
    assert set(annotations(recording)) == {expected}
    assert annotations(deployed(component, wrap)) != annotations(recording)


@every_kind
@pytest.mark.parametrize("given", [{"token": TOKEN, "values": {}}, {"secret_env": {}}], ids=["token", "nothing"])
def test_no_unneeded_digest_key_is_stored(component: str, given: dict[str, Any]) -> None:
    assert keys(deployed(component, **given)) == []


@pytest.mark.parametrize("component", ["AgentRbac", "AgentNetworkPolicy"])
def test_parts_without_pods_store_no_digest_key(component: str) -> None:
    assert keys(deployed(component)) == []


def test_the_digest_key_is_the_token_and_private_key() -> None:
    secret_data = {"token": {"token": "t"}, "env": {"PIN": "4711"}}
    content = b"".join(len(part).to_bytes(8, "big") + part for part in (b"token", b"t", b"PIN", b"4711"))
    assert secrets.digest(secret_data, "not needed") == hmac.new(b"t", content, hashlib.sha256).hexdigest()
    certificate = {"client-cert": {"tls.crt": "public", "tls.key": "private"}}
    content = b"".join(len(part).to_bytes(8, "big") + part for part in (b"tls.crt", b"public", b"tls.key", b"private"))
    assert secrets.digest(certificate) == hmac.new(b"publicprivate", content, hashlib.sha256).hexdigest()
