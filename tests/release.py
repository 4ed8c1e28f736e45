"""`make release-notes VERSION=0.2.0`: what the changelog says about a version. A release that is not what its tag says is refused.

Only what comes with Python is imported, since this also runs beside the permission to publish.
"""

import ast
import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PACKAGE = Path("components", "scalr_agents", "__init__.py")


class ReleaseError(Exception):
    """The version cannot be released like this."""


def notes(version: str, repository: Path = REPOSITORY) -> str:
    """The section of a version in CHANGELOG.md, without its heading."""
    own = _version((repository / PACKAGE).read_text(encoding="utf-8"))
    if version != own:
        raise ReleaseError(f"{version!r} is not the version of the package: __version__ in {PACKAGE} is {own!r}")
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |^\[[^\]]+\]: |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    if len(sections) != 1 or not sections[0].strip():
        raise ReleaseError(f"CHANGELOG.md needs one section with text that starts with `## [{version}] - YYYY-MM-DD`")
    return str(sections[0].strip())


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
