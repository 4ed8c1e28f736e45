"""The pages of the documentation site, made from those of the repository. `make docs` writes them for MkDocs, which builds build/site.

The pages and their links are made for the repository's web view, where README.md is the front page, pages link to code, and name each other
by their files. On the site, README.md is the front page too, pages are named by their titles, and what is no page of the site is named
without a link. The site has tables of contents beside its pages, so those inside of pages are left out. MkDocs reports links that lead
nowhere.
"""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tests import site_index
from tests.helpers import mermaid

REPOSITORY = Path(__file__).parent.parent
DIRECTORY = REPOSITORY / "build" / "pages"
"""What MkDocs reads."""
_FRONT = {"README.md": "index.md"}
_FENCED = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_CONTENTS = re.compile(r"\A((?:(?!^## ).*\n)*?)(?:- \[[^\]]*\]\(#[^)]*\).*\n)+\n?", re.MULTILINE)
_TITLE = re.compile(r"^(?:# |title: )(.*)$", re.MULTILINE)
_BOOSTS = {
    "adr/": 0.1,
    "CHANGELOG": 0.1,
    "CONTRIBUTING": 0.1,
    "releasing": 0.1,
    "testing": 0.1,
    "reference/agent-k8s": 0.1,
    "agent-k8s": 0.2,
    "reference/": 0.3,
}
"""How much a page counts in the search, by the beginning of its name. Guides count 1; few have agents of the kind agent-k8s."""
_DECISIONS = "decisions.md"
_LIBRARY = "assets/mermaid.min.js"
_NOT_ON_SITE = ("AGENTS.md",)
"""For those who have the repository before them."""


def sources() -> dict[str, str]:
    """The pages of the site, with the files of the repository that they are made from."""
    files = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    paths = [path for file in sorted(files) if (path := file.relative_to(REPOSITORY).as_posix()) not in _NOT_ON_SITE]
    return {_FRONT.get(path, path.removeprefix("docs/")): path for path in paths}


def pages() -> dict[str, str]:
    """The pages of the site, with their content."""
    found, named = sources(), titles()
    texts = {page: linked(without_contents(_read(path)), path, page, found, named) for page, path in found.items()}
    return {page: boosted(text, page) for page, text in texts.items()} | {_DECISIONS: _decisions(found)}


def titles() -> dict[str, str]:
    """The titles of the pages of the site."""
    return {page: title(_read(path)) for page, path in sources().items()} | {_DECISIONS: "Architecture decisions"}


def title(text: str) -> str:
    """The title of a page: that of its front matter, or its first heading."""
    found = _TITLE.search(text)
    return found[1].replace("`", "") if found else ""


def without_contents(text: str) -> str:
    """A page without the list of its headings that stands above the first of them."""
    return _CONTENTS.sub(r"\1", text, count=1)


def boosted(text: str, page: str) -> str:
    """A page that says in its front matter how much it counts in the search."""
    boost = next((each for beginning, each in _BOOSTS.items() if page.startswith(beginning)), 1)
    rest = text.removeprefix("---\n") if text.startswith("---\n") else f"---\n\n{text}"
    return f"---\nsearch: {{boost: {boost}}}\n{rest}"


def linked(text: str, path: str, page: str, found: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """The text of a file as a page of the site: links to files that are no pages become their text, names of files become titles."""
    pages_of = {source: name for name, source in found.items()} | {"docs/adr": _DECISIONS, "docs/reference": "reference/index.md"}

    def link(match: re.Match[str]) -> str:
        shown, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        wanted = os.path.normpath(PurePosixPath(path).parent / target)
        if wanted in pages_of:
            shown = titles[pages_of[wanted]] if _is_file(shown, wanted) else shown
            return f"[{shown}]({os.path.relpath(pages_of[wanted], PurePosixPath(page).parent)}{anchor})"
        return shown if (REPOSITORY / wanted).exists() else match[0]

    prose = _FENCED.split(text)
    return "".join(part if index % 2 else _LINK.sub(link, part) for index, part in enumerate(prose))


def _is_file(shown: str, wanted: str) -> bool:
    """Whether the text of a link is the path of its file, or the end of it."""
    return f"/{wanted}".endswith(f"/{shown.strip('`').removeprefix('../')}")


def anchor(heading: str, separator: str = "-") -> str:
    """The anchor of a heading, as in the repository's web view. MkDocs calls this, too."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def _decisions(found: Mapping[str, str]) -> str:
    """A page for the directory of decisions, which the repository's web view lists by itself."""
    titles = {
        PurePosixPath(page).name: _read(path).partition("\n")[0].lstrip("# ") for page, path in found.items() if page.startswith("adr/")
    }
    return "# Architecture decisions\n\n" + "".join(f"- [{title}](adr/{name})\n" for name, title in titles.items())


def _read(path: str) -> str:
    return (REPOSITORY / path).read_text(encoding="utf-8")


def with_library(text: str, page: str) -> str:
    """The text of a page, with the library that draws its pictures. Where a page has it already, the theme loads none."""
    path = os.path.relpath(_LIBRARY, PurePosixPath(page).parent)
    return f'{text}\n<script src="{path}"></script>\n' if "```mermaid\n" in text else text


def write(library: Path | None) -> None:
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    written = pages()
    for page, text in written.items():
        file = DIRECTORY / page
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(with_library(text, page) if library else text, encoding="utf-8")
    (DIRECTORY / site_index.NAME).write_text(site_index.text(_read("mkdocs.yml"), written, titles()), encoding="utf-8")
    (DIRECTORY / "assets").mkdir()
    for asset in ("site.css", "logo.png"):
        shutil.copy(REPOSITORY / "docs" / asset, DIRECTORY / "assets")
    if library:
        shutil.copy(library, DIRECTORY / _LIBRARY)


if __name__ == "__main__":
    write(mermaid.library())
