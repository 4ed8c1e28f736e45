"""Errors that the API server would report beyond field types, with their path. Tests on the control plane confirm them."""

from typing import Any

import pytest
from scalr_agents.model.kubernetes_rules import RULES
from scalr_agents.model.kubernetes_types import table

from tests.helpers.opaque import READ_TOO_EARLY, Later
from tests.helpers.pod_specs import ACCEPTED, MISTAKES, name_of, problems


@pytest.mark.parametrize("row", MISTAKES, ids=name_of)
def test_mistakes_are_located(row: dict[str, Any]) -> None:
    [(place, message)] = problems(row["spec"]).items()
    assert place == row["at"]
    assert row["message"] in message


@pytest.mark.parametrize("spec", ACCEPTED, ids=str)
def test_odd_values_that_work_are_accepted(spec: dict[str, Any]) -> None:
    assert problems(spec) == {}


class Opaque(Later):
    """A value that is not compared either."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError(READ_TOO_EARLY)

    __hash__ = object.__hash__


def with_outputs(given: Any) -> Any:
    """The same with every leaf known only during deployment."""
    if isinstance(given, dict):
        return {key: with_outputs(value) for key, value in given.items()}
    return [with_outputs(item) for item in given] if isinstance(given, list) else Opaque()


@pytest.mark.parametrize("row", MISTAKES, ids=name_of)
def test_outputs_are_not_read(row: dict[str, Any]) -> None:
    problems(with_outputs(row["spec"]))
    problems({field: [Opaque(), Opaque()] if isinstance(given, list) else Opaque() for field, given in row["spec"].items()})


def test_every_rule_applies_to_a_type_of_values() -> None:
    assert {kind.removeprefix("[]") for kind in RULES} - table()["types"].keys() == set()
