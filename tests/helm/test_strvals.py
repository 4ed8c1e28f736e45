"""The grammar of `--set`, `--set-string`, `--set-file` and `--set-json`, as Helm has it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scalr_agents.helm import strvals
from scalr_agents.helm.strvals import StrvalsError

Parse = Callable[[dict[str, Any], str], None]
Nested = dict[str, Any]


def _parse_files(values: dict[str, Any], text: str) -> None:
    strvals.parse_file_into(values, text, lambda path: f"<{path}>")


PARSERS: dict[str, Parse] = {
    "set": strvals.parse_into,
    "set-string": strvals.parse_strings_into,
    "set-file": _parse_files,
    "set-json": strvals.parse_json_into,
}


def _parsed(parse: Parse, text: str, values: dict[str, Any] | None = None) -> dict[str, Any]:
    into = deepcopy(values or {})
    parse(into, text)
    return into


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("Null", None),
        ("true", True),
        ("TRUE", True),
        ("false", False),
        ("False", False),
        ("yes", "yes"),
        ("", ""),
        (" ", " "),
        ("0", 0),
        ("00", "00"),
        ("007", "007"),
        ("1234567890", 1234567890),
        ("-5", -5),
        ("+5", 5),
        ("9223372036854775807", 9223372036854775807),
        ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775808", -9223372036854775808),
        ("-9223372036854775809", "-9223372036854775809"),
        ("1.5", "1.5"),
        ("1e3", "1e3"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        (" 1", " 1"),
        ("\u0663", "\u0663"),
        ("~", "~"),
        ("[]", "[]"),
        ('"quoted"', '"quoted"'),
        ("a=b", "a=b"),
        ("a.b[0]", "a.b[0]"),
        ("x}", "x}"),
        ("x{y", "x{y"),
        ("grüße 😀", "grüße 😀"),
    ],
)
def test_set_types_a_value_as_helm_does(text: str, value: Any) -> None:
    assert _parsed(strvals.parse_into, f"a={text}") == {"a": value}
    assert type(_parsed(strvals.parse_into, f"a={text}")["a"]) is type(value)


@pytest.mark.parametrize("text", ["null", "true", "0", "5", "007", "1.5", ""])
def test_set_string_leaves_every_value_a_string(text: str) -> None:
    assert _parsed(strvals.parse_strings_into, f"a={text},b={{{text},x}}") == {"a": text, "b": [text, "x"]}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("a=1,b=2", {"a": 1, "b": 2}),
        ("a=1,b=2,", {"a": 1, "b": 2}),
        ("a=,b=2", {"a": "", "b": 2}),
        ("a=1,a=2", {"a": 2}),
        ("a.b.c=x", {"a": {"b": {"c": "x"}}}),
        ("a.b=1,a.c=2", {"a": {"b": 1, "c": 2}}),
        ("a.b=1,a=2", {"a": 2}),
        (" a =1", {" a ": 1}),
        ("a={x,y}", {"a": ["x", "y"]}),
        ("a={1,true,null,x}", {"a": [1, True, None, "x"]}),
        ("a={}", {"a": [""]}),
        ("a={},b=1", {"a": [""], "b": 1}),
        ("a=-0,b=+0,c=-007", {"a": 0, "b": 0, "c": -7}),
        ("a=1\\", {"a": 1}),
        (f"a={'9' * 5000}", {"a": "9" * 5000}),
        ("a={,}", {"a": ["", ""]}),
        ("a={x,}", {"a": ["x", ""]}),
        ("a={,x}", {"a": ["", "x"]}),
        ("a={x},b={y},", {"a": ["x"], "b": ["y"]}),
        ("a={{x}", {"a": ["{x"]}),
        ("a.b={x}", {"a": {"b": ["x"]}}),
        ("a[0]=x", {"a": ["x"]}),
        ("a[0]=", {"a": [""]}),
        ("a[0]=x,a[1]=y", {"a": ["x", "y"]}),
        ("a[0]=x,a[3]=y", {"a": ["x", None, None, "y"]}),
        ("a[1].b=x", {"a": [None, {"b": "x"}]}),
        ("a[1].b=x,a[0].b=y", {"a": [{"b": "y"}, {"b": "x"}]}),
        ("a[0].b=1,a[0].c=2", {"a": [{"b": 1, "c": 2}]}),
        ("a[1].b=1,a[0]=2", {"a": [2, {"b": 1}]}),
        ("a[0][1]=1", {"a": [[None, 1]]}),
        ("a[0][0].b=1", {"a": [[{"b": 1}]]}),
        ("a[0].b[1].c=1", {"a": [{"b": [None, {"c": 1}]}]}),
        ("a[0]={x,y}", {"a": [["x", "y"]]}),
        ("a.b[0].c=1,a.b[0].d=2", {"a": {"b": [{"c": 1, "d": 2}]}}),
    ],
)
def test_set_builds_maps_and_lists(text: str, values: dict[str, Any]) -> None:
    assert _parsed(strvals.parse_into, text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (r"a=x\,y", {"a": "x,y"}),
        (r"a={x\,y,z}", {"a": ["x,y", "z"]}),
        (r"a={x\}}", {"a": ["x}"]}),
        (r"a=\{x}", {"a": "{x}"}),
        (r"a=x\\", {"a": "x\\"}),
        (r"a=\t", {"a": "t"}),
        (r"a\.b=1", {"a.b": 1}),
        (r"a\,b=1", {"a,b": 1}),
        (r"a\=b=1", {"a=b": 1}),
        (r"a\[0]=1", {"a[0]": 1}),
        (r"a\\.b=1", {"a\\": {"b": 1}}),
        (r"nodeSelector.kubernetes\.io/os=linux", {"nodeSelector": {"kubernetes.io/os": "linux"}}),
        (r"a=\1", {"a": 1}),
    ],
)
def test_a_backslash_takes_the_next_character_as_it_is(text: str, values: dict[str, Any]) -> None:
    assert _parsed(strvals.parse_into, text) == values


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ({"a": {"b": 1}}, "a.c=2", {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": 1}}, "a.b=null", {"a": {"b": None}}),
        ({"a": {"b": 1}}, "a=x", {"a": "x"}),
        ({"a": [1, 2]}, "a[1]=x", {"a": [1, "x"]}),
        ({"a": [1, 2]}, "a={x}", {"a": ["x"]}),
        ({"a": [{"b": 1}]}, "a[0].c=2,a[2]=x", {"a": [{"b": 1, "c": 2}, None, "x"]}),
        ({"a": [1]}, "a[0].b=x", {"a": [{"b": "x"}]}),
        ({"a": [None]}, "a[0][0]=x", {"a": [["x"]]}),
    ],
)
def test_set_changes_the_values_that_are_there(before: dict[str, Any], text: str, after: dict[str, Any]) -> None:
    assert _parsed(strvals.parse_into, text, before) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "a key has no value; a comma in a value needs a backslash"),
        ("a.b", "a key has no value; a comma in a value needs a backslash"),
        ("a,b=1", "a key has no value; a comma in a value needs a backslash"),
        ("a=1,b", "no path=value after a comma; a comma in a value needs a backslash"),
        (",a=1", "a key is missing; a comma in a value needs a backslash"),
        ("a=1,,b=2", "no path=value after a comma; a comma in a value needs a backslash"),
        ("a.[0]=1", "no key after 'a'; a comma in a value needs a backslash"),
        ("a={x", "a list has no closing brace"),
        ("a[x]=1", "a must be followed by an index such as [0], of at most 65536"),
        ("a[]=1", "a must be followed by an index such as [0], of at most 65536"),
        ("a[-1]=1", "a must be followed by an index such as [0], of at most 65536"),
        ("a[65537]=1", "a must be followed by an index such as [0], of at most 65536"),
        ("a[0", "a must be followed by an index such as [0], of at most 65536"),
        ("a[0]b=1", "unexpected 'b' after a[0]"),
    ],
)
@pytest.mark.parametrize("option", ["set", "set-string", "set-file"])
def test_text_outside_the_grammar_is_refused(option: str, text: str, message: str) -> None:
    with pytest.raises(StrvalsError) as caught:
        _parsed(PARSERS[option], text)
    assert str(caught.value) == message


@pytest.mark.parametrize("values", [{"a": {"b": 1}}, {"a": "x"}], ids=["map", "string"])
def test_an_index_into_what_is_no_list_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(StrvalsError) as caught:
        _parsed(strvals.parse_into, "a[0]=1", values)
    assert str(caught.value) == "a is not a list, so a[0] cannot be set"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=2,a.b=1", "a is not a map, so a.b cannot be set"),
        ("a={x},a.b=1", "a is not a map, so a.b cannot be set"),
        ("a[" + "9" * 5000 + "]=1", "must be followed by an index such as [0]"),
        ("a[\u0663]=1", "must be followed by an index such as [0]"),
        ("a[0].=1", "no key after 'a[0]'"),
        (".".join("a" * 40) + "=1", "deeper than 30 levels"),
    ],
    ids=["scalar", "list", "long index", "foreign digit", "no key", "deep"],
)
def test_what_helm_refuses_too(text: str, message: str) -> None:
    with pytest.raises(StrvalsError) as caught:
        _parsed(strvals.parse_into, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["a=NaN", "a=-Infinity", "a=1e999", "a=" + "9" * 5000])
def test_json_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(StrvalsError, match=r"^not JSON: "):
        _parsed(strvals.parse_json_into, text)


@pytest.mark.parametrize("text", ["a=" + "[" * 100_000, "a=" + "[" * 101 + "]" * 101, '{"a":' * 500 + "1" + "}" * 500])
def test_json_has_a_limit_of_depth(text: str) -> None:
    with pytest.raises(StrvalsError, match=r"^JSON that is deeper than 100 levels$"):
        _parsed(strvals.parse_json_into, text)


def test_json_may_be_as_deep_as_yaml() -> None:
    (content,) = _parsed(strvals.parse_json_into, "a=" + "[" * 100 + "]" * 100).values()
    assert str(content) == "[" * 100 + "]" * 100


def test_json_without_a_value_is_null() -> None:
    assert _parsed(strvals.parse_json_into, "a=,b=1") == {"a": None, "b": 1}


def test_the_largest_index_is_helms() -> None:
    assert _parsed(strvals.parse_into, "a[65536]=x") == {"a": [None] * 65536 + ["x"]}


def test_set_file_takes_the_content_of_the_files() -> None:
    files = {"ca.pem": "-----BEGIN\n", "dir,x/y": "5", "": "empty"}
    values: dict[str, Any] = {}
    strvals.parse_file_into(values, r"a.b=ca.pem,c={dir\,x/y,ca.pem},d[0]=", files.__getitem__)
    assert values == {"a": {"b": "-----BEGIN\n"}, "c": ["5", "-----BEGIN\n"], "d": ["empty"]}


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ({}, 'a="x"', {"a": "x"}),
        ({}, "a=null,b=true,c=1.5,d=-1", {"a": None, "b": True, "c": 1.5, "d": -1}),
        ({}, 'a.b={"c": [1, {"d": null}]}, e="x,y"', {"a": {"b": {"c": [1, {"d": None}]}}, " e": "x,y"}),
        ({}, "a= [1] ,", {"a": [1]}),
        ({}, 'a[1]={"b":2},a[0]=[]', {"a": [[], {"b": 2}]}),
        ({}, r'a\.b="\u00e4\\"', {"a.b": "ä\\"}),
        ({"a": {"b": 1}}, 'a={"c": 2}', {"a": {"c": 2}}),
        ({"a": {"b": 1}}, 'a.c={"d": 2}', {"a": {"b": 1, "c": {"d": 2}}}),
        ({"a": {"b": 1}, "l": [1, 2]}, '{"a": {"c": 2}, "l": [3]}', {"a": {"b": 1, "c": 2}, "l": [3]}),
        ({"a": {"b": 1}}, ' {"a": null}\n', {"a": None}),
        ({"a": "x"}, '{"a": {"b": {"c": 1}}}', {"a": {"b": {"c": 1}}}),
        ({"a": 1}, "{}", {"a": 1}),
    ],
)
def test_set_json_takes_paths_or_one_object(before: dict[str, Any], text: str, after: dict[str, Any]) -> None:
    assert _parsed(strvals.parse_json_into, text, before) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=x", "not JSON: Expecting value: line 1 column 3 (char 2)"),
        ("a={b: 1}", "not JSON: Expecting property name enclosed in double quotes: line 1 column 4 (char 3)"),
        ("a=[1", "not JSON: Expecting ',' delimiter: line 1 column 5 (char 4)"),
        ('{"a": 1', "not JSON: Expecting ',' delimiter: line 1 column 8 (char 7)"),
        ('{"a": 1} b', "unexpected text after the JSON object"),
        ('{"a": 1},b=2', "unexpected text after the JSON object"),
        ("[1]", "a key is missing; a comma in a value needs a backslash"),
        ("a.b", "a key has no value; a comma in a value needs a backslash"),
        ("a=1,,b=2", "no path=value after a comma; a comma in a value needs a backslash"),
    ],
)
def test_set_json_refuses_what_is_no_json(text: str, message: str) -> None:
    with pytest.raises(StrvalsError) as caught:
        _parsed(strvals.parse_json_into, text)
    assert str(caught.value) == message


@pytest.mark.parametrize("parse", [strvals.parse_into, strvals.parse_strings_into, strvals.parse_json_into])
def test_a_key_after_a_comma_is_one_that_values_have(parse: Callable[..., None]) -> None:
    values: dict[str, Any] = {}
    parse(values, "x=1,b.c=2", {"a", "b"})
    assert values.keys() == {"x", "b"}
    with pytest.raises(StrvalsError, match=r"^an unknown key after a comma; a comma in a value needs a backslash$"):
        parse({}, "a=1,s3cr3t=2", {"a", "b"})


@pytest.mark.parametrize("parse", [strvals.parse_into, strvals.parse_strings_into, strvals.parse_json_into])
@pytest.mark.parametrize("text", ["s3cr3t=", "s3cr3t=,a=1", "s3.cr3t="])
def test_a_token_with_padding_is_no_key(parse: Callable[..., None], text: str) -> None:
    with pytest.raises(StrvalsError, match=r"^an unknown key without a value; give path=value$"):
        parse({}, text, {"a", "b"})
    values: dict[str, Any] = {}
    parse(values, "a=,b=", {"a", "b"})
    assert values.keys() == {"a", "b"}


def _escaped(text: str, special: str) -> str:
    return "".join(f"\\{character}" if character in special else character for character in text)


def _assignments(values: Nested, prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        path = prefix + _escaped(key, "\\.[=,")
        if isinstance(value, dict):
            yield from _assignments(value, f"{path}.")
        else:
            yield f"{path}={_escaped(value, chr(92) + ',{')}"


KEYS = st.text(min_size=1, max_size=5)
NESTED: st.SearchStrategy[Nested] = st.recursive(
    st.dictionaries(KEYS, st.text(max_size=8), min_size=1, max_size=3),
    lambda inner: st.dictionaries(KEYS, st.text(max_size=8) | inner, min_size=1, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(NESTED)
def test_escaped_maps_come_back_as_they_were(values: Nested) -> None:
    assert _parsed(strvals.parse_strings_into, ",".join(_assignments(values))) == values


@pytest.mark.parametrize("option", PARSERS)
@settings(max_examples=150, deadline=None)
@given(text=st.text(st.sampled_from('ab.,=[]{}\\012-+" :') | st.characters(), max_size=12))
def test_any_text_ends_in_values_or_a_refusal(option: str, text: str) -> None:
    values: dict[str, Any] = {"a": {"b": [1, "x"]}, "b": [{"a": 1}]}
    with suppress(StrvalsError):
        PARSERS[option](values, text)
    assert all(isinstance(key, str) for key in values)
