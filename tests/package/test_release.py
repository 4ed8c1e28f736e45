"""What a release says, and which releases are refused."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
    module(tmp_path, "1.10.0")
    return tmp_path


def module(repository: Path, version: str) -> None:
    file = repository / release.PACKAGE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'"""The package."""\n\nimport sys\n\n__version__ = "{version}"\n')


def test_the_text_is_the_section_of_the_version(repository: Path) -> None:
    assert release.notes("1.10.0", repository) == "### Added\n\n- A thing."
    (repository / "CHANGELOG.md").write_text(CHANGELOG.replace("## [Unreleased]\n", "").partition("## [1.1.0]")[0].rstrip())
    assert release.notes("1.10.0", repository) == "### Added\n\n- A thing."


def test_changes_that_no_version_has_are_refused(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Another thing.\n"))
    with pytest.raises(release.ReleaseError, match=r" under \[Unreleased\]: they belong to the section of 1\.10\.0$"):
        release.notes("1.10.0", repository)


def test_an_older_version_is_refused(repository: Path) -> None:
    module(repository, "1.1.0")
    with pytest.raises(
        release.ReleaseError, match=r"^CHANGELOG\.md needs one section with text, the first, that starts with `## \[1\.1\.0\]"
    ):
        release.notes("1.1.0", repository)


def test_pages_that_deny_the_release_are_refused(repository: Path) -> None:
    (repository / "docs").mkdir()
    (repository / "docs" / "programs.md").write_text(f"The package is {release.UNRELEASED}.\n")
    with pytest.raises(release.ReleaseError, match=r"^remove the sentences with 'not released yet' from docs/programs\.md$"):
        release.notes("1.10.0", repository)


@pytest.mark.parametrize("version", ["1.1.0", "v1.10.0", "1.10", "1.10.0rc1", ""])
def test_another_version_is_refused(version: str, repository: Path) -> None:
    with pytest.raises(release.ReleaseError, match=r" is not the version of the package: .* is '1\.10\.0'$"):
        release.notes(version, repository)


@pytest.mark.parametrize(
    "heading",
    [
        "## 1.10.0 - 2026-01-02",
        "## [1.10.0]",
        "## [1.10.0] - soon",
        "## [1.10.0] - 2026-01-02\n\n## [1.9.0] - 2026-01-01",
    ],
)
def test_a_version_without_a_section_is_refused(heading: str, repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(CHANGELOG.replace("## [1.10.0] - 2026-01-02", heading))
    with pytest.raises(release.ReleaseError, match=r" needs one section with text, the first, that starts with `## \[1\.10\.0\] - "):
        release.notes("1.10.0", repository)


def test_two_sections_of_a_version_are_refused(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(CHANGELOG + CHANGELOG)
    with pytest.raises(release.ReleaseError, match="one section"):
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


@pytest.mark.parametrize("tag", ["0.0.1", "$(shell touch {made})", '"; touch {made}; "', "`touch {made}`"])
def test_make_refuses_another_tag(tag: str, tmp_path: Path) -> None:
    """As the workflow hands it over: in the environment, where neither make nor the shell expands it."""
    version = tag.format(made=tmp_path / "made")
    done = make(release.REPOSITORY, VERSION=version)
    assert done.returncode
    assert done.stdout == ""
    assert f"{version!r} is not the version of the package" in done.stderr
    assert not (tmp_path / "made").exists()
