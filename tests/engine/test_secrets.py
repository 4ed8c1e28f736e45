"""Secrets are only in the cluster's Secrets, not in the state, printed text or outputs."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import scalr_agents
from scalr_agents.charts.shared import secrets

from tests.engine.stacks import Deployment, Outcome
from tests.engine.team import HIDDEN, WORDS
from tests.helpers.provider_errors import NO_POD


def found(text: str) -> set[str]:
    """The secrets that a text has, as they are or encoded."""
    return {place for place, value in HIDDEN.items() if any(form in text for form in _forms(value))}


def _forms(value: str) -> set[str]:
    """A secret in all of its notations, and the middle of it, which is the same in most encodings of what it is a part of."""
    inside = next(line for line in value.splitlines() if line.startswith("hidden"))
    return {value, inside, json.dumps(value)[1:-1], base64.b64encode(value.encode()).decode(), base64.b64encode(inside.encode()).decode()}


def test_no_operation_prints_a_secret(fresh: Callable[[str], Deployment]) -> None:
    stack = fresh("local")
    stack.edit(WORDS)
    stack.set_secrets(HIDDEN)
    seen: dict[str, Any] = {"planned": stack.preview(), "first": stack.up()}
    assert not seen["first"].failed, seen["first"].output
    state, outputs = stack.state(), json.dumps(stack.resources()["scalr-agents-local"]["outputs"])
    held = json.dumps({key: content for key, content in stack.cluster.objects.items() if key.startswith("Secret/")})
    elsewhere = json.dumps({key: content for key, content in stack.cluster.objects.items() if not key.startswith("Secret/")})

    stack.set_secrets({"runs.token": "hidden-token-of-runs-2"})
    stack.cluster.unready = {
        key.replace("/scalr-agents/", "/"): NO_POD for key in stack.cluster.objects if key.startswith("Deployment/scalr-agents/")
    }
    seen["rotated"] = stack.up()
    assert seen["rotated"].failed
    seen["gone"] = stack.destroy()
    assert not seen["gone"].failed

    assert found(held) == HIDDEN.keys()
    assert found(elsewhere) == set()
    assert found(state) == set()
    assert found(outputs) == set()
    assert {name: found(outcome.everything) for name, outcome in seen.items()} == {name: set() for name in seen}


def test_failures_print_no_secret(fresh: Callable[[str], Deployment]) -> None:
    stack = fresh("local")
    stack.edit(WORDS | {"agents.runs.values.agent.replicaCoun": 1})
    stack.set_secrets({**HIDDEN, "nobody.token": HIDDEN["runs.token"], "vcs.env.A B": HIDDEN["vcs.env.GIT_PASSWORD"]})
    failed: Outcome = stack.up()
    assert failed.failed
    places = set(re.findall(r"error: scalr-agents:(\S+?):? ", failed.output))
    assert places == {"agents.runs.values.agent.replicaCoun", "secrets.nobody", "secrets.vcs.env.A"}
    assert found(failed.everything) == set()


def test_a_weak_secret_cannot_be_guessed_from_the_digest(fresh: Callable[[str], Deployment]) -> None:
    """An attacker with the digest tries all PINs: none matches without the key, which is encrypted in the state."""
    stack = fresh("local")
    stack.edit({"agents.runs.values.agent.tokenExistingSecret": {"name": "pool"}})
    stack.set_secrets({"runs.env.PIN": "4711"})
    first = stack.up()
    assert not first.failed, first.output
    key = stack.resources()["runs-controller-digest-key"]
    assert set(key["outputs"]) == {"input", "output"}
    assert all(set(content) > {"ciphertext"} for content in (key["inputs"]["input"], *key["outputs"].values()))
    seen = digest(stack)
    assert seen not in {secrets.digest({"env": {"PIN": f"{pin:04}"}}, guess) for pin in range(10000) for guess in ("", "runs", "local")}
    assert stack.preview().steps == {}
    assert stack.up().steps == stack.refresh().steps == {}

    stack.set_secrets({"runs.env.PIN": "0815"})
    changed = stack.up()
    assert changed.steps == {"runs-controller-env-secret": ("update",), "runs-controller-deployment": ("update",)}
    assert digest(stack) != seen
    stack.set_secrets({"runs.env.PIN": "4711"})
    assert not stack.up().failed
    assert digest(stack) == seen


def digest(stack: Deployment) -> str:
    annotations = stack.cluster.objects["Deployment/scalr-agents/runs-agent-job"]["spec"]["template"]["metadata"]["annotations"]
    return str(annotations["checksum/secrets"])


def _with_a_number_for_a_secret() -> None:
    secret: Any = pulumi.Output.secret(1234567)
    cluster = pulumi.ProviderResource("kubernetes", "cluster", {"kubeconfig": "x"})
    args: Any = {
        "namespace": "scalr",
        "agent_version": "1.4.0",
        "token": secret,
        "secret_env": {"A": secret},
        "mirror_tokens": {"a.acme": secret},
        "values": {"agent": {"providerNetworkMirrors": [{"url": "https://a.acme/"}]}},
    }
    namespace = kubernetes.core.v1.Namespace("scalr", metadata={"name": "scalr"}, opts=pulumi.ResourceOptions(provider=cluster))
    crds = scalr_agents.AgentCrds("crds", opts=pulumi.ResourceOptions(provider=cluster))
    scalr_agents.AgentJob("it", args, pulumi.ResourceOptions(provider=cluster, depends_on=[namespace, crds]))


def test_secret_outputs_of_other_types_are_not_printed(fresh: Callable[[str], Deployment]) -> None:
    """An error on the type may repeat the value: the API server does so."""

    stack = fresh("local")
    stack.program = _with_a_number_for_a_secret
    failed = stack.up()
    assert failed.failed
    # The Secrets and the digest of all secrets refuse it, and the engine prints whoever comes first.
    assert re.search(r"cannot be deployed: .*not a string: (A\b|.*token)", failed.output)
    assert "Traceback" not in failed.output
    assert "1234567" not in failed.everything + stack.state()
    assert failed.called("create").count("it-controller-deployment") == 0
