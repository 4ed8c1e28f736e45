"""The policy pack on the real engine: stacks that keep what SECURITY.md promises pass, and a stack that breaks it does not."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from scalr_agents.promises import PROMISES

from tests.engine.packs import judged, with_changes
from tests.engine.stacks import Deployment

Fresh = Callable[[str], Deployment]
TOKEN = "ghp_0123456789abcdefghij"
SECRETS = {
    "local": ["runs"],
    "aws-prod": ["payments", "platform", "vcs"],
    "aws-machines": ["legacy", "legacy-vcs"],
    "gcp-machines": ["legacy"],
    "gcp-prod": ["apps", "data"],
}
_FOUND = re.compile(r"- \[(mandatory|advisory)\]\s+([\w-]+)\s+\(([^)]*)\)")


def stack_of(fresh: Fresh, name: str, words: dict[str, Any] | None = None) -> Deployment:
    stack = fresh(name)
    stack.edit(words or {})
    stack.set_secrets({f"{agent}.token": f"token-of-{agent}" for agent in SECRETS[name]})
    return stack


def reported(output: str) -> set[tuple[str, str]]:
    """Level and name of each policy that the engine says is violated."""
    return {(found[1], found[2]) for found in _FOUND.finditer(output)}


@pytest.mark.parametrize("name", ["local", "aws-prod", "aws-machines", "gcp-machines"])
def test_sample_stacks_pass(fresh: Fresh, name: str) -> None:
    """Before a deployment, when ids are not known yet, and during it, when they are."""
    stack = stack_of(fresh, name)
    for operation in ("preview", "up"):
        done = judged(stack, operation)
        assert not done.failed, done.output
        assert "scalr-agents@v" in done.output
        assert reported(done.output) == set()
        assert "can't run policy" not in done.output


def test_workload_identity_on_gke_needs_exceptions(fresh: Fresh) -> None:
    stack = stack_of(fresh, "gcp-prod")
    deployed = judged(stack, "up", {"closed-metadata-service": {"exceptNamespaces": ["scalr-apps", "scalr-data"]}})
    assert not deployed.failed, deployed.output
    assert reported(deployed.output) == set()
    planned = judged(stack, "preview")
    assert planned.failed
    assert reported(planned.output) == {("mandatory", "closed-metadata-service")}


OPEN = {"agents.runs.values.task.allowMetadataService": True}
BROKEN: list[tuple[str, str, dict[str, Any], dict[str, dict[str, Any]]]] = [
    ("closed-metadata-service", "local", OPEN, {}),
    ("closed-metadata-service-of-machines", "aws-machines", {"machines.legacy.allowMetadataService": True}, {}),
    ("closed-metadata-service-of-machines", "gcp-machines", {"machines.legacy.allowMetadataService": True}, {}),
    ("no-plain-tokens", "local", {"agents.runs.values.agent.extraEnv": {"SCALR_AGENT_TOKEN": TOKEN}}, {}),
    ("restricted-pods", "local", {}, {"kubernetes:apps/v1:Deployment": {"spec": {"template": {"spec": {"hostNetwork": True}}}}}),
    ("caches-with-access-points", "aws-prod", {}, {"aws:efs/fileSystem:FileSystem": {"encrypted": False}}),
    (
        "caches-with-access-points",
        "aws-prod",
        {},
        {"kubernetes:core/v1:PersistentVolume": {"spec": {"csi": {"volumeHandle": "fs-0123456789abcdef0"}}}},
    ),
]


@pytest.mark.parametrize(("policy", "name", "words", "changes"), BROKEN)
def test_a_stack_that_breaks_a_promise_is_refused(
    fresh: Fresh, policy: str, name: str, words: dict[str, Any], changes: dict[str, dict[str, Any]]
) -> None:
    stack = stack_of(fresh, name, words)
    if changes:
        with_changes(stack, changes)
    # The user data of Google Cloud contains the name of a secret, which is not known before a deployment.
    refused = judged(stack, "up" if name == "gcp-machines" else "preview")
    assert refused.failed
    assert reported(refused.output) == {("mandatory", policy)}
    assert TOKEN not in refused.output
    assert "token-of-" not in refused.output


def test_every_mandatory_policy_is_broken_once() -> None:
    assert {policy for policy, *_ in BROKEN} == {promise.name for promise in PROMISES if promise.mandatory}


def test_what_security_does_not_promise_is_only_reported(fresh: Fresh) -> None:
    words = {"agents.vcs.network": {}, "agents.vcs.values.allowMetadataService": True}
    planned = judged(stack_of(fresh, "aws-prod", {**words, "agents.platform.namespace": "scalr-payments"}), "preview")
    assert not planned.failed, planned.output
    assert reported(planned.output) == {("advisory", "closed-metadata-service-of-other-kinds"), ("advisory", "namespace-per-agent")}


def test_a_refused_deployment_creates_no_object_that_breaks_a_promise(fresh: Fresh) -> None:
    """Policies of single resources are asked before each creation, also without a preview."""
    stack = stack_of(fresh, "local", {"agents.runs.values.agent.extraEnv": {"SCALR_AGENT_TOKEN": TOKEN}})
    done = judged(stack, "up")
    assert done.failed
    assert [each for each in stack.cluster.objects if each.startswith(("Deployment/", "AgentTask/"))] == []


def test_a_violation_is_reported_once(fresh: Fresh) -> None:
    """Policies of the whole stack see outputs, in which the provider repeats each object."""
    done = judged(stack_of(fresh, "local", OPEN), "up", {"closed-metadata-service": "advisory"})
    assert not done.failed, done.output
    assert len(re.findall("no NetworkPolicy closes", done.output.rpartition("Policies:")[2])) == 1, done.output


def test_settings_of_the_pack(fresh: Fresh) -> None:
    """Namespaces are excepted, levels are changed, and a wrong setting is an error."""
    stack = stack_of(fresh, "local", OPEN)
    excepted = judged(stack, "preview", {"closed-metadata-service": {"exceptNamespaces": ["scalr-agents"]}})
    assert not excepted.failed, excepted.output
    assert reported(excepted.output) == set()
    softened = judged(stack, "preview", {"closed-metadata-service": "advisory"})
    assert not softened.failed, softened.output
    assert reported(softened.output) == {("advisory", "closed-metadata-service")}
    wrong = judged(stack, "preview", {"closed-metadata-service": {"exceptNamespaces": "scalr-agents"}})
    assert wrong.failed
    assert "exceptNamespaces" in wrong.output


def test_variables_that_are_no_secrets_are_excepted(fresh: Fresh) -> None:
    stack = stack_of(fresh, "local", {"agents.runs.values.agent.extraEnv": {"TF_VAR_key_pair": "prod"}})
    assert reported(judged(stack, "preview").output) == {("mandatory", "no-plain-tokens")}
    assert reported(judged(stack, "preview", {"no-plain-tokens": {"exceptVariables": ["TF_VAR_key_pair"]}}).output) == set()
