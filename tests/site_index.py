"""`llms.txt`, the list of the site's pages for language models (https://llmstxt.org): the navigation, each page with its first sentence."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

NAME = "llms.txt"
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SENTENCE = re.compile(r".+?\.(?=\s|$)", re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NO_PROSE = ("#", "|", "- ", "```", "<")
"""How paragraphs begin that are headings, tables, lists, code or HTML."""


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, which names functions of the build."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/name:", lambda loader, suffix, node: suffix)


def text(config: str, pages: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """The list of pages. `config` is mkdocs.yml; `pages` and `titles` are the site's, by the names in its navigation."""
    read = _Loader(config).get_single_data()
    lines = [f"# {read['site_name']}", "", f"> {_prose(pages['index.md'])}"]
    for entry in read["nav"]:
        ((section, content),) = entry.items()
        if isinstance(content, list):
            lines += ["", f"## {section}", ""]
            lines += [_line(name or titles[page], page, pages[page]) for name, page in _entries(content)]
    return "\n".join([*lines, ""])


def summary(page: str) -> str:
    """The first sentence of a page, or the description in its front matter, without links. Empty if there is none."""
    front = _FRONT.match(page)
    if front and (described := yaml.safe_load(front[1]).get("meta_desc")):
        return str(described)
    prose = _prose(page)
    found = _SENTENCE.match(prose)
    return found[0] if found else prose


def _prose(page: str) -> str:
    """The first paragraph of a page that is prose, as one line."""
    paragraphs = (part.strip() for part in re.sub(r"<!--.*?-->", "", _FRONT.sub("", page), flags=re.DOTALL).split("\n\n"))
    prose = next((part for part in paragraphs if part and not part.startswith(_NO_PROSE)), "")
    return " ".join(_LINK.sub(r"\1", prose).split())


def _entries(content: list[Any]) -> Iterator[tuple[str, str]]:
    """Names and pages of a section. A page without a name has its title."""
    for entry in content:
        yield from [("", entry)] if isinstance(entry, str) else entry.items()


def _line(name: str, page: str, content: str) -> str:
    described = summary(content)
    return f"- [{name}]({PurePosixPath(page).with_suffix('.html')})" + (f": {described}" if described else "")
