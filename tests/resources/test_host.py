"""The component host: inputs of programs in other languages, and their effect."""

import inspect
import re
from typing import Any, cast

import pulumi
import pytest
import scalr_agents

from tests.helpers.components import record
from tests.helpers.recording import Recording, run
from tests.resources import host
from tests.resources.host_inputs import ARGUMENTS, CA, CONNECTION, INPUTS, NESTED


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


_NESTED = (
    *("EfsClientsArgs", "FilestoreExportOptionArgs", "MachinePackageArgs", "MachineVolumeArgs"),
    *("NetworkArgs", "EgressArgs", "EgressEntryArgs"),
    "ScalingArgs",
    *("RemoteSecretArgs", "SecretStoreArgs", "SecretsFromArgs"),
)


@pytest.mark.parametrize("nested", _NESTED)
def test_nested_inputs_are_in_camel_case(provider: Any, nested: str) -> None:
    assert list(provider._type_defs[nested].properties) == [_camel(name) for name in getattr(scalr_agents, nested).__annotations__]


def test_no_other_arguments_are_nested(provider: Any) -> None:
    assert set(provider._type_defs) == {*_NESTED}
    assert provider._component_defs["AgentJob"].inputs["secretsFrom"].ref.endswith("SecretsFromArgs")
    assert provider._component_defs["EfsCache"].inputs["clients"].ref.endswith("EfsClientsArgs")
    assert provider._component_defs["FilestoreCache"].inputs["exportOptions"].items.ref.endswith("FilestoreExportOptionArgs")


@pytest.mark.parametrize("component", INPUTS)
def test_outputs_are_the_attributes_in_camel_case(provider: Any, component: str) -> None:
    attributes = [name for name in inspect.get_annotations(getattr(scalr_agents, component)) if not name.startswith("_")]
    assert list(provider._component_defs[component].outputs) == [_camel(name) for name in attributes]


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


@pytest.mark.parametrize(
    ("component", "sent"),
    [
        (
            "AgentJob",
            [
                "mirror.acme/agent:1",
                "mirror.acme/runner:1",
                "'shared'",
                "60s",
                "'arn'",
                "'TF_TOKEN_acme'",
                "'COUNT_OF', 'value': '5'",
                "m1rr0r",
            ],
        ),
        (
            "AgentLocal",
            ["mirror.acme/agent:1", "'shared'", "60s", "420s", "'arn'", "'TF_TOKEN_acme'", "'COUNT_OF', 'value': '5'", "m1rr0r"],
        ),
        ("AgentK8s", ["mirror.acme/agent:1", "60s", "1020s", "'arn'", "'TF_TOKEN_acme'", "'COUNT_OF', 'value': '5'"]),
        ("EfsCache", ["'sg-0a1b'", "'10.0.0.0/16'", "'AFTER_30_DAYS'", "'costCenter'", "'provisioned'", "key/1"]),
        ("EfsClaim", ["1001", "1002", "'/cache'", "'fs-00000a1b'"]),
        ("EfsCsiDriver", ["'prod'", "'v2.1.0-eksbuild.1'", "'costCenter'"]),
        ("FilestoreCache", ["10.0.0.0/16", "ROOT_SQUASH", "1001", "1002", "READ_ONLY", "'cost_center'", "'ranges'"]),
        ("FilestoreClaim", ["'10.9.8.7'", "'2Ti'", "agents"]),
    ],
)
def test_every_sent_input_has_an_effect(provider: Any, component: str, sent: list[str]) -> None:
    hosted = construct(provider, component, INPUTS[component])
    text = str([(_sorted(resource.inputs), dict(resource.timeouts)) for resource in hosted.resources])
    assert [word for word in sent if word not in text] == []


def _sorted(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _sorted(content[key]) for key in sorted(content)}
    return [_sorted(item) for item in content] if isinstance(content, list) else content


@pytest.mark.parametrize(
    ("component", "inputs", "reason"),
    [
        ("AgentLocal", {**CONNECTION, "caBundle": CA}, "agent-local of agents 0.57 to 1.0 has no value for certificates"),
        ("AgentLocal", {**CONNECTION, "values": {"replicaCont": 2.0}}, "unknown key 'replicaCont'; did you mean 'replicaCount'?"),
        (
            "AgentK8s",
            {**CONNECTION, "agentVersion": "0.61.0"},
            "agent-k8s does not support agent version 0.61.0; supported: 0.53 to 0.60; 0.61.3 or newer",
        ),
        ("AgentK8s", {**CONNECTION, "rolloutTimeoutSeconds": 60.5}, "expected a whole number, given the number 60.5"),
        (
            "AgentCrds",
            {"agentVersion": "0.61.0"},
            "agent-job does not support agent version 0.61.0; supported: 0.57 to 0.60; 0.61.3 or newer",
        ),
        ("EfsCache", {"eksCluster": "prod", "clients": {"cidrs": ["ten"]}}, "given 'ten'; expected a network"),
        (
            "FilestoreCache",
            {"location": "europe-west1-b", "exportOptions": [{"anonUid": 1.5}]},
            "expected a whole number, given the number 1.5",
        ),
        ("EfsClaim", {**INPUTS["EfsClaim"], "uid": 1.5}, "expected a whole number, given the number 1.5"),
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
