"""Secrets that only a deployment knows: what turns out to be none, and the key of the digest where what we hold could be guessed."""

import hashlib
import hmac
import re
from typing import Any

import pulumi
import pytest
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.resources.kubernetes import agents, deferred_secrets, objects

from tests.helpers.components import record
from tests.helpers.programs import ARGS, TOKEN
from tests.helpers.recording import Recording, Registration, Secret, run

every_kind = pytest.mark.parametrize("component", ["AgentJob", "AgentLocal", "AgentK8s"])
VERSION = {"agent_version": "1.4.0"}
EXISTING = {"agent": {"tokenExistingSecret": {"name": "pool"}}}
EXISTING_K8S = {"agent": {"tokenExistingSecret": "pool"}}
MIRROR = {"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/"}]}}


@every_kind
def test_no_pod_is_made_with_a_token_that_turns_out_to_be_empty(component: str) -> None:
    with pytest.raises(pulumi.RunError, match=re.escape("agent 'it' cannot be deployed: these outputs are empty or not a string: ")):
        record(component, lambda: {**ARGS, "token": pulumi.Output.secret("")})


@every_kind
@pytest.mark.parametrize("secret", ["token", "PORT"])
@pytest.mark.parametrize(
    "content", [None, 90210, ["hidden-90210"], {"token": "hidden-90210"}, True], ids=lambda given: type(given).__name__
)
def test_what_is_no_string_is_named_and_not_shown(component: str, secret: str, content: Any) -> None:
    def args() -> dict[str, Any]:
        wrapped = pulumi.Output.secret(content)
        given = {"token": wrapped} if secret == "token" else {"token": TOKEN, "secret_env": {secret: wrapped}}
        return {**ARGS, **given}

    with pytest.raises(pulumi.RunError, match=f"cannot be deployed: .*not a string.*: (variable )?{secret}$") as refused:
        record(component, args)
    assert "90210" not in str(refused.value)


def test_a_secret_that_is_no_string_does_not_reach_the_provider_which_would_print_it() -> None:
    def program() -> None:
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "it"}, "stringData": {"PORT": pulumi.Output.secret(90210)}}
        objects.register({"secret": secret}, None, "it", None)

    with pytest.raises(pulumi.RunError, match=r"Secret 'it' cannot be deployed: the output for this key is not a string: PORT$"):
        run(program)


def test_no_digest_is_made_of_what_is_no_string() -> None:
    def program() -> None:
        args: Any = {**ARGS, "token": pulumi.Output.secret(90210)}
        agent = agents.agent_local("it", args).agent
        owner = pulumi.ComponentResource("test:index:Owner", "it")
        pulumi.export("digest", deferred_secrets.digest(owner, "it", agent))

    with pytest.raises(pulumi.RunError, match=r"agent 'it' cannot be deployed: these outputs are empty or not a string: token$"):
        run(program)


@pytest.mark.parametrize("component", ["AgentJob", "AgentLocal"])
@pytest.mark.parametrize("content", [None, "", 90210, ["hidden-90210"]], ids=str)
def test_a_token_of_a_mirror_that_is_no_string(component: str, content: Any) -> None:
    args = {**ARGS, **VERSION, "token": TOKEN, "values": MIRROR}
    with pytest.raises(pulumi.RunError, match=re.escape(r"empty or not a string: mirror_tokens.a\.acme")) as refused:
        record(component, lambda: {**args, "mirror_tokens": {"a.acme": pulumi.Output.secret(content)}})
    assert "90210" not in str(refused.value)


@every_kind
def test_a_variable_may_be_empty_but_not_nothing(component: str) -> None:
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
def test_what_could_be_guessed_is_digested_with_a_random_key_that_is_kept(component: str, wrap: Any) -> None:
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
def test_no_key_is_kept_where_none_is_needed(component: str, given: dict[str, Any]) -> None:
    assert keys(deployed(component, **given)) == []


@pytest.mark.parametrize("component", ["AgentRbac", "AgentNetworkPolicy"])
def test_parts_without_pods_keep_no_key(component: str) -> None:
    assert keys(deployed(component)) == []


def test_the_digest_is_keyed_by_what_nobody_can_guess() -> None:
    held = {"token": {"token": "t"}, "env": {"PIN": "4711"}}
    content = b"".join(len(part).to_bytes(8, "big") + part for part in (b"token", b"t", b"PIN", b"4711"))
    assert secrets.digest(held, "not needed") == hmac.new(b"t", content, hashlib.sha256).hexdigest()
    certificate = {"client-cert": {"tls.crt": "public", "tls.key": "private"}}
    content = b"".join(len(part).to_bytes(8, "big") + part for part in (b"tls.crt", b"public", b"tls.key", b"private"))
    assert secrets.digest(certificate) == hmac.new(b"publicprivate", content, hashlib.sha256).hexdigest()
