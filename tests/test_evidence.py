"""Every promise of SECURITY.md and of the README has tests, which exist, and the page of evidence names them."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.reference import evidence
from tests.reference.evidence import REPOSITORY, UNTESTED

TESTS = sorted(
    {
        test
        for promises in evidence.evidence().values()
        for claims in promises.values()
        for shown in claims.values()
        if isinstance(shown, list)
        for test in shown
    }
)


def test_every_promise_is_listed_where_the_page_makes_it() -> None:
    listed = {name: list(promises) for name, promises in evidence.evidence().items()}
    assert listed == {name: list(promises) for name, promises in evidence.promised().items()}
    assert all(listed.values())


def test_another_wording_of_a_promise_changes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that whoever changes what is promised sees the tests that hold it."""
    current = evidence.page()
    for name, promises in evidence.promised().items():
        for promise, wording in promises.items():
            assert wording.strip()
            changed = {**evidence.promised(), name: {**promises, promise: f"{wording} More than that."}}
            with monkeypatch.context() as patched:
                patched.setattr(evidence, "promised", lambda changed=changed: changed)
                assert evidence.page() != current


def test_every_promise_has_a_test() -> None:
    """What cannot be tested is said beside what is, and never instead of it."""
    found = {promise: claims for promises in evidence.evidence().values() for promise, claims in promises.items()}
    assert [promise for promise, claims in found.items() if not any(isinstance(shown, list) and shown for shown in claims.values())] == []
    reasons = [shown for claims in found.values() for shown in claims.values() if not isinstance(shown, list)]
    assert [reason for reason in reasons if list(reason) != [UNTESTED]] == []
    assert reasons


@cache
def _functions(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("test", TESTS)
def test_named_tests_exist(test: str) -> None:
    file, _, name = test.partition("::")
    assert name.startswith("test_")
    assert name in _functions(REPOSITORY / file)


@pytest.mark.parametrize(
    ("file", "level"),
    [
        ("tests/engine/test_secrets.py", "the real engine"),
        ("tests/cluster/test_accepted.py", "a real control plane"),
        ("tests/cluster/test_provider.py", "the real provider"),
        ("tests/cluster/test_provider_failures.py", "the real provider"),
        ("tests/machines/test_documents.py", "plain data"),
        ("tests/machines_for_real/test_docker.py", "machines"),
        ("tests/test_pins.py", "plain data"),
        ("tests/clouds/test_samples.py", "the clouds' own providers"),
    ],
)
def test_the_level_of_a_test_is_that_of_its_folder(file: str, level: str) -> None:
    assert evidence.level(f"{file}::test_something") == level


def test_the_page_is_current() -> None:
    assert evidence.PAGE.read_text(encoding="utf-8") == evidence.page()
