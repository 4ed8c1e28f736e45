"""Values are merged as Helm merges them."""

from copy import deepcopy
from typing import Any

import pytest
from scalr_agents.model.maps import coalesce, everything, lookup, merge


@pytest.mark.parametrize(
    ("base", "override", "merged"),
    [
        ({}, {}, {}),
        ({"a": 1}, {}, {"a": 1}),
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, {"a": 1, "b": 3, "c": 4}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        ({"a": [1, 2, 3]}, {"a": [4]}, {"a": [4]}),
        ({"a": [{"b": 1}]}, {"a": [{"c": 2}]}, {"a": [{"c": 2}]}),
        ({"a": [1]}, {"a": []}, {"a": []}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}),
        ({"a": 2}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": {"b": 1}}, {"a": {"b": None}}, {"a": {"b": None}}),
        ({"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": 1}, {"a": 0}, {"a": 0}),
        ({"a": True}, {"a": False}, {"a": False}),
        ({"a": "x"}, {"a": ""}, {"a": ""}),
    ],
)
def test_maps_merge_and_everything_else_is_replaced(base: dict[str, Any], override: dict[str, Any], merged: dict[str, Any]) -> None:
    before = deepcopy((base, override))
    assert merge(base, override) == merged
    assert (base, override) == before


def test_new_keys_follow_those_of_the_base() -> None:
    assert list(merge({"b": 1, "a": {"y": 1}}, {"c": 1, "a": {"x": 1}, "b": 2})) == ["b", "a", "c"]


def test_leaves_are_not_copied() -> None:
    output, items = object(), [1]
    merged = merge({"a": {"b": output, "c": 1}}, {"a": {"d": items}})
    assert merged["a"]["b"] is output
    assert merged["a"]["d"] is items


@pytest.mark.parametrize(
    ("default", "given_values", "coalesced"),
    [
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({"a": {"b": 1}}, {"a": {"b": None}}, {"a": {}}),
        ({"a": {"b": 1}}, {"a": None}, {}),
        ({"a": None, "b": {"c": None}}, {"d": 1}, {"b": {}, "d": 1}),
        ({"a": 1}, {"b": None}, {"a": 1}),
        ({"a": [1]}, {"a": [None, {"b": None}]}, {"a": [None, {"b": None}]}),
        ({}, {"a": None, "b": 0, "c": "", "d": False}, {"b": 0, "c": "", "d": False}),
        ({}, {"a": {"b": None, "c": {"d": None}}}, {"a": {"c": {}}}),
    ],
)
def test_a_null_removes_a_default(default: dict[str, Any], given_values: dict[str, Any], coalesced: dict[str, Any]) -> None:
    assert coalesce(default, given_values) == coalesced


@pytest.mark.parametrize(
    ("values", "path", "found"),
    [
        ({"a": {"b": 1}}, ["a", "b"], 1),
        ({"a": {"b": 1}}, ["a"], {"b": 1}),
        ({"a": {"b": None}}, ["a", "b"], None),
        ({"a": {"b": 1}}, ["a", "c"], None),
        ({"a": {"b": 1}}, ["a", "b", "c"], None),
        ({"a": "x"}, ["a", "b"], None),
        ({"a": [1]}, ["a", "[0]"], None),
        (None, ["a"], None),
        ({"a": 1}, [], {"a": 1}),
    ],
)
def test_values_are_looked_up_by_path(values: Any, path: list[str], found: Any) -> None:
    assert lookup(values, *path) == found


def test_everything_in_nested_maps_and_lists_has_its_path() -> None:
    later = object()
    given = {"a": [{"b": later}, "text"], "c": ()}
    assert list(everything(given, ("x",))) == [
        (("x",), given),
        (("x", "a"), given["a"]),
        (("x", "a", 0), {"b": later}),
        (("x", "a", 0, "b"), later),
        (("x", "a", 1), "text"),
        (("x", "c"), ()),
    ]
