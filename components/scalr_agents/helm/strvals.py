"""The grammar of Helm's `--set` options.

`a.b=1,c[0].d=x,e={p,q}`: dots select keys of maps, brackets items of lists, braces make a list, commas separate values, and a
backslash escapes the next character. Values are typed as in Helm: null, true, false and decimal integers; everything else is a string.
"""

import json
import re
from collections.abc import Callable, Collection
from functools import cache
from itertools import chain, pairwise
from typing import Any

_MOST_INDEX = 65536
_DEEPEST = 30
_DEEPEST_JSON = 100
_MOST_DIGITS = 64
_TOO_DEEP = f"JSON that is deeper than {_DEEPEST_JSON} levels"
_INDEX = re.compile(r"[0-9]{1,5}")
_PADDING = re.compile(r"=*(,|$)")
"""What follows the first `=` of a token in base64 that is given without its key."""
_SPACES = re.compile(r"\s+")
_INTEGER = re.compile(r"(?!0)[+-]?[0-9]{1,19}")
_INT64 = 2**63

Path = list[str | int]
Known = Collection[str] | None
"""The top-level keys of the values. `None` allows any key after a comma."""


_COMMA = "a comma in a value needs a backslash"
"""The usual cause. The input is not repeated: it may be a part of a secret."""


class StrvalsError(ValueError):
    """Text that does not match the grammar; the message says where."""


def parse_into(values: dict[str, Any], text: str, known: Known = None) -> None:
    """`--set`: typed values."""
    _assign(values, text, _typed, known)


def parse_strings_into(values: dict[str, Any], text: str, known: Known = None) -> None:
    """`--set-string`: every value is a string."""
    _assign(values, text, lambda value: value, known)


def parse_file_into(values: dict[str, Any], text: str, read: Callable[[str], str], known: Known = None) -> None:
    """`--set-file`: the value is the path of a file, whose content `read` returns."""
    _assign(values, text, read, known)


def parse_json_into(values: dict[str, Any], text: str, known: Known = None) -> None:
    """`--set-json`: `path=JSON[,path=JSON]`, or one JSON object that is merged as a values file would be."""
    if text.lstrip().startswith("{"):
        content, end = _json(text, 0)
        if _after_spaces(text, end) < len(text):
            raise StrvalsError("unexpected text after the JSON object")
        _merge(values, content)
        return
    position = 0
    while position < len(text):
        path, position = _next_path(text, position, known)
        value, position = (None, position) if text[position : position + 1] in ("", ",") else _json(text, position)
        position = _after_spaces(text, position)
        if position < len(text) and text[position] != ",":
            raise StrvalsError(f"expected a comma after the value of {_show(path)}")
        position += 1
        _set(values, path, value)


def _assign(values: dict[str, Any], text: str, typed: Callable[[str], Any], known: Known) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise StrvalsError("not valid text")
    position = 0
    while position < len(text):
        path, position = _next_path(text, position, known)
        if text.startswith("{", position):
            items, position = _list(text, position + 1)
            _set(values, path, [typed(item) for item in items])
            if position < len(text) and text[position] != ",":
                raise StrvalsError(f"expected a comma after the list of {_show(path)}")
        else:
            value, position = _until(text, position, ",")
            _set(values, path, typed(value))
        position += 1


def _next_path(text: str, position: int, known: Known) -> tuple[Path, int]:
    """The path of the next value. If there is none, the input is not repeated: it may be a secret, or the rest of one after a comma."""
    if position == 0:
        path, after = _path(text, position)
        if known is not None and path[0] not in known and _PADDING.match(text, after):
            raise StrvalsError("an unknown key without a value; give path=value")
        return path, after
    try:
        path, after = _path(text, position)
    except StrvalsError:
        raise StrvalsError(f"no path=value after a comma; {_COMMA}") from None
    if known is not None and path[0] not in known:
        raise StrvalsError(f"an unknown key after a comma; {_COMMA}")
    return path, after


