"""The pages of the documentation site in build/pages, from README.md, docs/ and others. `make docs` writes them for MkDocs.

They are written for the repository's web view. On the site, README.md is the front page too, and a link to what is no page, such as code,
is its text. MkDocs reports links that lead nowhere.
"""

import os
import re
import shutil
from pathlib import Path, PurePosixPath

REPOSITORY = Path(__file__).parent.parent
DIRECTORY = REPOSITORY / "build" / "pages"
"""What MkDocs reads."""
_BESIDE_DOCS = {"README.md": "index.md", **{name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")}}
"""Pages from the top of the repository."""
_DECISIONS = "decisions.md"
_FENCED = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def write() -> None:
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    shutil.copytree(REPOSITORY / "docs", DIRECTORY)
    for path in [*_BESIDE_DOCS, *(file.relative_to(REPOSITORY).as_posix() for file in (REPOSITORY / "docs").rglob("*.md"))]:
        (DIRECTORY / _place(path)).write_text(linked((REPOSITORY / path).read_text(encoding="utf-8"), path), encoding="utf-8")
    (DIRECTORY / _DECISIONS).write_text(_decisions(), encoding="utf-8")


def linked(text: str, path: str) -> str:
    """The text of a file of the repository with links as the site has them."""

    def link(found: re.Match[str]) -> str:
        shown, target, anchor = found[1], found[2], found[3] or ""
        wanted = os.path.normpath(PurePosixPath(path).parent / target)
        if place := _place(wanted):
            return f"[{shown}]({os.path.relpath(place, PurePosixPath(_place(path)).parent)}{anchor})"
        return shown if (REPOSITORY / wanted).exists() else found[0]

    return "".join(part if index % 2 else _LINK.sub(link, part) for index, part in enumerate(_FENCED.split(text)))


def _place(path: str) -> str:
    """Where the site has a file of the repository. Empty if it does not have it."""
    if path == "docs/adr":
        return _DECISIONS
    in_docs = path.startswith("docs/") and (REPOSITORY / path).is_file()
    return path.removeprefix("docs/") if in_docs else _BESIDE_DOCS.get(path, "")


def anchor(heading: str, separator: str = "-") -> str:
    """The anchor of a heading, as in the repository's web view. MkDocs calls this, too."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def _decisions() -> str:
    """A page for the directory of decisions, which the repository's web view lists by itself."""
    files = sorted((REPOSITORY / "docs" / "adr").iterdir())
    titles = {file.name: file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for file in files}
    return "# Architecture decisions\n\n" + "".join(f"- [{title}](adr/{name})\n" for name, title in titles.items())


if __name__ == "__main__":
    write()
