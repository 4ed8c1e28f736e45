"""The pages of the documentation site, made from those of the repository. `make docs` writes them for MkDocs, which builds build/site.

The pages and their links are made for the repository's web view, where README.md is the front page and pages link to code. On the site,
README.md is the front page too, and what is no page of the site is named without a link. MkDocs reports links that lead nowhere.
"""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tests import mermaid

REPOSITORY = Path(__file__).parent.parent
DIRECTORY = REPOSITORY / "build" / "pages"
"""What MkDocs reads."""
_FRONT = {"README.md": "index.md"}
_FENCED = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_DECISIONS = "decisions.md"
_LIBRARY = "assets/mermaid.min.js"


def sources() -> dict[str, str]:
    """The pages of the site, with the files of the repository that they are made from."""
    files = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    paths = [file.relative_to(REPOSITORY).as_posix() for file in sorted(files)]
    return {_FRONT.get(path, path.removeprefix("docs/")): path for path in paths}


def pages() -> dict[str, str]:
    """The pages of the site, with their content."""
    found = sources()
    return {page: linked(_read(path), path, page, found) for page, path in found.items()} | {_DECISIONS: _decisions(found)}


def linked(text: str, path: str, page: str, found: Mapping[str, str]) -> str:
    """The text of a file as a page of the site: links to files that are no pages become their text."""
    pages_of = {source: name for name, source in found.items()} | {"docs/adr": _DECISIONS, "docs/reference": "reference/index.md"}

    def link(match: re.Match[str]) -> str:
        shown, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        wanted = os.path.normpath(PurePosixPath(path).parent / target)
        if wanted in pages_of:
            return f"[{shown}]({os.path.relpath(pages_of[wanted], PurePosixPath(page).parent)}{anchor})"
        return shown if (REPOSITORY / wanted).exists() else match[0]

    prose = _FENCED.split(text)
    return "".join(part if index % 2 else _LINK.sub(link, part) for index, part in enumerate(prose))


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
    for page, text in pages().items():
        file = DIRECTORY / page
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(with_library(text, page) if library else text, encoding="utf-8")
    (DIRECTORY / "assets").mkdir()
    shutil.copy(REPOSITORY / "docs" / "site.css", DIRECTORY / "assets")
    if library:
        shutil.copy(library, DIRECTORY / _LIBRARY)


if __name__ == "__main__":
    write(mermaid.library())
