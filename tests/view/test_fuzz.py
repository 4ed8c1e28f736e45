"""Some mutated answers in each run of the tests. `make fuzz` makes ten thousand of each."""

import pytest

from tests.view import fuzz


def test_nothing_in_a_cluster_blinds_the_operator(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.main(count=5, seed=0)
    assert capsys.readouterr().out.count("5 mutations") == len(fuzz.healthy()) + 1
