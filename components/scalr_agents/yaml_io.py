"""YAML as its readers read it: stack files as Pulumi's engine does (YAML 1.2), values files as Helm does (YAML 1.1).

Each has its own rules for plain scalars, and PyYAML's are those of neither: it reads `12:30:45` as a number of base 60, dates as
dates and `1e3` as a string. What is written is quoted wherever one of these readers would take it for something else.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

_TAG = "tag:yaml.org,2002:"
_MERGE = "<<"
_NULL = "~|null|Null|NULL|"
_BOOL = "true|True|TRUE|false|False|FALSE"
_BOOL_1_1 = f"{_BOOL}|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|y|Y|n|N"
_INT = "[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
_INT_1_1 = "[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]*|[1-9][0-9_]*)"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
_DATE = r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"
_SEXAGESIMAL = r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
_MOST_NODES = 1_000_000

_Resolvers = dict[str | None, list[tuple[str, re.Pattern[str]]]]


class YamlError(ValueError):
    """Text that is no YAML, or not a map; the text says where."""


def _resolvers(*rules: tuple[str, str]) -> _Resolvers:
    """PyYAML's table of implicit tags, with every rule tried on every scalar, in this order."""
    return {None: [(_TAG + tag, re.compile(rf"(?:{pattern})\Z")) for tag, pattern in rules]}


class _Loader(yaml.CSafeLoader):
    """Reads what becomes JSON: strings for keys, no dates, no duplicate keys unless Helm would take them."""

    duplicates_allowed = False

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if not self.duplicates_allowed:
            self._refuse_duplicates(node)
        return {_key(key): value for key, value in super().construct_mapping(node, deep).items()}

    def _refuse_duplicates(self, node: yaml.MappingNode) -> None:
        seen = set()
        for key, _ in node.value:
            if key.value in seen and key.value != _MERGE:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key.value!r}", key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)


def _key(key: Any) -> str:
    """A key as JSON has it."""
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    return str(key)


class _StackLoader(_Loader):
    yaml_implicit_resolvers = _resolvers(("merge", _MERGE), ("null", _NULL), ("bool", _BOOL), ("int", _INT), ("float", _FLOAT))


class _ValuesLoader(_Loader):
    duplicates_allowed = True
    yaml_implicit_resolvers = _resolvers(("merge", _MERGE), ("null", _NULL), ("bool", _BOOL_1_1), ("int", _INT_1_1), ("float", _FLOAT))


def _bool(loader: _Loader, node: yaml.ScalarNode) -> bool:
    return str(loader.construct_scalar(node)).lower() in ("true", "yes", "on", "y")


def _int(loader: _Loader, node: yaml.ScalarNode) -> int:
    """Decimal in YAML 1.2; in YAML 1.1 a leading zero means octal."""
    text = str(loader.construct_scalar(node)).replace("_", "")
    if re.fullmatch("[-+]?0[0-7]+", text) and loader.duplicates_allowed:
        return int(text, 8)
    return int(text, 10 if re.fullmatch("[-+]?[0-9]+", text) else 0)


_Loader.add_constructor(f"{_TAG}bool", _bool)
_Loader.add_constructor(f"{_TAG}int", _int)


class _Dumper(yaml.CSafeDumper):
    yaml_implicit_resolvers = _resolvers(
        ("merge", f"{_MERGE}|="),
        ("null", _NULL),
        ("bool", _BOOL_1_1),
        ("int", f"{_INT}|{_INT_1_1}"),
        ("float", _FLOAT),
        ("timestamp", f"{_DATE}|{_SEXAGESIMAL}"),
    )

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _represent_str(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(f"{_TAG}str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_str)


def load_stack_file(text: str) -> dict[str, Any]:
    """A stack file's content. Raises `YamlError`."""
    return _load(text, _StackLoader)


def load_values(text: str) -> dict[str, Any]:
    """A values file's content. Raises `YamlError`."""
    return _load(text, _ValuesLoader)


def _load(text: str, loader: type[_Loader]) -> dict[str, Any]:
    try:
        content = loader(text).get_single_data()
        _refuse_cycles(content)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise YamlError(f"{where}{problem.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise YamlError(str(problem).splitlines()[0]) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise YamlError("expected a map at the top")
    return content


def _refuse_cycles(content: Any) -> None:
    """Anchors can make a document contain itself, or be far larger than its text; no values do that in earnest."""
    pending, seen = [content], 0
    while pending:
        seen += 1
        if seen > _MOST_NODES:
            raise ValueError("aliases make this larger than a million nodes")
        node = pending.pop()
        pending.extend(node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ())


def dump(documents: Iterable[Mapping[str, Any]]) -> str:
    """Documents as YAML, each started by `---`, keys in their order."""
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, explicit_start=True, allow_unicode=True, width=160)
