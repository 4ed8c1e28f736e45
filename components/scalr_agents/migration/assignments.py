"""The options `--set path=value` and `--set-string path=text`.

The path is dotted, with indexes of lists (`agent.tolerations[0].key`) and with a backslash before a dot that belongs to a key. The value
is YAML, as in a values file. What Helm reads in another way, such as several assignments in one option, is refused.
"""

import re
from collections.abc import Collection
from typing import Any

from scalr_agents.model import yaml_io
from scalr_agents.model.findings import Path, as_path, dotted

_KEY = r"(?:\\.|[^\\.,=\[\]{}])+"
_DEEPEST = 30
_ASSIGNMENT = rf"({_KEY}(?:\.{_KEY}|\[[0-9]{{1,9}}\]){{0,{_DEEPEST - 1}}})=([\s\S]*)"
_SURROGATE = "[\ud800-\udfff]"
_PLAIN = r"[-+.~\w]+"
_DELIMITED = {'"': str, "'": str, "[": list, "{": dict}
_ELSE = "or use a values file (-f)"
_EXPECTED = f"expected path=value, such as agent.replicaCount=2 or agent.tolerations[0].key=runs, at most {_DEEPEST} keys deep, {_ELSE}"


class AssignmentError(ValueError):
    """An assignment that cannot be read or applied. The message does not repeat the value, nor a path that may be a secret."""


def assign(values: dict[str, Any], text: str, known: Collection[str], *, as_text: bool = False) -> None:
    """Set the value of an assignment, as text or as YAML. `known` are the keys that may be at the top."""
    match = re.fullmatch(_ASSIGNMENT, text)
    if not match or re.search(_SURROGATE, text):
        raise AssignmentError(_EXPECTED)
    path, given = as_path(match[1]), match[2]
    is_known = path[0] in known
    if not given.strip().strip("=") and not (is_known and as_text):  # perhaps a token in base64 with its padding
        raise AssignmentError("a value is missing; use path=null, or --set-string path= for an empty text")
    try:
        _put(values, path, _text(given) if as_text else _yaml(given))
    except AssignmentError as problem:
        raise AssignmentError(f"{dotted(path)}: {problem}" if is_known else str(problem)) from None


def _text(given: str) -> str:
    stripped = given.strip()
    if "\\" in given or stripped.startswith("{") or stripped.endswith(",") or "=" in given.partition(",")[2]:
        raise AssignmentError(f"a backslash, a list in braces, or several values in one option; set one value per option, {_ELSE}")
    return given


def _yaml(given: str) -> Any:
    """A value in quotes or brackets, or else a plain one, of which YAML leaves nothing out."""
    text = given.strip()
    try:
        value = yaml_io.load_value(text)
    except yaml_io.YamlError as problem:
        raise AssignmentError(f"not valid YAML: {problem.message}; use --set-string for a text, {_ELSE}") from None
    if isinstance(value, _DELIMITED.get(text[0], ())):
        if isinstance(value, dict) and None in value.values():
            raise AssignmentError("a map with an empty value; write a list as [a, b], and set a key to null by its own path")
        return value
    _text(text)
    if isinstance(value, dict | list) or (value != text if isinstance(value, str) else not re.fullmatch(_PLAIN, text)):
        raise AssignmentError(f"not a plain value; put it in quotes, use --set-string for a text, {_ELSE}")
    return value


def _put(values: dict[str, Any], path: Path, value: Any) -> None:
    container: Any = values
    for depth, part in enumerate(path):
        if isinstance(part, str) and not isinstance(container, dict):
            raise AssignmentError(f"{dotted(path[:depth])} is not a map")
        if isinstance(part, int):
            if not isinstance(container, list):
                raise AssignmentError(f"{dotted(path[:depth])} is not a list")
            if part > len(container):
                raise AssignmentError(f"{dotted(path[:depth])} has {len(container)} items, so the index can be at most {len(container)}")
            container.extend([None] * (part == len(container)))
        if depth == len(path) - 1:
            container[part] = value
        elif (container.get(part) if isinstance(container, dict) else container[part]) is None:
            container[part] = [] if isinstance(path[depth + 1], int) else {}
        container = container[part]
