"""The list of mutants fits the package, and the program that tries them tells those that survive."""

import ast
from pathlib import Path

import pytest

from tests.mutants import REPOSITORY, Mutant, mutants, survivors


@pytest.mark.parametrize("mutant", mutants(), ids=str)
def test_a_mutant_is_one_change_of_its_room_and_its_tests_exist(mutant: Mutant) -> None:
    before = (REPOSITORY / mutant.file).read_text(encoding="utf-8")
    assert mutant.content() != before
    ast.parse(mutant.content())
    assert mutant.file.startswith(f"components/scalr_agents/{mutant.room}")
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name}(" in (REPOSITORY / file).read_text(encoding="utf-8") if name else (REPOSITORY / file).exists()


def _tree(root: Path, test: str) -> Path:
    (root / "components").mkdir()
    (root / "components" / "sums.py").write_text("def double(n):\n    return n * 2\n")
    (root / "test_sums.py").write_text(f"from sums import double\n\ndef test_it():\n    assert {test}\n")
    return root


def _mutant(text: str, becomes: str) -> Mutant:
    return Mutant("sums", "components/sums.py", text, becomes, ["test_sums.py"])


def test_what_no_test_notices_survives(tmp_path: Path) -> None:
    root = _tree(tmp_path, "double(2) == 4")
    noticed, survivor = _mutant("n * 2", "n * 3"), _mutant("n * 2", "n + n")
    assert list(survivors([noticed, survivor], root)) == [survivor]
    assert (root / "components" / "sums.py").read_text() == "def double(n):\n    return n * 2\n"


@pytest.mark.parametrize(
    ("test", "text", "becomes", "problem"),
    [
        ("double(2) == 5", "n * 2", "n * 3", "these tests fail without a fault"),
        ("double(2) == 4", "m * 2", "n * 3", "this text occurs 0 times"),
        ("double(2) == 4", "n", "m", "this text occurs "),
        ("double(2) == 4", "n * 2", "n *", "the tests do not run"),
    ],
)
def test_a_stale_entry_is_an_error(tmp_path: Path, test: str, text: str, becomes: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        list(survivors([_mutant(text, becomes)], _tree(tmp_path, test)))
