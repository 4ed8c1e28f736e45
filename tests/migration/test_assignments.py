"""The options `--set` and `--set-string`: what is set, and what is refused because Helm reads it in another way."""

from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st
from scalr_agents.migration.template import AssignmentError, assign
from scalr_agents.model import yaml_io
from scalr_agents.model.findings import dotted
from scalr_agents.model.maps import lookup

KNOWN = {"a", "b"}
SEVERAL = "a backslash, a list in braces, or several values in one option; set one value per option, or use a values file (-f)"
EXPECTED = "expected path=value, such as "
MISSING = "a value is missing; "
NOT_PLAIN = "a: not a plain value; "


def assigned(text: str, before: dict[str, Any] | None = None, *, as_text: bool = False) -> dict[str, Any]:
    values = deepcopy(before or {})
    assign(values, text, KNOWN, as_text=as_text)
    return values


def refusal(text: str, before: dict[str, Any] | None = None, *, as_text: bool = False) -> str:
    with pytest.raises(AssignmentError) as caught:
        assigned(text, before, as_text=as_text)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        *("null", "~", "true", "yes", "no", "0", "-5", "1.5", "1e3", "0x10", "007", "1_000", "9" * 5000),
        *("text", "two words", "a,b", "a=b", "a.b[0]", "x}", "12:30", "https://acme.scalr.io", "grüße 😀", "-a", "a#b"),
        *('"quoted, a=b \\t"', "'1'", "''", "[]", "[a, b]", "{}", "{key: a, effect: NoSchedule}", "[{key: a, value: null}]"),
        '{"a": [1, true, null]}',
    ],
)
def test_a_value_is_that_of_a_values_file(text: str) -> None:
    expected = yaml_io.load_values(f"a: {text}\n")
    assert assigned(f"a={text}") == expected
    assert type(assigned(f"a={text}")["a"]) is type(expected["a"])


@pytest.mark.parametrize(
    "text", ["", " ", "null", "true", "007", "1.10", "a,b", "a=b,c", "x # y", "[a", '"', "a: b", "- a\n", "==", "&a *"]
)
def test_a_text_is_taken_as_it_is(text: str) -> None:
    assert assigned(f"a.b={text}", as_text=True) == {"a": {"b": text}}


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ({}, "a.b.c", {"a": {"b": {"c": 1}}}),
        ({}, "a[0]", {"a": [1]}),
        ({}, "a[0][0].b", {"a": [[{"b": 1}]]}),
        ({}, r"a.eks\.amazonaws\.com/role-arn", {"a": {"eks.amazonaws.com/role-arn": 1}}),
        ({}, r"a\,b\=c\[0\]\\", {"a,b=c[0]\\": 1}),
        ({"a": {"b": 2}}, "a.c", {"a": {"b": 2, "c": 1}}),
        ({"a": {"b": 2}}, "a", {"a": 1}),
        ({"a": None}, "a.b", {"a": {"b": 1}}),
        ({"a": [2, 3]}, "a[1]", {"a": [2, 1]}),
        ({"a": [2, 3]}, "a[2].b", {"a": [2, 3, {"b": 1}]}),
        ({"a": [{"b": 2}]}, "a[0].c", {"a": [{"b": 2, "c": 1}]}),
    ],
)
def test_a_path_names_keys_and_items(before: dict[str, Any], path: str, after: dict[str, Any]) -> None:
    assert assigned(f"{path}=1", before) == after


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a.b", "=1", ".a=1", "a.=1", "a..b=1", "a,b=1", "a{b}=1", "a\\", '{"a": 1}', "a=\ud800", ".".join("a" * 31) + "=1"),
        *("[0]=1", "a.[0]=1", "a[x]=1", "a[]=1", "a[-1]=1", "a[0=1", "a[0]b=1", "a[\u0663]=1", f"a[{'9' * 5000}]=1"),
    ],
)
@pytest.mark.parametrize("as_text", [False, True], ids=["set", "set-string"])
def test_what_has_no_path_is_refused(text: str, *, as_text: bool) -> None:
    assert refusal(text, as_text=as_text).startswith(EXPECTED)


