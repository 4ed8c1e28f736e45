"""Tokens of provider network mirrors in programs: secret wherever they are, and unknown as long as they must be."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest
from pulumi.output import UNKNOWN
from pulumi.runtime import rpc
from scalr_agents.charts.shared import secrets

from tests.helpers.components import program, record
from tests.helpers.recording import Recording, Registration, Secret, run

VARIABLE = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"
MIRRORS: list[dict[str, Any]] = [{"url": "https://a.acme/providers/", "include": ["*/acme"]}, {"url": "https://b.acme:8443/"}]
FILLED = [MIRRORS[0] | {"token": "hidden"}, MIRRORS[1]]
ARGS: dict[str, Any] = {
    "namespace": "scalr",
    "url": "https://acme.scalr.io",
    "token": "s3cr3t-token",
    "agent_version": "1.4.0",
    "values": {"agent": {"providerNetworkMirrors": MIRRORS}},
}
PARTS = {"AgentJob": "it-controller", "AgentController": "it", "AgentLocal": "it"}
"""The components that hold an agent's Secrets, or whose part does."""
WRAPPERS: dict[str, Callable[[str], Any]] = {"plain": str, "output": pulumi.Output.from_input, "secret": pulumi.Output.secret}

every_component = pytest.mark.parametrize("component", PARTS)
wrapped = pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)


def deployed(component: str, wrap: Callable[[str], Any]) -> Recording:
    return record(component, lambda: {**ARGS, "mirror_tokens": {"a.acme": wrap("hidden")}})


def part(recording: Recording, component: str, role: str) -> Registration:
    return recording[f"{PARTS[component]}-{role}"]


def variables(content: Any) -> list[Mapping[str, Any]]:
    """The variable wherever it stands."""
    if isinstance(content, Mapping):
        return [content] if content.get("name") == VARIABLE else variables(list(content.values()))
    return [found for item in content for found in variables(item)] if isinstance(content, list) else []


@wrapped
@every_component
def test_the_mirror_list_is_only_in_the_agent_s_secret(component: str, wrap: Callable[[str], Any]) -> None:
    recording = deployed(component, wrap)
    secret = part(recording, component, "env-secret").inputs
    assert list(secret["stringData"]) == [VARIABLE]
    content = secret["stringData"][VARIABLE]
    assert isinstance(content, Secret)
    assert json.loads(content.value) == FILLED
    reference = {"secretKeyRef": {"name": secret["metadata"]["name"], "key": VARIABLE, "optional": False}}
    found = [variable for resource in recording.resources for variable in variables(resource.inputs)]
    assert found == [{"name": VARIABLE, "valueFrom": reference}] * (1 if component == "AgentLocal" else 2)
    assert "hidden" not in recording.readable


@wrapped
@every_component
def test_pods_roll_when_a_token_changes(component: str, wrap: Callable[[str], Any]) -> None:
    recording = deployed(component, wrap)
    content = part(recording, component, "env-secret").inputs["stringData"][VARIABLE].value
    annotations = part(recording, component, "deployment").inputs["spec"]["template"]["metadata"]["annotations"]
    assert annotations["checksum/secrets"] == secrets.digest({"token": {"token": "s3cr3t-token"}, "env": {VARIABLE: content}})


@every_component
def test_a_token_unknown_in_a_preview(component: str) -> None:
    def args() -> dict[str, Any]:
        made = pulumi.CustomResource("test:index:Token", "mirror")
        unknown = pulumi.Output.all(made.urn, UNKNOWN).apply(lambda both: str(both[1]))
        return {**ARGS, "mirror_tokens": {"a.acme": unknown}}

    recording = run(program(component, args), preview=True)
    assert recording.error is None
    assert part(recording, component, "env-secret").inputs["stringData"] == {VARIABLE: Secret(rpc.UNKNOWN)}
    annotations = part(recording, component, "deployment").inputs["spec"]["template"]["metadata"]["annotations"]
    assert annotations["checksum/secrets"] == rpc.UNKNOWN
    found = [variable["valueFrom"]["secretKeyRef"]["key"] for resource in recording.resources for variable in variables(resource.inputs)]
    assert found == [VARIABLE] * (1 if component == "AgentLocal" else 2)
    assert "mirror" in recording.depends(f"{PARTS[component]}-env-secret")
    assert "mirror" in recording.depends(f"{PARTS[component]}-deployment")


@every_component
def test_without_tokens_the_list_is_plain(component: str) -> None:
    recording = record(component, ARGS)
    assert f"{PARTS[component]}-env-secret" not in recording.names
    found = [variable for resource in recording.resources for variable in variables(resource.inputs)]
    assert [json.loads(variable["value"]) for variable in found] == [MIRRORS] * (1 if component == "AgentLocal" else 2)
