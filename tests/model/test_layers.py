"""Layers of values: precedence, and the location of findings."""

from typing import Any

import pytest
from scalr_agents.model.findings import Position, as_path, error, warning
from scalr_agents.model.maps import is_given
from scalr_agents.model.origins import Layer, combine, locate

PLACE = ("scalr-agents:agents", "runs")
SETTING = Layer(as_path("scalr-agents:common.url"), {"agent": {"url": "https://acme.scalr.io"}}, from_setting=True)
IN_FILE: dict[str, Any] = {"agent": {"url": None, "nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": [{"key": "a"}]}}
FILE = Layer(as_path(""), IN_FILE, file="values/dev.yaml")
VALUES = Layer((*PLACE, "values"), {"agent": {"replicaCount": 2, "podLabels": "x"}, "task": None})
LAYERS = [SETTING, FILE, VALUES]


@pytest.mark.parametrize(
    ("layer", "path", "place"),
    [
        (SETTING, "agent.url", "scalr-agents:common.url"),
        (SETTING, "", "scalr-agents:common.url"),
        (FILE, "agent.url", "agent.url"),
        (FILE, "agent.tolerations[0].key", "agent.tolerations[0].key"),
        (VALUES, "agent.url", "scalr-agents:agents.runs.values.agent.url"),
        (VALUES, "[0]", "scalr-agents:agents.runs.values[0]"),
        (VALUES, "", "scalr-agents:agents.runs.values"),
        (Layer(as_path(""), {}), "agent.url", "agent.url"),
    ],
)
def test_places_are_written_as_paths_in_files(layer: Layer, path: str, place: str) -> None:
    position = Position("values/dev.yaml") if layer is FILE else None
    assert layer.at_source(error(path, "x")) == error(place, "x", position=position)


def test_later_layers_win() -> None:
    assert combine(LAYERS) == {
        "agent": {
            "url": None,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "tolerations": [{"key": "a"}],
            "replicaCount": 2,
            "podLabels": "x",
        },
        "task": None,
    }
    assert combine(LAYERS[::-1])["agent"]["url"] == "https://acme.scalr.io"


@pytest.mark.parametrize(
    ("values", "path", "said"),
    [
        ({}, ["a"], False),
        ({"a": 1}, ["a"], True),
        ({"a": None}, ["a"], True),
        ({"a": {}}, ["a"], True),
        ({"a": {}}, ["a", "b"], False),
        ({"a": {"b": 0}}, ["a", "b"], True),
        ({"a": {"b": 0}}, ["a", "c"], False),
        ({"a": None}, ["a", "b"], True),
        ({"a": "x"}, ["a", "b"], True),
        ({"a": [{"b": 1}]}, ["a", 0, "c"], True),
        ({"a": 1}, [], True),
    ],
)
def test_scalars_and_lists_belong_to_one_layer(values: dict[str, Any], path: list[str | int], said: bool) -> None:
    assert is_given(values, path) is said


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("agent.url", "agent.url"),
        ("agent.replicaCount", "scalr-agents:agents.runs.values.agent.replicaCount"),
        ("agent.nodeSelector.kubernetes\\.io/os", "agent.nodeSelector.kubernetes\\.io/os"),
        ("agent.nodeSelector.kubernetes\\.io/arch", "scalr-agents:agents.runs.values.agent.nodeSelector.kubernetes\\.io/arch"),
        ("agent.tolerations[0].effect", "agent.tolerations[0].effect"),
        ("agent.podLabels.team", "scalr-agents:agents.runs.values.agent.podLabels.team"),
        ("task.runner.image.tag", "scalr-agents:agents.runs.values.task.runner.image.tag"),
        ("agent", "scalr-agents:agents.runs.values.agent"),
        ("otel.enabled", "scalr-agents:agents.runs.values.otel.enabled"),
        ("", "scalr-agents:agents.runs.values"),
    ],
)
def test_a_finding_is_located_in_the_last_layer_with_its_value(path: str, place: str) -> None:
    located = locate(warning(path, "is odd"), LAYERS, (*PLACE, "values"))
    in_file = Position("values/dev.yaml") if place == path else None
    assert located == warning(place, "is odd", position=in_file)


def test_without_layers_a_finding_is_in_the_default_place() -> None:
    assert locate(error("agent.url", "is wrong"), [], PLACE) == error((*PLACE, "agent", "url"), "is wrong")
