"""`make release-notes VERSION=0.2.0`: what the changelog says about a version. What differs from its tag or from the pages is refused.

Only what comes with Python is imported, since this also runs beside the permission to publish.
"""

import ast
import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PACKAGE = Path("components", "scalr_agents", "__init__.py")


UNRELEASED = "not released yet"
"""What pages say of installing the package until the first release."""


class ReleaseError(Exception):
    """The version cannot be released like this."""


def notes(version: str, repository: Path = REPOSITORY) -> str:
    """The section of a version in CHANGELOG.md, without its heading. Nothing else may wait to be released."""
    own = _version((repository / PACKAGE).read_text(encoding="utf-8"))
    if version != own:
        raise ReleaseError(f"{version!r} is not the version of the package: __version__ in {PACKAGE} is {own!r}")
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.*)\n((?:(?!## |\[[^\]]+\]: ).*\n?)*)", changelog, re.MULTILINE)
    heading, text = next(((heading, text.strip()) for heading, text in sections if text.strip() or heading != "[Unreleased]"), ("", ""))
    if heading == "[Unreleased]":
        raise ReleaseError(f"CHANGELOG.md has changes under [Unreleased]: they belong to the section of {version}")
    repeated = [each for each, _ in sections].count(heading) > 1
    if repeated or not text or not re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", heading):
        raise ReleaseError(f"CHANGELOG.md needs one section with text, the first, that starts with `## [{version}] - YYYY-MM-DD`")
    outdated = [str(page.relative_to(repository)) for page in _pages(repository) if UNRELEASED in page.read_text(encoding="utf-8")]
    if outdated:
        raise ReleaseError(f"remove the sentences with {UNRELEASED!r} from {', '.join(outdated)}")
    return text


def _pages(repository: Path) -> list[Path]:
    return [repository / "README.md", *sorted((repository / "docs").glob("*.md"))]


def _version(source: str) -> str:
    """What a module assigns to `__version__`."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__version__":
            return str(ast.literal_eval(statement.value))
    raise ReleaseError(f"{PACKAGE} has no __version__")


def main(version: str) -> None:
    try:
        print(notes(version))
    except ReleaseError as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main(*sys.argv[1:])
