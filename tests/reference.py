"""What `make schema` writes into pages: the tables of docs/stack-file.md, and the picture of a sample stack in README.md.

The tables have every key of the stack file, read from its JSON Schema.

The schema has the types, defaults and docstrings of the models, so that editors, the page and `scalr-agents check` say the same.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scalr_agents.stack import graph, schema

from tests import samples

README = Path(__file__).parent.parent / "README.md"
PAGE = README.parent / "docs" / "stack-file.md"
MARK = "<!-- `make schema` writes everything below this line. -->\n"

_TYPES = {"string": "string", "boolean": "boolean", "integer": "whole number", "number": "number", "array": "list", "object": "map"}
_DEFAULT = re.compile(r" ?Default: (.+?)\.(?= |$)")
"""A default that is no constant, as descriptions say it."""
Schema = dict[str, Any]


def renewed(page: str) -> str:
    """The page with the tables of today; what is written by hand above the mark stays."""
    written_by_hand, mark, _ = page.partition(MARK)
    return written_by_hand + mark + "".join(_tables())


def with_picture(readme: str) -> str:
    """The page with the picture of today."""
    before, fence, rest = readme.partition("```mermaid\n")
    drawn = graph.mermaid(graph.of(samples.sample(samples.PICTURED)))
    return before + fence + drawn + rest[rest.index("```") :]


def _tables() -> Iterator[str]:
    whole = schema.stack_file()
    for key, word in whole["properties"]["config"]["properties"].items():
        yield from _nested(key.partition(":")[2], word, whole["definitions"])


def _nested(path: str, word: Schema, definitions: dict[str, Schema]) -> Iterator[str]:
    """The tables of the sections that a word holds: itself, those of a map by name, or those of a list."""
    place, section = _section(path, word)
    if section:
        yield from _table(place, definitions[section], definitions)


def _table(path: str, section: Schema, definitions: dict[str, Schema]) -> Iterator[str]:
    yield f"\n### `{path}`\n\n{section['description']}\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n"
    for key, word in section["properties"].items():
        meaning, default = _meaning_and_default(word, required=key in section.get("required", []))
        yield f"| `{key}` | {_type(f'{path}.{key}', word)} | {default} | {meaning} |\n"
    for key, word in section["properties"].items():
        yield from _nested(f"{path}.{key}", word, definitions)


def _section(path: str, word: Schema) -> tuple[str, str]:
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


def _type(path: str, word: Schema) -> str:
    place, _ = _section(path, word)
    word = _without_null(word)
    if place:
        link = f"[`{place}`](#{re.sub(r'[^a-z0-9-]', '', place.lower())})"
        return {path: f"section {link}", f"{path}[]": f"list of {link}"}.get(place, f"map of {link}")
    if "enum" in word:
        *others, last = (f"`{choice}`" for choice in word["enum"])
        return f"{', '.join(others)} or {last}"
    if "anyOf" in word:
        return "secret"
    if isinstance(word["type"], list):
        return "quantity"
    content = word.get("items", word.get("additionalProperties"))
    if not isinstance(content, dict):
        return _TYPES[word["type"]]
    held = content.get("type", "secret")  # variables may be written as numbers and booleans too
    return f"{_TYPES[word['type']]} of {_TYPES.get(held, held) if isinstance(held, str) else _TYPES['string']}s"


def _meaning_and_default(word: Schema, *, required: bool) -> tuple[str, str]:
    told = _DEFAULT.search(word["description"])
    given = _without_null(word).get("default")
    constant = f"`{given if isinstance(given, str) else json.dumps(given)}`" if given not in (None, "", [], {}) else ""
    default = "required" if required else constant or (told[1] if told else "none")
    return word["description"] if constant or not told else _DEFAULT.sub("", word["description"]), default


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
    README.write_text(with_picture(README.read_text()))
