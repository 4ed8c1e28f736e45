"""Secrets from a store in programs: what is registered in place of Secrets, what is awaited, and what is refused."""

from typing import Any

import pulumi
import pytest
from scalr_agents.resources.kubernetes import agents
from scalr_agents.resources.kubernetes.rollouts import rollout

from tests import definitions
from tests.helpers.components import record
from tests.helpers.programs import ARGS, stack_with
from tests.helpers.provider_errors import joined, not_created, not_initialized, timed_out
from tests.helpers.recording import Recording, Registration, run

_TYPE = "kubernetes:external-secrets.io/v1:ExternalSecret"
_STORE: dict[str, Any] = {
    "store": {"name": "vault", "kind": "ClusterSecretStore"},
    "token": {"key": "scalr/it", "property": "token"},
    "env": {"TF_TOKEN_acme": {"key": "scalr/it"}},
}
_PREFIX = {"AgentJob": "it-controller", "AgentLocal": "it", "AgentK8s": "it"}
_WORKLOADS = {"AgentJob": ["deployment"], "AgentLocal": ["deployment"], "AgentK8s": ["deployment", "daemon-set"]}

every_kind = pytest.mark.parametrize("component", _PREFIX)


def _recorded(component: str, **more: Any) -> Recording:
    return record(component, {**ARGS, "secrets_from": _STORE, **more})


def _external(recording: Recording) -> dict[str, Registration]:
    return {resource.name: resource for resource in recording.of_type(_TYPE)}


@every_kind
def test_the_agent_waits_for_the_operator(component: str) -> None:
    recording = _recorded(component, rollout_timeout_seconds=77)
    names = {f"{_PREFIX[component]}-{role}-external-secret" for role in ("token", "env")}
    assert _external(recording).keys() == names
    assert recording.of_type("kubernetes:core/v1:Secret") == []
    for made in _external(recording).values():
        definitions.assert_valid(dict(made.inputs))
        assert made.inputs["metadata"]["annotations"] == {"pulumi.com/waitFor": "condition=Ready"}
        assert made.timeouts == {"create": "77s", "update": "77s"}
        assert len(made.error_hooks) == 1
    for role in _WORKLOADS[component]:
        assert recording.depends(f"{_PREFIX[component]}-{role}") >= names


@every_kind
def test_await_rollout_false_awaits_no_external_secret(component: str) -> None:
    for made in _external(_recorded(component, await_rollout=False)).values():
        assert "annotations" not in made.inputs["metadata"]


def test_runs_that_mount_a_claim_keep_their_secrets() -> None:
    """On removal, the claim waits for runs, and its dependencies are deleted after it."""
    own = _recorded("AgentJob", values={"persistence": {"cache": {"enabled": True}}})
    assert own.depends("it-controller-cache-claim") >= _external(own).keys()
    cache = {"team": {"storageClass": {"name": "agents"}, "onDelete": "delete"}}
    of_stack = stack_with(cache, {"runs": {"cache": "team", "secretsFrom": _STORE}}, secrets={})
    assert of_stack.error is None
    [claim] = of_stack.of_type("kubernetes:core/v1:PersistentVolumeClaim")
    assert of_stack.depends(claim.name) >= _external(of_stack).keys() != set()


@every_kind
def test_outputs_name_the_secret_in_the_store(component: str) -> None:
    def args() -> dict[str, Any]:
        name = pulumi.Output.from_input("made-by-another-resource")
        return {**ARGS, "secrets_from": {"store": {"name": name}, "token": {"key": name, "property": name}}}

    [made] = _external(record(component, args)).values()
    assert made.inputs["spec"]["secretStoreRef"] == {"name": "made-by-another-resource", "kind": "SecretStore"}
    remote = {"key": "made-by-another-resource", "property": "made-by-another-resource"}
    assert made.inputs["spec"]["data"] == [{"secretKey": "token", "remoteRef": remote}]


def test_own_variables_with_a_stored_token_roll_the_pods() -> None:
    """The digest needs a key: nothing that we hold is unguessable."""
    recording = record("AgentLocal", {**ARGS, "secrets_from": {"store": {"name": "a"}, "token": {"key": "a"}}, "secret_env": {"A": "b"}})
    annotations = recording["it-deployment"].inputs["spec"]["template"]["metadata"]["annotations"]
    assert len(annotations["checksum/secrets"]) == 64
    assert "it-digest-key" in recording.names


_LATE = joined([not_initialized("create", "urn", "scalr/it", timed_out("ExternalSecret", "it"))])
_UNKNOWN = joined([not_created("urn", 'no matches for kind "ExternalSecret" in version "external-secrets.io/v1"')])
_REFUSED = joined([not_created("urn", 'externalsecrets.external-secrets.io "it" is forbidden')])
_NO_SECRET = '[Pod scalr/it-x]: containers with unready status: [agent][CreateContainerConfigError] secret "{}" not found'


def _told(failed: str, error: str, operation: str = "create") -> list[str]:
    """What the hook of an agent-job logs when a resource fails."""

    def program() -> None:
        given: Any = {**ARGS, "secrets_from": _STORE}
        wanted = agents.agent_job("AgentController", "it", given)
        hook = rollout("it-controller", wanted, wanted.agent.group("controller"), "agent").on_failure
        urn, kind = "urn:pulumi:s::p::t::it", _TYPE
        args = pulumi.ErrorHookArgs(urn, "id", f"it-controller-{failed}", kind, failed_operation=operation, errors=[error])
        assert hook.callback(args) is False

    recording = run(program)
    assert recording.error is None
    return [text for severity, text in recording.log if severity == "error"]


def test_advice_for_an_unready_external_secret() -> None:
    [told] = _told("token-external-secret", _LATE)
    sentence, command = told.splitlines()
    assert sentence.startswith("The ExternalSecret 'it-agent-job' of 'it' is not ready, so its Secret is missing or incomplete: ")
    assert command == "  kubectl describe externalsecret -n scalr it-agent-job"
    assert "'it-agent-job-env'" in _told("env-external-secret", _LATE)[0]


def test_advice_without_an_operator() -> None:
    [told] = _told("token-external-secret", _UNKNOWN)
    assert "The cluster does not know ExternalSecrets" in told
    assert "Install the External Secrets Operator, version 0.16 or newer" in told


def test_api_server_errors_are_not_explained() -> None:
    assert _told("token-external-secret", _REFUSED) == _told("token-external-secret", _LATE, "delete") == []


def test_advice_for_pods_without_their_external_secret() -> None:
    late = not_initialized("create", "urn", "scalr/it", timed_out("Deployment", "it"))
    [told] = _told("deployment", joined([late, _NO_SECRET.format("it-agent-job")]))
    assert told.startswith("The ExternalSecret 'it-agent-job' of 'it' is not ready")
    [told] = _told("deployment", joined([late, _NO_SECRET.format("another")]))
    assert told.startswith("The controllers of 'it' did not become ready. A container needs the secret 'another'")
