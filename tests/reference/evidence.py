"""The page of evidence: what SECURITY.md and the README promise, and the tests that hold it, from tests/evidence.yaml.

The level of a test is that of its file in the table of docs/testing.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PurePosixPath

import yaml

from tests.reference.words import cell

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "evidence.md"
UNTESTED = "untested"
Shown = Sequence[str] | Mapping[str, str]
"""The tests that show something, or why none does."""
_PROMISES = {
    "SECURITY.md": ("## What is protected", r"^\| (?!What \||---)(.*?) \| (.*) \|$"),
    "README.md": ("## Why not the Helm chart", r"^- \*\*(.*?)\.\*\* (.*(?:\n  .*)*)"),
}
"""The section of a page that promises, and how each promise in it is named and worded."""
_HEAD = """\
# Evidence

<!-- `make schema` writes this page from tests/evidence.yaml. -->

What [SECURITY.md](../SECURITY.md) and the [README](../README.md) promise, and the tests that hold it. [What the tests prove](testing.md)
describes the levels. The page also lists what no test shows.

The plugin of *the real provider* comes from Pulumi's hosts, and *a node that runs containers* needs root on Linux. Where these are missing,
the tests are skipped with the reason; on GitHub, a missing plugin is a failure.
"""


def page() -> str:
    worded = promised()
    return _HEAD + "".join(_of_page(name, promises, worded[name]) for name, promises in evidence().items())


def evidence() -> dict[str, dict[str, dict[str, Shown]]]:
    """By page and promise: what is shown, and by which tests."""
    text = (REPOSITORY / "tests" / "evidence.yaml").read_text(encoding="utf-8")
    found: dict[str, dict[str, dict[str, Shown]]] = yaml.safe_load(text)
    return found


def promised() -> dict[str, dict[str, str]]:
    """The promises of each page with their wording, in its order."""
    return {name: dict(re.findall(pattern, _section(name, heading), re.MULTILINE)) for name, (heading, pattern) in _PROMISES.items()}


def level(test: str) -> str:
    """The level of a test, by the longest path of the table that its file is in."""
    file = test.partition("::")[0]
    fitting = [(len(path), name) for path, name in _levels() if fnmatch(file, path) or file.startswith(f"{path}/")]
    return max(fitting)[1]


@cache
def _levels() -> list[tuple[str, str]]:
    """Paths with their levels. A path without a folder is in that of the one before it."""
    found = []
    for name, paths in re.findall(r"^\| ([^|]*) \| ([^|]*tests/[^|]*) \|", _section("docs/testing.md", "## The levels"), re.MULTILINE):
        folder = PurePosixPath()
        for path in map(PurePosixPath, re.findall(r"`([^`]*)`", paths)):
            folder = path.parent if len(path.parts) > 1 else folder
            found.append((str(folder / path.name), name))
    return found


def _section(name: str, heading: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n## ")[0]


def _of_page(name: str, promises: Mapping[str, Mapping[str, Shown]], worded: Mapping[str, str]) -> str:
    return f"\n## {name}\n" + "".join(_of_promise(name, promise, worded[promise], claims) for promise, claims in promises.items())


def _of_promise(page_name: str, promise: str, wording: str, claims: Mapping[str, Shown]) -> str:
    quoted = " ".join(wording.split()).replace("](docs/", "](").replace("](#", f"](../{page_name}#")
    rows = "".join(row for claim, shown in claims.items() for row in _rows(claim, shown))
    return f"\n### {promise}\n\n> {quoted}\n\n| Claim | Level | Test |\n|---|---|---|\n{rows}"


def _rows(claim: str, shown: Shown) -> Iterator[str]:
    if isinstance(shown, Mapping):
        yield f"| Not tested: {cell(claim)} | | {cell(shown[UNTESTED])} |\n"
        return
    for test in shown:
        file, _, name = test.partition("::")
        yield f"| {cell(claim)} | {level(test)} | [{name}](../{file}) |\n"