def _path(text: str, position: int) -> tuple[Path, int]:
    """The path before a `=`, and the position after it."""
    path: Path = []
    while True:
        key, position = _until(text, position, ".[=,")
        if not key:
            raise StrvalsError(f"no key after {_show(path)!r}; {_COMMA}" if path else f"a key is missing; {_COMMA}")
        path.append(key)
        while text.startswith("[", position):
            end = text.find("]", position)
            number = text[position + 1 : end] if end >= 0 else ""
            if not _INDEX.fullmatch(number) or int(number) > _MOST_INDEX:
                raise StrvalsError(f"{_show(path)} must be followed by an index such as [0], of at most {_MOST_INDEX}")
            path.append(int(number))
            position = end + 1
        if position >= len(text) or text[position] == ",":
            raise StrvalsError(f"a key has no value; {_COMMA}")
        if len(path) > _DEEPEST:
            raise StrvalsError(f"{_show(path)} is deeper than {_DEEPEST} levels")
        if text[position] == "=":
            return path, position + 1
        if text[position] != ".":
            raise StrvalsError(f"unexpected {text[position]!r} after {_show(path)}")
        position += 1


def _until(text: str, position: int, stops: str) -> tuple[str, int]:
    """The characters up to one of `stops`, backslashes resolved, and the position of the stop."""
    taken = []
    while position < len(text) and text[position] not in stops:
        position += text[position] == "\\"
        taken.append(text[position : position + 1])
        position += 1
    return "".join(taken), position


def _list(text: str, position: int) -> tuple[list[str], int]:
    """The items up to a closing brace, and the position after it."""
    items: list[str] = []
    while True:
        item, position = _until(text, position, ",}")
        if position >= len(text):
            raise StrvalsError("a list has no closing brace")
        items.append(item)
        position += 1
        if text[position - 1] == "}":
            return items, position


def _json(text: str, position: int) -> tuple[Any, int]:
    try:
        value, end = json.JSONDecoder(parse_int=_json_integer, parse_constant=_refuse_constant).raw_decode(
            text, _after_spaces(text, position)
        )
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except RecursionError:
        raise StrvalsError(_TOO_DEEP) from None
    except ValueError as problem:
        raise StrvalsError(f"not JSON: {problem}") from None
    if _is_deep(value):
        raise StrvalsError(_TOO_DEEP)
    return value, end


def _is_deep(content: Any) -> bool:
    level = [content]
    for _ in range(_DEEPEST_JSON):
        below = (item.values() if isinstance(item, dict) else item if isinstance(item, list) else () for item in level)
        level = list(chain.from_iterable(below))
    return bool(level)


def _after_spaces(text: str, position: int) -> int:
    match = _SPACES.match(text, position)
    return match.end() if match else position


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_int=_json_integer, parse_constant=_refuse_constant)


def _json_integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number with more than {_MOST_DIGITS} digits")
    return int(digits)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not valid in JSON")


def _typed(value: str) -> Any:
    folded = value.lower()
    if folded in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[folded]
    if value == "0":
        return 0
    if _INTEGER.fullmatch(value) and -_INT64 <= int(value) < _INT64:
        return int(value)
    return value


def _set(values: dict[str, Any], path: Path, value: Any) -> None:
    container: Any = values
    for position, (part, following) in enumerate(pairwise(path), start=1):
        empty: Any = [] if isinstance(following, int) else {}
        present = _get(container, part)
        replaceable = isinstance(container, list) and empty == {}
        if present is None or (replaceable and not isinstance(present, dict)):
            present = empty
            _put(container, part, present)
        elif not isinstance(present, type(empty)):
            raise StrvalsError(f"{_show(path[:position])} is not a {'list' if empty == [] else 'map'}, so {_show(path)} cannot be set")
        container = present
    _put(container, path[-1], value)


def _get(container: Any, part: str | int) -> Any:
    if isinstance(container, list):
        return container[part] if isinstance(part, int) and part < len(container) else None
    return container.get(part)


def _put(container: Any, part: str | int, value: Any) -> None:
    if isinstance(container, list) and isinstance(part, int):
        container.extend([None] * (part + 1 - len(container)))
    container[part] = value


def _merge(values: dict[str, Any], content: dict[str, Any]) -> None:
    for key, value in content.items():
        if isinstance(value, dict) and isinstance(values.get(key), dict):
            _merge(values[key], value)
        else:
            values[key] = value


def _show(path: Path) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
