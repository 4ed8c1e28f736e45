"""Where values come from: layers and their precedence, the location of findings, and positions in YAML files."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents.model import yaml_io
from scalr_agents.model.findings import Path, Position, as_path, dotted, error, warning
from scalr_agents.model.maps import is_given
from scalr_agents.model.origins import Document, Layer, broken, combine, locate

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


TEXT = """\
# a comment
agent:
  replicaCount: two
  tolerations:
    - {key: a}
    - key: b
      effect: NoSchedule
  nodeSelector: {kubernetes.io/os: linux, "kubernetes.io/arch": arm64}
shared: &shared
  url: u
one: {<<: *shared, own: 1}
two:
  <<: [*shared, {last: 1}]
twice: 1
twice: 2
1: number
empty:
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("agent",), 2, 1),
        (("agent", "replicaCount"), 3, 3),
        (("agent", "tolerations", 0, "key"), 5, 8),
        (("agent", "tolerations", 1), 6, 7),
        (("agent", "tolerations", 1, "effect"), 7, 7),
        (("agent", "nodeSelector", "kubernetes.io/os"), 8, 18),
        (("agent", "nodeSelector", "kubernetes.io/arch"), 8, 43),
        (("one", "own"), 11, 20),
        (("one", "url"), 10, 3),
        (("two", "url"), 10, 3),
        (("two", "last"), 13, 18),
        (("twice",), 15, 1),
        (("1",), 16, 1),
        # what the file does not have: the nearest above it
        (("agent", "replicaCounts"), 2, 1),
        (("agent", "tolerations", 2, "key"), 4, 3),
        (("agent", "tolerations", "key"), 4, 3),
        (("agent", "replicaCount", "deeper"), 3, 3),
        (("empty", "key"), 17, 1),
    ],
)
def test_a_key_or_an_item_has_a_position(path: Path, line: int, column: int) -> None:
    assert Document("values.yaml", TEXT).position(path) == Position("values.yaml", line, column)


@pytest.mark.parametrize("path", [(), ("nothing",), (0,)])
@pytest.mark.parametrize("text", [TEXT, "", "- a list\n"])
def test_an_unknown_path_has_only_the_file(text: str, path: Path) -> None:
    expected = Position("v.yaml", 1, 3) if (text, path) == ("- a list\n", (0,)) else Position("v.yaml")
    assert Document("v.yaml", text).position(path) == expected


def test_recursive_aliases_end() -> None:
    assert Document("v.yaml", "a: &a {b: *a}\n").position(("a", "b", "b", "b")) == Position("v.yaml", 1, 8)


def test_a_broken_file_has_the_position_of_its_problem() -> None:
    with pytest.raises(yaml_io.YamlError) as caught:
        yaml_io.load_values("a: 1\nb: [\n")
    assert broken("v.yaml", caught.value) == error("", "did not find expected node content", position=Position("v.yaml", 3, 1))
    assert str(broken("v.yaml", caught.value)) == "v.yaml:3:1: error: did not find expected node content"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("agent.tolerations[0].key", ("agent", "tolerations", 0, "key")),
        (r"nodeSelector.kubernetes\.io/os", ("nodeSelector", "kubernetes.io/os")),
        ('secrets.runs.mirrorTokens["host.example:8443"]', ("secrets", "runs", "mirrorTokens", "host.example:8443")),
        ("[1][2]", (1, 2)),
    ],
)
def test_a_dotted_path_has_parts(text: str, path: Path) -> None:
    assert as_path(text) == path


@given(st.lists(st.one_of(st.integers(0, 99), st.text("ab./-_", min_size=1)), max_size=5))
def test_parts_reverses_dotted(path: list[str | int]) -> None:
    assert as_path(dotted(path)) == tuple(path)
