"""Reading YAML of stack files and values files, and writing YAML."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from scalr_agents.model import yaml_io
from scalr_agents.model.yaml_io import YamlError

Load = Callable[[str], dict[str, Any]]

LOADERS = [pytest.param(yaml_io.load_stack_file, id="stack file"), pytest.param(yaml_io.load_values, id="values")]


def _is(given: Any, expected: Any) -> bool:
    return type(given) is type(expected) and given == expected


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("0", 0),
        ("42", 42),
        ("-1", -1),
        ("+1", 1),
        ("0o17", 15),
        ("0x1F", 31),
        ("9223372036854775808", 9223372036854775808),
        ("1.5", 1.5),
        ("1.10", 1.1),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
        ("1e", "1e"),
        ("1.2.3", "1.2.3"),
        ("0.57.0", "0.57.0"),
        ("12:30:45", "12:30:45"),
        ("1:30", "1:30"),
        ("0x", "0x"),
        ("0o8", "0o8"),
        ("_1", "_1"),
        ("=", "="),
        (".", "."),
        ("'010'", "010"),
        ('"yes"', "yes"),
        ("'1.10'", "1.10"),
        ("!!str 1.10", "1.10"),
        ("!!int '5'", 5),
        ("!!float 1", 1.0),
        ("|\n  x\n  y\n", "x\ny\n"),
        (">-\n  x\n  y\n", "x y"),
        ("{b: [1, null]}", {"b": [1, None]}),
        # numbers as Go reads and writes them
        ("010", 8),
        ("0777", 511),
        ("-010", -8),
        ("00", 0),
        ("0b11", 3),
        ("-0b1", -1),
        ("-0o7", -7),
        ("0X1F", 31),
        ("+0x1F", 31),
        ("0x_1F", 31),
        ("1_000", 1000),
        ("1_0.5", 10.5),
        (".7_8", 0.78),
        ("08", 8.0),
        ("99999999999999999999", 1e20),
        ("1e400", "1e400"),
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T10:00:00Z", "2020-01-01T10:00:00Z"),
        ("!foo bar", "bar"),
    ],
)
def test_scalars_with_the_same_meaning_in_both_formats(load: Load, text: str, value: Any) -> None:
    assert _is(load(f"a: {text}")["a"], value)


@pytest.mark.parametrize(
    ("text", "in_stack_file", "in_values"),
    [
        ("yes", "yes", True),
        ("Yes", "Yes", True),
        ("NO", "NO", False),
        ("on", "on", True),
        ("Off", "Off", False),
        ("y", "y", True),
        ("N", "N", False),
        ("yEs", "yEs", "yEs"),
    ],
)
def test_yaml_1_1_booleans_are_booleans_only_in_values(text: str, in_stack_file: Any, in_values: Any) -> None:
    assert _is(yaml_io.load_stack_file(f"a: {text}")["a"], in_stack_file)
    assert _is(yaml_io.load_values(f"a: {text}")["a"], in_values)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("1: a", ["1"]),
        ("1.5: a", ["1.5"]),
        ("true: a", ["true"]),
        ("False: a", ["false"]),
        ("'010': a", ["010"]),
        ("kubernetes.io/os: a", ["kubernetes.io/os"]),
        ("2020-01-01: a", ["2020-01-01"]),
        ("b: 1\na: 2\nc: 3", ["b", "a", "c"]),
    ],
)
def test_keys_are_strings_in_the_order_of_the_file(load: Load, text: str, keys: list[str]) -> None:
    assert list(load(text)) == keys
    assert [list(inner) for inner in load(f"a: [{{{text.replace(chr(10), ', ')}}}]")["a"]] == [keys]


@pytest.mark.parametrize(
    ("text", "keys"),
    [("yes: a", ["true"]), ("n: a", ["false"]), ("010: a", ["8"]), ("1_0: a", ["10"])],
)
def test_keys_of_values_are_read_before_they_become_strings(text: str, keys: list[str]) -> None:
    assert list(yaml_io.load_values(text)) == keys


@pytest.mark.parametrize(
    ("text", "message", "values"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3, column 1: duplicate key: it is already in line 1", {"a": 3, "b": 2}),
        ("a:\n  - b: 1\n    b: 2\n", "line 3, column 5: duplicate key: it is already in line 2", {"a": [{"b": 2}]}),
        ("a: {b: 1, 'b': 2}", "line 1, column 11: duplicate key: it is already in line 1", {"a": {"b": 2}}),
        ("1: a\n'1': b\n", "line 2, column 1: duplicate key: it is already in line 1", {"1": "b"}),
        ("b: {<<: {k: 0}, k: 1, k: 2}", "line 1, column 23: duplicate key: it is already in line 1", {"b": {"k": 2}}),
    ],
)
def test_duplicate_keys_are_refused_in_stack_files_and_the_last_one_wins_in_values(text: str, message: str, values: dict[str, Any]) -> None:
    with pytest.raises(YamlError) as caught:
        yaml_io.load_stack_file(text)
    assert str(caught.value) == message
    assert yaml_io.load_values(text) == values


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("merging", "merged"),
    [
        ("{<<: *a}", {"k": 1, "l": {"m": 2}}),
        ("{<<: *a, k: 5}", {"k": 5, "l": {"m": 2}}),
        ("{k: 5, <<: *a}", {"k": 5, "l": {"m": 2}}),
        ("{<<: *a, l: {o: 3}}", {"k": 1, "l": {"o": 3}}),
        ("{<<: [*a, *b]}", {"k": 1, "l": {"m": 2}, "j": 4}),
        ("{<<: [*b, *a]}", {"k": 3, "l": {"m": 2}, "j": 4}),
        ("{<<: {<<: *a, k: 6}, o: 7}", {"k": 6, "l": {"m": 2}, "o": 7}),
        ("{'<<': *b}", {"<<": {"k": 3, "j": 4}}),
    ],
)
def test_merge_keys_merge_maps(load: Load, merging: str, merged: dict[str, Any]) -> None:
    content = load(f"a: &a {{k: 1, l: {{m: 2}}}}\nb: &b {{k: 3, j: 4}}\nc: {merging}\n")
    assert content == {"a": {"k": 1, "l": {"m": 2}}, "b": {"k": 3, "j": 4}, "c": merged}


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "~\n", "---\nnull\n...\n"])
def test_an_empty_file_is_an_empty_map(load: Load, text: str) -> None:
    assert load(text) == {}


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("text", ["- a\n", "a\n", "5\n", "false\n", "''\n", "[]\n"])
def test_a_file_must_be_a_map(load: Load, text: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(text)
    assert str(caught.value) == "expected a map at the top"


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1\nb: 2\n", "line 2, column 2: did not find expected ',' or ']'"),
        ("a:\n\tb: 1\n", "line 2, column 1: found character that cannot start any token"),
        ("a: b: c\n", "line 1, column 5: mapping values are not allowed in this context"),
        ("a: 'x\n", "line 2, column 1: found unexpected end of stream"),
        ("a: *x\n", "line 1, column 4: found undefined alias"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: but found another document"),
        ("a: {<<: 5}\n", "line 1, column 9: only maps can be merged"),
        ("a: {<<: [5]}\n", "line 1, column 10: only maps can be merged"),
        ("a: !!seq {b: 1}\n", "line 1, column 4: its tag does not match its value"),
        ("a: \x01\n", "unacceptable character #x0001: control characters are not allowed"),
    ],
)
def test_errors_have_a_position(load: Load, text: str, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    "content",
    ["!!python/object/apply:os.getcwd []", "!!python/name:os.getcwd", "!!python/tuple [1]", "!!python/object/new:list [[1]]"],
)
def test_tags_of_python_are_refused(load: Load, content: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(f"a: {content}\n")
    assert str(caught.value) == "line 1, column 4: its tag does not match its value"


BOMB = "a: &a0 [x]\n" + "".join(f"b{n}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(8))


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize("text", ["a: &a [*a]\n", "a: &a {b: *a}\n", "&a {b: *a}\n", BOMB], ids=["list", "map", "document", "bomb"])
def test_recursive_aliases_are_refused(load: Load, text: str) -> None:
    with pytest.raises(YamlError) as caught:
        load(text)
    assert str(caught.value).endswith("too large or too deeply nested, perhaps because of aliases")


@pytest.mark.parametrize("load", LOADERS)
def test_too_deep_nesting_is_refused(load: Load) -> None:
    with pytest.raises(YamlError, match="nested deeper than 100 levels"):
        load("a: " + "[" * 100_000)


@pytest.mark.parametrize("load", LOADERS)
@pytest.mark.parametrize(
    "text", [".inf", "-.Inf", ".nan", "!!bool maybe", "!!int x", "!!timestamp 2020-01-01", "!!binary aGk=", "!!set {x}", "{[a]: b}"]
)
def test_values_outside_json_are_refused(load: Load, text: str) -> None:
    with pytest.raises(YamlError, match=r"^line 1, column \d+: "):
        load(f"a: {text}\n")


@pytest.mark.parametrize("load", LOADERS)
def test_aliases_are_copies(load: Load) -> None:
    content = load("a: &x {k: {l: 1}}\nb: *x\nc: {<<: *x}\n")
    content["a"]["k"]["l"] = 2
    assert content == {"a": {"k": {"l": 2}}, "b": {"k": {"l": 1}}, "c": {"k": {"l": 1}}}


def test_equal_keys_of_different_types_stay_apart() -> None:
    assert yaml_io.load_values("{1: x, true: z, 1e3: q}") == {"1": "x", "true": "z", "1000": "q"}


def test_documents_start_with_dashes_and_keep_the_order_of_their_keys() -> None:
    written = yaml_io.dump([{"kind": "B", "apiVersion": "v1"}, {"a": {"c": [1, {"d": None}], "b": {}}, "e": []}])
    assert written == "---\nkind: B\napiVersion: v1\n---\na:\n  c:\n  - 1\n  - d: null\n  b: {}\ne: []\n"


def test_text_of_several_lines_is_a_literal_block() -> None:
    written = yaml_io.dump([{"a": "x\ny\n", "b": ["x\n\n  y"], "c": "x"}])
    assert written == "---\na: |\n  x\n  y\nb:\n- |-\n  x\n\n    y\nc: x\n"


def test_no_aliases_are_written() -> None:
    labels = {"app": "x"}
    assert yaml_io.dump([{"a": labels, "b": [labels, labels]}]) == "---\na:\n  app: x\nb:\n- app: x\n- app: x\n"


def test_long_and_unicode_text_is_not_changed() -> None:
    assert yaml_io.dump([{"a": f"{'x' * 100} {'y' * 50} äß"}]) == f"---\na: {'x' * 100} {'y' * 50} äß\n"


@pytest.mark.parametrize(
    "text",
    [
        *("", "~", "null", "true", "yes", "Off", "y", "N", "0", "010", "08", "0o17", "0x1F", "0b1", "1_000", "-1", "1.10", "1e3", ".5"),
        *(".inf", ".nan", "12:30:45", "1:30", "2020-01-01", "2020-01-01 10:00:00", "=", "<<"),
        *("- a", "a: b", "# a", "*a", "&a", "!a", "{a}", "@a", "%a", "`a", " a", "a "),
    ],
)
def test_ambiguous_text_is_quoted(text: str) -> None:
    written = yaml_io.dump([{"a": text}])
    assert written == f"---\na: '{text}'\n"


SCALARS = (
    st.text()
    | st.text(st.sampled_from("0123456789+-.:eExXobB_TZ=<~ "), max_size=6)
    | st.integers(-(2**63), 2**64 - 1)
    | st.booleans()
    | st.none()
)
MAPS = partial(st.dictionaries, st.text(max_size=8), max_size=3)
CONTENT = MAPS(st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | MAPS(inner), max_leaves=6))


@settings(max_examples=200, deadline=None)
@given(CONTENT)
def test_written_yaml_is_read_back_unchanged(content: dict[str, Any]) -> None:
    written = yaml_io.dump([content])
    assert yaml_io.load_stack_file(written) == content
    assert yaml_io.load_values(written) == content
    assert yaml.safe_load(written) == content


@settings(max_examples=100, deadline=None)
@given(st.text() | st.text(st.sampled_from("ab01:-{}[]&*<!#|>%@,'\"\n ?~"), max_size=20))
def test_any_text_is_a_map_or_an_error(text: str) -> None:
    try:
        content = yaml_io.load_values(text)
    except YamlError as refusal:
        content = {"refused": str(refusal)}
    assert all(isinstance(key, str) for key in content)
