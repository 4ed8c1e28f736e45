"""Parts of the JSON Schema of stack files in words, as pages show them.

The schema has the types, defaults and docstrings of the models, so that editors, pages and `scalr-agents check` say the same.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_TYPES = {"string": "string", "boolean": "boolean", "integer": "whole number", "number": "number", "array": "list", "object": "map"}
_DEFAULT = re.compile(r" ?Default: (.+?)\.(?= |$)")
"""A default that is no constant, as descriptions say it."""
_REQUIRED = re.compile(r" Required((?: for [^.]+)?)\.(?= |$)")
"""A key that must be set although its model has a default: a check reports it."""
INPUT = "(input)"
"""What can be an output of another resource."""
Schema = dict[str, Any]


def section_of(path: str, word: Schema) -> tuple[str, str]:
    """Where the section of a word stands in the file, and the name of its definition; both empty if it holds none."""
    word = _without_null(word)
    holders = {path: word, f"{path}.<name>": word.get("additionalProperties"), f"{path}[]": word.get("items")}
    for place, held in holders.items():
        reference = _without_null(held).get("$ref") if isinstance(held, dict) else None
        if reference:
            return place, reference.rpartition("/")[2]
    return "", ""


def _without_null(word: Schema) -> Schema:
    """`null` unsets a word, whatever it is: the page says so once."""
    kept = [choice for choice in word.get("anyOf", []) if choice != {"type": "null"}]
    return kept[0] if len(kept) == 1 else word


def type_of(path: str, word: Schema, places: Mapping[str, str] = MappingProxyType({})) -> str:
    """The type of the word at a path. `places` are those of sections with a table elsewhere, by the names of their definitions."""
    place, section = section_of(path, word)
    word = _without_null(word)
    if place:
        told = places.get(section, place)
        link = f"[`{told}`](#{re.sub(r'[^a-z0-9-]', '', told.lower())})"
        return {path: f"section {link}", f"{path}[]": f"list of {link}"}.get(place, f"map of {link}")
    if "enum" in word:
        return _either([f"`{choice}`" if choice else '`""`' for choice in word["enum"]])
    if "anyOf" in word:
        choices = [choice for choice in word["anyOf"] if choice != {"type": "null"}]
        sealed = any("secure" in choice.get("required", ()) for choice in choices)
        return "secret" if sealed else _either([_TYPES[choice["type"]] for choice in choices])
    if isinstance(word["type"], list):
        return _either([_TYPES[each] for each in word["type"]]) if "boolean" in word["type"] else "quantity"
    content = word.get("items", word.get("additionalProperties"))
    if not isinstance(content, dict):
        return _TYPES[word["type"]]
    held = content.get("type", "secret")  # variables may be written as numbers and booleans too
    return f"{_TYPES[word['type']]} of {_TYPES.get(held, held) if isinstance(held, str) else _TYPES['string']}s"


def _either(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def meaning_and_default(word: Schema, *, required: bool) -> tuple[str, str]:
    told = _DEFAULT.search(word["description"])
    given = default_of(word)
    in_words = told and isinstance(given, list | dict)  # for readers, words are better than a list of sections
    constant = f"`{given if isinstance(given, str) else json.dumps(given)}`" if given not in (None, "", [], {}) and not in_words else ""
    if needed := _REQUIRED.search(word["description"]):
        return _REQUIRED.sub("", word["description"]), f"required{needed[1]}"
    default = "required" if required else constant or (told[1] if told else "none")
    return word["description"] if constant or not told else _DEFAULT.sub("", word["description"]), default


def default_of(word: Schema) -> Any:
    """The default of a word, if that is a constant."""
    return word.get("default", _without_null(word).get("default"))


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return _prose(" ".join(text.split())).replace("|", "\\|")


def paragraphs(text: str) -> str:
    """A text in paragraphs; those after `\\b` are shown as they are, as click does."""
    return "\n\n".join(f"```sh\n{part[1:].strip()}\n```" if part.startswith("\b") else _prose(part) for part in text.split("\n\n"))


def _prose(text: str) -> str:
    """A text in which pages are links and `<name>` is no tag of HTML."""
    parts = re.split(r"(`[^`]*`)", re.sub(r"\bdocs/([\w-]+\.md)\b", r"[\1](../\1)", text))
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)
