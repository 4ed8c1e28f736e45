"""The tables of docs/stack-file.md, with every key of the stack file, and the picture of a sample stack in README.md."""

from collections.abc import Iterator, Mapping
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
    """A table for each section, where it stands first; where it stands again, its key leads there."""
    whole, places = schema.stack_file(), dict[str, str]()
    for key, word in whole["properties"]["config"]["properties"].items():
        _find(key.partition(":")[2], word, whole["definitions"], places)
    for section, place in places.items():
        yield from _table(place, whole["definitions"][section], places)


def _find(path: str, word: Schema, definitions: Mapping[str, Schema], places: dict[str, str]) -> None:
    """Add the sections that a word holds, itself, those of a map by name, or those of a list, with the place of each."""
    place, section = section_of(path, word)
    if section and section not in places:
        places[section] = place
        for key, inner in definitions[section]["properties"].items():
            _find(f"{place}.{key}", inner, definitions, places)


def _table(path: str, section: Schema, places: Mapping[str, str]) -> Iterator[str]:
    yield f"\n### `{path}`\n\n{section['description']}\n"
    yield "\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n" if section["properties"] else ""
    for key, word in section["properties"].items():
        meaning, default = meaning_and_default(word, required=key in section.get("required", []))
        yield f"| `{key}` | {type_of(f'{path}.{key}', word, places)} | {default} | {meaning} |\n"