@pytest.mark.parametrize("text", ["1,b=2", "x,b=2,", "x,", r"x\,y", r"x\\y", "{x", " {x, y}"])
@pytest.mark.parametrize("as_text", [False, True], ids=["set", "set-string"])
def test_what_helm_reads_in_another_way_is_refused(text: str, *, as_text: bool) -> None:
    assert refusal(f"a={text}", as_text=as_text).startswith((f"a: {SEVERAL}", "a: not valid YAML: ", "a: a map with an empty value; "))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=", MISSING),
        ("a= ", MISSING),
        ("a={x,y}", "a: a map with an empty value; write a list as [a, b]"),
        ("a={x:1,y:2}", "a: a map with an empty value; write a list as [a, b]"),
        ("a=[1],b=2", "a: not valid YAML: "),
        ('a="x" y', "a: not valid YAML: "),
        ("a=[x", "a: not valid YAML: "),
        ("a=" + "[" * 100_000, "a: not valid YAML: "),
        ("a=x: y", NOT_PLAIN),
        ('a="x": y', NOT_PLAIN),
        ("a=- x", NOT_PLAIN),
        ("a=-", NOT_PLAIN),
        ("a=x # y", NOT_PLAIN),
        ("a=1 # y", NOT_PLAIN),
        ("a=#x", NOT_PLAIN),
        ("a=!!str 1", NOT_PLAIN),
        ("a=&x 1", NOT_PLAIN),
        ("a=x\ny", NOT_PLAIN),
    ],
)
def test_what_is_no_single_value_is_refused(text: str, message: str) -> None:
    assert refusal(text).startswith(message)


@pytest.mark.parametrize(
    ("before", "text", "message"),
    [
        ({"a": "x"}, "a.b=1", "a.b: a is not a map"),
        ({"a": [1]}, "a[0].b=1", "a[0].b: a[0] is not a map"),
        ({"a": [1]}, "a.b=1", "a.b: a is not a map"),
        ({"a": {"b": 1}}, "a[0]=1", "a[0]: a is not a list"),
        ({"a": [1]}, "a[2]=1", "a[2]: a has 1 items, so the index can be at most 1"),
        ({}, "a[999999999]=1", "a[999999999]: a has 0 items, so the index can be at most 0"),
    ],
)
def test_a_path_that_the_values_do_not_have_is_refused(before: dict[str, Any], text: str, message: str) -> None:
    assert refusal(text, before) == message


@pytest.mark.parametrize("as_text", [False, True], ids=["set", "set-string"])
@pytest.mark.parametrize("text", ["s3cr3t=", "s3.cr3t==", "s3cr3t=,a=1", "s3cr3t={x", "a", "a=\\s3cr3t"])
def test_what_may_be_a_token_is_not_repeated(text: str, *, as_text: bool) -> None:
    assert "cr3t" not in refusal(text, as_text=as_text)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=5).filter(lambda key: not set(key) & set("\\,=[]{}")), min_size=1, max_size=5), st.text())
def test_a_path_as_findings_print_it_sets_its_value(path: list[str], text: str) -> None:
    assume(":" not in path[0])  # as in keys of stack files, below which keys with dots are quoted
    if set(text) & set("\\{,"):
        text = ""
    values: dict[str, Any] = {}
    assign(values, f"{dotted(path)}={text}", path, as_text=True)
    assert lookup(values, *path) == text


@pytest.mark.parametrize("as_text", [False, True], ids=["set", "set-string"])
@settings(max_examples=300, deadline=None)
@given(
    text=st.text(st.sampled_from("ab.,=[]{}\\012-+\" :'#&*!|\n") | st.characters(), max_size=12),
    prefix=st.sampled_from(["", "a=", "b[0].a="]),
)
def test_any_text_ends_in_values_or_a_refusal(text: str, prefix: str, *, as_text: bool) -> None:
    values: dict[str, Any] = {"a": {"b": [1, "x"]}, "b": [{"a": 1}]}
    with suppress(AssignmentError):
        assign(values, prefix + text, KNOWN, as_text=as_text)
    assert all(isinstance(key, str) for key in values)
