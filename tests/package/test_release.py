"""What a release says, and which releases are refused."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import scalr_agents

from tests.package import release

CHANGELOG = """# Changelog

## [Unreleased]

## [1.10.0] - 2026-01-02

### Added

- A thing.

## [1.1.0] - 2026-01-01

- Older.

[1.10.0]: https://example.com/1.10.0
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / "README.md").write_text("# The package\n")
    file = tmp_path / release.PACKAGE
    file.parent.mkdir(parents=True)
    file.write_text('"""The package."""\n\nimport sys\n\n__version__ = "1.10.0"\n')
    return tmp_path


def test_the_text_is_the_section_of_the_version(repository: Path) -> None:
    assert release.notes("1.10.0", repository) == "### Added\n\n- A thing."
    (repository / "CHANGELOG.md").write_text(CHANGELOG.replace("## [Unreleased]\n", "").partition("## [1.1.0]")[0].rstrip())
    assert release.notes("1.10.0", repository) == "### Added\n\n- A thing."


HEADING = "## [1.10.0] - 2026-01-02"
WAITING = r" under \[Unreleased\]: they belong to the section of 1\.10\.0$"
NO_SECTION = r"^CHANGELOG\.md needs one section with text, the first, that starts with `## \[1\.10\.0\] - YYYY-MM-DD`$"


@pytest.mark.parametrize(
    ("changelog", "message"),
    [
        (CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Another thing.\n"), WAITING),
        (CHANGELOG.replace(HEADING, "## 1.10.0 - 2026-01-02"), NO_SECTION),
        (CHANGELOG.replace(HEADING, "## [1.10.0]"), NO_SECTION),
        (CHANGELOG.replace(HEADING, "## [1.10.0] - soon"), NO_SECTION),
        (CHANGELOG.replace(HEADING, f"{HEADING}\n\n## [1.9.0] - 2026-01-01"), NO_SECTION),
        (CHANGELOG.replace(HEADING, f"## [1.11.0] - 2026-01-03\n\n- Newer.\n\n{HEADING}"), NO_SECTION),
        (CHANGELOG + CHANGELOG, NO_SECTION),
    ],
)
def test_a_changelog_without_its_section_is_refused(changelog: str, message: str, repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(changelog)
    with pytest.raises(release.ReleaseError, match=message):
        release.notes("1.10.0", repository)


def test_pages_that_deny_the_release_are_refused(repository: Path) -> None:
    (repository / "docs").mkdir()
    (repository / "docs" / "programs.md").write_text(f"The package is {release.UNRELEASED}.\n")
    with pytest.raises(release.ReleaseError, match=r"^remove the sentences with 'not released yet' from docs/programs\.md$"):
        release.notes("1.10.0", repository)


def make(directory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "MAKEFLAGS": "", **environment}
    return subprocess.run(
        ["make", "-s", "release-notes", *arguments], cwd=directory, env=variables, capture_output=True, text=True, check=False
    )


def test_make_prints_the_notes_of_a_version(repository: Path) -> None:
    (repository / "tests" / "package").mkdir(parents=True)
    for name in ("Makefile", "tests/__init__.py", "tests/package/__init__.py", "tests/package/release.py"):
        shutil.copy(release.REPOSITORY / name, repository / name)
    done = make(repository, "VERSION=1.10.0")
    assert done.stderr == ""
    assert done.stdout == "### Added\n\n- A thing.\n"


@pytest.mark.parametrize("tag", ["0.0.1", "v{own}", "{own}rc1", "$(shell touch {made})", '"; touch {made}; "', "`touch {made}`"])
def test_make_refuses_another_tag(tag: str, tmp_path: Path) -> None:
    """As the workflow hands it over: in the environment, where neither make nor the shell expands it."""
    version = tag.format(made=tmp_path / "made", own=scalr_agents.__version__)
    done = make(release.REPOSITORY, VERSION=version)
    assert done.returncode
    assert done.stdout == ""
    assert f"{version!r} is not the version of the package" in done.stderr
    assert not (tmp_path / "made").exists()
