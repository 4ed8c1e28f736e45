"""Changes that break programs, stack files or scripts are detected, and announced in the changelog."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.package import contract, public_names
from tests.package.contract import Item
from tests.package.public_names import Key

REPOSITORY = Path(__file__).parents[2]
OLD: dict[str, Any] = {
    "resources": {
        "p:index:Agent": {
            "inputProperties": {"name": {"type": "string", "plain": True}, "values": {"$ref": "#/types/p:index:Values"}},
            "requiredInputs": ["name"],
            "properties": {"pod": {"type": "string"}, "rack": {"type": "string"}},
            "required": ["pod"],
        }
    },
    "types": {
        "p:index:Values": {
            "properties": {
                "count": {"type": "integer", "plain": True},
                "env": {"additionalProperties": {"type": "string"}, "plain": True},
                "format": {"$ref": "#/types/p:index:Format", "plain": True},
                "rules": {"items": {"$ref": "pulumi.json#/Any"}, "plain": True},
                "size": {"oneOf": [{"type": "string", "plain": True}, {"type": "number", "plain": True}], "plain": True},
            },
            "required": ["count"],
        },
        "p:index:Format": {"enum": [{"name": "Json", "value": "json"}, {"name": "Default", "value": ""}]},
    },
}
ARGUMENTS = ("resources", "p:index:Agent", "inputProperties")
OUTPUTS = ("resources", "p:index:Agent", "properties")
KEYS = ("types", "p:index:Values", "properties")


def changed(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The schema with something else at a path. `None` removes it."""
    new: dict[str, Any] = json.loads(json.dumps(OLD))
    at = new
    for part in path[:-1]:
        at = at[part]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return new


TEXT = {"type": "string", "plain": True}
CASES = [
    ((*ARGUMENTS, "name"), None, "breaking: Agent.name: argument removed"),
    ((*ARGUMENTS, "url"), TEXT, "compatible: Agent.url: new argument"),
    ((*ARGUMENTS, "name"), {"type": "integer", "plain": True}, "breaking: Agent.name: argument string became argument integer"),
    ((*ARGUMENTS, "name"), {"type": "string"}, "breaking: Agent.name: argument string became argument eventual string"),
    ((*ARGUMENTS, "name"), {**TEXT, "description": "new words", "secret": True}, ""),
    (("resources", "p:index:Agent", "requiredInputs"), [], "compatible: Agent.name: argument became optional"),
    (("resources", "p:index:Agent", "requiredInputs"), ["name", "values"], "breaking: Agent.values: argument became required"),
    ((*OUTPUTS, "rack"), None, "breaking: Agent > rack: output removed"),
    ((*OUTPUTS, "node"), {"type": "string"}, "compatible: Agent > node: new output"),
    (("resources", "p:index:Agent", "required"), ["pod", "rack"], "breaking: Agent > rack: output became required"),
    (("resources", "p:index:Agent", "required"), [], "breaking: Agent > pod: output became optional"),
    ((*KEYS, "env"), None, "breaking: Values.env: key removed"),
    ((*KEYS, "image"), TEXT, "compatible: Values.image: new key"),
    ((*KEYS, "env", "additionalProperties"), TEXT, "breaking: Values.env: key map of eventual string became key map of string"),
    ((*KEYS, "rules", "items"), TEXT, "breaking: Values.rules: key list of eventual Any became key list of string"),
    ((*KEYS, "size", "oneOf"), [TEXT, TEXT], "breaking: Values.size: key string or number became key string or string"),
    (("types", "p:index:Values", "required"), ["count", "size"], "breaking: Values.size: key became required"),
    (("types", "p:index:Format", "enum"), [{"value": "json"}], 'breaking: Format."": value removed'),
    (("types", "p:index:Format", "enum"), [{"value": ""}, {"value": "json"}, {"value": "dev"}], 'compatible: Format."dev": new value'),
    (("types", "p:index:New"), {"properties": {"a": TEXT}, "required": ["a"]}, "compatible: New: new type"),
]
"""What is changed, and the first difference that is found."""


@pytest.fixture(scope="module")
def current() -> dict[str, Item]:
    """The contract of the package, which takes a second to find."""
    return contract.of_package()


