"""Small faults in the package that a test must notice: `python -m tests.mutants [room ...]` says which of them none does.

`tests/mutants.yaml` lists them by room. Each is applied in a copy of the repository, and never in the working tree.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

import yaml

REPOSITORY = Path(__file__).parents[1]
FAILED = 1
"""Exit code of pytest if tests failed, as opposed to those that could not run."""


@dataclass(frozen=True)
class Mutant:
    """A fault: a text of a file of the package, what it becomes, and the tests of which one must fail."""

    room: str
    file: str
    text: str
    becomes: str
    tests: Sequence[str]

    def __str__(self) -> str:
        return f"{self.room}: {self.file}: {self.text!r} becomes {self.becomes!r}"

    def content(self, root: Path = REPOSITORY) -> str:
        """The file with the fault. Raises `ValueError` unless the text occurs exactly once."""
        content = (root / self.file).read_text(encoding="utf-8")
        if content.count(self.text) != 1:
            raise ValueError(f"{self}: this text occurs {content.count(self.text)} times")
        return content.replace(self.text, self.becomes)


def mutants() -> list[Mutant]:
    """All faults of the list."""
    listed = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    return [Mutant(room, **fields) for room, entries in listed.items() for fields in entries]


def survivors(chosen: Sequence[Mutant], root: Path) -> Iterator[Mutant]:
    """Those that no test notices. Raises `ValueError` if the tests of one fail without it, or do not run. Changes files below `root`."""
    for tests in dict.fromkeys(tuple(each.tests) for each in chosen):
        if code := _exit_code(tests, root):
            raise ValueError(f"these tests fail without a fault (exit code {code}): {' '.join(tests)}")
    for each in chosen:
        file = root / each.file
        before = file.read_text(encoding="utf-8")
        file.write_text(each.content(root), encoding="utf-8")
        code = _exit_code(each.tests, root)
        file.write_text(before, encoding="utf-8")
        if code not in (0, FAILED):
            raise ValueError(f"{each}: the tests do not run (exit code {code})")
        if code == 0:
            yield each


def _exit_code(tests: Sequence[str], root: Path) -> int:
    # without compiled files: they are told apart by size and second, which may be those of the file before
    environment = {**os.environ, "PYTHONPATH": str(root / "components"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-n0", "-q", "-x", *tests]
    return subprocess.run(command, cwd=root, env=environment, check=False, capture_output=True).returncode


def main(rooms: Sequence[str]) -> int:
    """Exit code 1 if a mutant survives."""
    chosen = [each for each in mutants() if not rooms or each.room in rooms]
    if unknown := set(rooms) - {each.room for each in chosen}:
        raise SystemExit(f"no room of the list: {', '.join(sorted(unknown))}")
    with TemporaryDirectory() as directory:
        root = Path(directory)
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listing, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            if (REPOSITORY / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                copy(REPOSITORY / name, root / name)
        survived = 0
        for each in survivors(chosen, root):
            print(f"survived: {each}", flush=True)
            survived += 1
    print(f"{len(chosen)} mutants, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
