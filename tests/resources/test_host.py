"""The component host: inputs of programs in other languages, and their effect."""

import re
from dataclasses import replace
from typing import Any, cast

import pulumi
import pytest
import scalr_agents

from tests.helpers.cloud_arguments import mismatches
from tests.helpers.components import record
from tests.helpers.recording import Recording, opened, run
from tests.resources import host
from tests.resources.host_inputs import ARGUMENTS, CONNECTION, INPUTS, NESTED


@pytest.fixture(scope="module")
def provider() -> Any:
    return host.provider()


def construct(provider: Any, component: str, inputs: dict[str, Any]) -> Recording:
    return run(lambda: provider.construct("it", f"scalr-agents:index:{component}", inputs))


def refused(provider: Any, component: str, inputs: dict[str, Any]) -> list[str]:
    """The errors of a component that registers nothing because of them."""
    found: list[str] = []

    def program() -> None:
        with pytest.raises(pulumi.InputPropertiesError) as raised:
            provider.construct("it", f"scalr-agents:index:{component}", inputs)
        assert type(raised.value) is pulumi.InputPropertiesError
        assert raised.value.errors == []  # the engine prints the values of properties that are named here
        found.extend(line.removeprefix("  error: ") for line in raised.value.message.splitlines()[1:] if line.startswith("  error: "))

    assert run(program).names == []
    return found


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda match: match[1].upper(), name)


def _snake(name: str) -> str:
    return re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", name)


def _typed_dict(component: str) -> type:
    return cast(type, getattr(scalr_agents, ARGUMENTS.get(component, f"{component}Args")))


def _as_python(inputs: dict[str, Any]) -> dict[str, Any]:
    """What a Python program would write."""
    return {_snake(word): _words_as_python(content) if word in NESTED else _whole(content) for word, content in inputs.items()}


def _words_as_python(content: Any) -> Any:
    return _as_python(content) if isinstance(content, dict) else [_as_python(item) for item in content]


def _whole(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _whole(item) for key, item in content.items()}
    return int(content) if isinstance(content, float) else content


def _made(recording: Recording) -> list[tuple[Any, ...]]:
    return sorted(
        (r.name, r.type, r.parent, sorted(r.dependencies), str(sorted(r.timeouts.items())), _ordered(r.inputs)) for r in recording.resources
    )


def _ordered(content: Any) -> str:
    """A map as text, whatever the order of its keys."""
    if isinstance(content, dict):
        return str(sorted((key, _ordered(item)) for key, item in content.items()))
    return str([_ordered(item) for item in content]) if isinstance(content, list) else repr(content)


@pytest.mark.parametrize("component", INPUTS)
def test_inputs_are_the_arguments_in_camel_case(provider: Any, component: str) -> None:
    schema = provider._component_defs[component]
    assert list(schema.inputs) == [_camel(name) for name in _typed_dict(component).__annotations__]
    required = {_camel(name) for name in cast(Any, _typed_dict(component)).__required_keys__}
    assert {name for name, definition in schema.inputs.items() if not definition.optional} == required
    assert schema.inputs_mapping == {_camel(name): name for name in _typed_dict(component).__annotations__}


def test_every_component_is_hosted(provider: Any) -> None:
    assert set(provider._component_defs) == set(INPUTS)


@pytest.mark.parametrize("component", INPUTS)
def test_inputs_of_other_languages_match_python(provider: Any, component: str) -> None:
    hosted = construct(provider, component, INPUTS[component])
    assert hosted.error is None
    written = record(component, _as_python(INPUTS[component]))
    assert _made(hosted) == _made(written)
    assert len(hosted.resources) > 1
    assert hosted.outputs["it"] == written.outputs["it"]


@pytest.mark.parametrize("component", ["Ec2Agents", "EfsCache", "EfsClaim", "EfsCsiDriver", "FilestoreCache", "GceAgents"])
def test_every_argument_exists_in_the_sdk_of_the_cloud(component: str) -> None:
    made = record(component, _as_python(INPUTS[component])).resources
    sent = [replace(resource, inputs=opened(resource.inputs)) for resource in made if resource.type.startswith(("aws:", "gcp:"))]
    assert sent
    assert [problem for resource in sent for problem in mismatches(resource)] == []


@pytest.mark.parametrize(
    ("component", "inputs", "reason"),
    [
        ("AgentLocal", {**CONNECTION, "values": {"replicaCont": 2.0}}, "unknown key 'replicaCont'; did you mean 'replicaCount'?"),
        ("AgentK8s", {**CONNECTION, "rolloutTimeoutSeconds": 60.5}, "expected a whole number, given the number 60.5"),
        (
            "AgentCrds",
            {"agentVersion": "0.61.0"},
            "agent-job does not support agent version 0.61.0; supported: 0.57 to 0.60; 0.61.3 or newer",
        ),
        (
            "FilestoreCache",
            {"location": "europe-west1-b", "exportOptions": [{"anonUid": 1.5}]},
            "expected a whole number, given the number 1.5",
        ),
    ],
)
def test_findings_are_errors_of_the_arguments(provider: Any, component: str, inputs: dict[str, Any], reason: str) -> None:
    (message,) = refused(provider, component, inputs)
    assert message.partition(": ")[2].startswith(reason)


def test_a_missing_argument_is_an_error(provider: Any) -> None:
    def program() -> None:
        with pytest.raises(pulumi.InputPropertyError) as raised:
            provider.construct("it", "scalr-agents:index:AgentLocal", {"url": "https://acme.scalr.io"})
        assert (raised.value.property_path, raised.value.reason) == ("namespace", "Missing required input 'namespace' on 'AgentLocal'")

    assert run(program).names == []
