"""Reading and writing YAML: stack files as Pulumi's engine reads them, values files as Helm does.

Both are Go programs, whose numbers differ from PyYAML's: `0o7` and `1e3` are numbers, `12:30:45` and dates are not. They differ from
each other in booleans: `yes` is one for Helm. Strings are written in quotes if any of the parsers would read something else.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import yaml

from scalr_agents.model.texts import turns, without_turns

_TAG = "tag:yaml.org,2002:"
_DEFAULT_TAGS = {yaml.ScalarNode: f"{_TAG}str", yaml.SequenceNode: f"{_TAG}seq", yaml.MappingNode: f"{_TAG}map"}
_PLAIN = "plain"
_MERGE = "<<"
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_BOOL_1_1 = _BOOL | {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_INT = re.compile(r"([-+]?)(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_BASES = (2, 16, 8, 10)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_AMBIGUOUS = re.compile(r"[-+.0-9][-+.0-9a-fA-FxXoO_:]*|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\D.*|<<|=|[-+]?\.(inf|nan)", re.IGNORECASE)
"""Text that at least one parser reads as a number, a date or a merge key."""
_INT64, _UINT64 = -(2**63), 2**64
_LONGEST_INT = 64
_NUMBER_BEGINS = frozenset("+-.0123456789")
_MOST_NODES = 200_000
_DEEPEST = 100


class YamlError(ValueError):
    """Text that is not valid YAML, or not a map; the message says where. `line` and `column` start at 1 and are `None` if unknown."""

    def __init__(self, message: str, mark: Any = None) -> None:
        self.message = message
        self.line: int | None = mark.line + 1 if mark else None
        self.column: int | None = mark.column + 1 if mark else None
        super().__init__(f"line {self.line}, column {self.column}: {message}" if mark else message)


class _Reader(yaml.CSafeLoader):
    """Composes nodes without resolving plain scalars, which `_Builder` does."""

    booleans: Mapping[str, bool] = _BOOL
    strict = True
    """Whether duplicate keys are errors. Helm uses the last one."""

    def resolve(self, kind: type[yaml.Node], _value: Any, implicit: Any) -> Any:
        return _PLAIN if kind is yaml.ScalarNode and implicit[0] else _DEFAULT_TAGS[kind]


class _ValuesReader(_Reader):
    booleans = _BOOL_1_1
    strict = False


class _Builder:
    """Builds JSON types from nodes. Aliases are copied, as in Go, up to a limit."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.nodes = 0

    def build(self, node: yaml.Node, depth: int = 0) -> Any:
        self.nodes += 1
        if self.nodes > _MOST_NODES or depth > _DEEPEST:
            raise _error(node, "too large or too deeply nested, perhaps because of aliases")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if node.tag.startswith(_TAG) and node.tag != _DEFAULT_TAGS[type(node)]:
            raise _wrong_tag(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, depth + 1) for item in node.value]
        return self._mapping(node, depth)

    def _mapping(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        content: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            is_merge = isinstance(key_node, yaml.ScalarNode) and (key_node.tag, key_node.value) == (_PLAIN, _MERGE)
            key = _MERGE if is_merge else self._key(key_node)
            if key in lines and self.reader.strict:  # the key is not printed: without a space after the colon, it may contain a secret
                raise _error(key_node, f"duplicate key: it is already in line {lines[key]}")
            lines[key] = key_node.start_mark.line + 1
            if is_merge:
                merged += self._merged(value_node, depth)
            else:
                content[key] = self.build(value_node, depth + 1)
        if not merged:
            return content
        together: dict[str, Any] = {}
        for other in (*reversed(merged), content):
            together |= other
        return together

    def _merged(self, node: yaml.Node, depth: int) -> Iterator[dict[str, Any]]:
        """The maps under a merge key; the first of several takes precedence."""
        for source in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(source, yaml.MappingNode):
                raise _error(source, "only maps can be merged")
            content = self.build(source, depth + 1)
            self.nodes += len(content)
            yield content

    def _key(self, node: yaml.Node) -> str:
        """A key as in JSON: a string."""
        if not isinstance(node, yaml.ScalarNode):
            raise _error(node, "a key must be a scalar")
        key = self._scalar(node)
        if key is None or isinstance(key, bool):
            return {None: "null", True: "true", False: "false"}[key]
        return str(int(key)) if isinstance(key, float) and key.is_integer() else str(key)

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text, tag = str(node.value), node.tag
        if tag == f"{_TAG}str" or not tag.startswith((_TAG, _PLAIN)):
            return text
        if tag == _PLAIN:
            return self._plain(node, text)
        value = self._plain(node, text)
        expected = {f"{_TAG}null": type(None), f"{_TAG}bool": bool, f"{_TAG}int": int, f"{_TAG}float": float}.get(tag)
        if expected is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if expected is None or type(value) is not expected:
            raise _wrong_tag(node)
        return value

    def _plain(self, node: yaml.ScalarNode, text: str) -> Any:
        if text in _NULL:
            return None
        if text in self.reader.booleans:
            return self.reader.booleans[text]
        if _INFINITE.fullmatch(text):
            raise _error(node, f"{text} is not a JSON number")
        number = _number(text)
        return text if number is None else number


def _number(text: str) -> int | float | None:
    """The number that Go reads: underscores are ignored, a leading zero means octal."""
    if text[:1] not in _NUMBER_BEGINS:
        return None
    plain = text.replace("_", "")
    match = _INT.fullmatch(plain)
    if match:
        base, digits = next((base, digits) for base, digits in zip(_BASES, match.groups()[1:], strict=True) if digits)
        value = int(match[1] + digits, base) if len(digits) <= _LONGEST_INT else _UINT64
        if _INT64 <= value < _UINT64:
            return value
    number = float(plain) if _FLOAT.fullmatch(plain) else math.inf
    return number if math.isfinite(number) else None


def _error(node: yaml.Node, message: str) -> YamlError:
    return YamlError(message, node.start_mark)


def _wrong_tag(node: yaml.Node) -> YamlError:
    return _error(node, "its tag does not match its value")  # not printed: it may be a password that starts with an exclamation mark


def load_stack_file(text: str) -> dict[str, Any]:
    """The content of a stack file. Raises `YamlError`."""
    return _map(_load(text, _Reader))


def load_values(text: str) -> dict[str, Any]:
    """The content of a values file. Raises `YamlError`."""
    return _map(load_value(text))


def load_value(text: str) -> Any:
    """A value as a values file has it: a scalar, a list or a map. Raises `YamlError`."""
    return _load(text, _ValuesReader)


def load_manifest(text: str) -> list[dict[str, Any]]:
    """The objects of a manifest, as Kubernetes reads them. Raises `YamlError`."""
    with _explained():
        _refuse_depth(text)
        loader = _ValuesReader(text)
        builder, documents = _Builder(loader), []
        while (node := loader.get_node() if loader.check_node() else None) is not None:
            documents.append(_map(builder.build(node)))
    return [document for document in documents if document]


def _load(text: str, reader: type[_Reader]) -> Any:
    with _explained():
        _refuse_depth(text)
        loader = reader(text)
        node = loader.get_single_node()
        return _Builder(loader).build(node) if node else None


def _map(content: Any) -> dict[str, Any]:
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise YamlError("expected a map at the top")
    return content


@contextmanager
def _explained() -> Iterator[None]:
    """Converts errors of the parser into `YamlError`."""
    try:
        yield
    except yaml.MarkedYAMLError as problem:
        raise YamlError(str(problem.problem), problem.problem_mark) from None
    except yaml.YAMLError as problem:
        raise YamlError(str(problem).splitlines()[0]) from None


def _refuse_depth(text: str) -> None:
    """The parser recurses in C, where nesting that is too deep crashes the process."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader) if len(text) > _DEEPEST * _DEEPEST else ():
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise YamlError(f"nested deeper than {_DEEPEST} levels", event.start_mark)


class _Dumper(yaml.CSafeDumper):
    """Writes a string without quotes only if every parser reads it as a string."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> Any:
        if kind is not yaml.ScalarNode or not implicit[0]:
            return _DEFAULT_TAGS[kind]
        if value in _NULL:
            return f"{_TAG}null"
        if value in _BOOL_1_1:
            return f"{_TAG}bool"
        if not _AMBIGUOUS.fullmatch(value):
            return f"{_TAG}str"
        return f"{_TAG}{'int' if re.fullmatch('-?[0-9]+', value) else 'float' if _FLOAT.fullmatch(value) else 'other'}"

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _represent_str(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(f"{_TAG}str", text, style='"' if turns(text) else "|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_str)


def dump(documents: Iterable[Mapping[str, Any]]) -> str:
    """Documents as YAML, each starting with `---`, with keys in their given order."""
    text: str = yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, explicit_start=True, allow_unicode=True, width=160)
    return without_turns(text)
