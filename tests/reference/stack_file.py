"""The tables of docs/stack-file.md, with every key of the stack file, and the picture of a sample stack in README.md."""

from collections.abc import Iterator
from pathlib import Path

from scalr_agents.stack import graph, schema

from tests.helpers import samples
from tests.reference.words import Schema, meaning_and_default, section_of, type_of

README = Path(__file__).parents[2] / "README.md"
PAGE = README.parent / "docs" / "stack-file.md"
MARK = "<!-- `make schema` writes everything below this line. -->\n"


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
    place, section = section_of(path, word)
    if section:
        yield from _table(place, definitions[section], definitions)


def _table(path: str, section: Schema, definitions: dict[str, Schema]) -> Iterator[str]:
    yield f"\n### `{path}`\n\n{section['description']}\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n"
    for key, word in section["properties"].items():
        meaning, default = meaning_and_default(word, required=key in section.get("required", []))
        yield f"| `{key}` | {type_of(f'{path}.{key}', word)} | {default} | {meaning} |\n"
    for key, word in section["properties"].items():
        yield from _nested(f"{path}.{key}", word, definitions)
