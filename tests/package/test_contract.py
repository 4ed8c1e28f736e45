"""Changes that break programs, stack files or scripts are detected, and announced in the changelog."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.package import contract

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


@pytest.mark.parametrize(("path", "value", "found"), CASES, ids=[found or "no change" for _, _, found in CASES])
def test_changes_are_detected(path: tuple[str, ...], value: Any, found: str) -> None:
    differences = contract.changes(contract.items(OLD), contract.items(changed(path, value)))
    assert [*map(str, differences)][:1] == ([found] if found else [])


def test_breaking_changes_are_in_the_changelog() -> None:
    released = contract.read(contract.RELEASED.read_text(encoding="utf-8"))
    unreleased = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8").partition("## [Unreleased]")[2]
    announced = set(re.findall(r"`([^`]+)`", re.split(r"^## \[", unreleased, maxsplit=1, flags=re.MULTILINE)[0]))
    breaking = [change for change in contract.changes(released, contract.of_package()) if change.breaks]
    missing = [str(change) for change in breaking if not announced & {change.name, re.sub(" (--help|-h)$", "", change.name)}]
    assert missing == [], "say under [Unreleased] in CHANGELOG.md what these changes mean for programs, with their names in backquotes"