@pytest.mark.parametrize(("path", "value", "found"), CASES, ids=[found or "no change" for _, _, found in CASES])
def test_changes_are_detected(path: tuple[str, ...], value: Any, found: str) -> None:
    differences = contract.changes(contract.items(OLD), contract.items(changed(path, value)))
    assert [*map(str, differences)][:1] == ([found] if found else [])


def test_a_new_key_breaks_only_if_it_is_required() -> None:
    new = changed((*KEYS, "image"), TEXT)
    new["types"]["p:index:Values"]["required"].append("image")
    assert [*map(str, contract.changes(contract.items(OLD), contract.items(new)))] == ["breaking: Values.image: new required key"]


DAYS = {"anyOf": [{"type": "integer", "default": 90}, {"type": "string"}, {"type": "null"}]}
FILE = {
    "properties": {
        "config": {
            "properties": {
                "p:agents": {"anyOf": [{"additionalProperties": {"$ref": "#/definitions/Agent"}}, {"type": "null"}]},
                "p:tls": {"type": "object", "properties": {"mode": {"enum": ["on", "off"], "default": "on"}, "days": DAYS}},
            }
        }
    },
    "definitions": {
        "Agent": {
            "properties": {"kind": {"const": "job"}, "values": {"$ref": "#/definitions/Values"}, "after": {"$ref": "#/definitions/Agent"}},
            "required": ["kind"],
            "allOf": [{"properties": {"nodes": {"items": {"properties": {"name": {}}}}}}],
        },
        "Values": {"properties": {"count": {}}},
    },
}


def test_the_keys_of_a_stack_file() -> None:
    assert list(public_names.stack_keys(FILE)) == [
        Key("p:agents", "map of section"),
        Key("p:agents.*.kind", "any", required=True),
        Key('p:agents.*.kind="job"'),
        Key("p:agents.*.values", "section"),
        Key("p:agents.*.after", "section"),
        Key("p:agents.*.nodes", "list of section"),
        Key("p:agents.*.nodes.name", "any"),
        Key("p:tls", "section"),
        Key("p:tls.mode", 'any = "on"'),
        Key('p:tls.mode="on"'),
        Key('p:tls.mode="off"'),
        Key("p:tls.days", "integer or string = 90"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "scalr-agents:agents.*.kind: required key string",
        "scalr-agents:kubernetes.rolloutTimeoutSeconds: key integer = 300",
        'scalr-agents:kubernetes.crds="expect": value',
        "scalr-agents doctor --format: command",
        "scalr_agents.AgentJob: name",
    ],
)
def test_each_kind_of_word_is_under_contract(line: str, current: dict[str, Item]) -> None:
    item = next(iter(contract.read(line).values()))
    assert current[item.name] == item
    others = {name: each for name, each in current.items() if name != item.name}
    assert [str(change) for change in contract.changes(current, others)] == [f"breaking: {item.name}: {item.kind} removed"]


def test_another_default_of_a_key_breaks() -> None:
    old, new = (contract.read(f"p:tls.days: key integer = {days}\n") for days in (90, 30))
    assert [*map(str, contract.changes(old, new))] == ["breaking: p:tls.days: key integer = 90 became key integer = 30"]


def test_a_required_key_breaks_only_where_its_section_was() -> None:
    old = contract.read("p:agents: key map of section\n")
    new = old | contract.read("p:agents.*.kind: required key any\np:tls: key section\np:tls.mode: required key any\n")
    assert [change.name for change in contract.changes(old, new) if change.breaks] == ["p:agents.*.kind"]


def test_the_contract_file_is_read_back() -> None:
    items = contract.items(OLD)
    assert contract.read(contract.written(items)) == items
    assert items["Agent.name"] == Item("Agent.name", "argument", "string", required=True)


def test_breaking_changes_are_in_the_changelog(current: dict[str, Item]) -> None:
    released = contract.read(contract.RELEASED.read_text(encoding="utf-8"))
    unreleased = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8").partition("## [Unreleased]")[2]
    announced = set(re.findall(r"`([^`]+)`", re.split(r"^## \[", unreleased, maxsplit=1, flags=re.MULTILINE)[0]))
    missing = [str(change) for change in contract.changes(released, current) if change.breaks and change.name not in announced]
    assert missing == [], "say under [Unreleased] in CHANGELOG.md what these changes mean for programs, with their names in backquotes"
