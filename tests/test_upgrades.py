"""An upgrade does not rename, remove or replace deployed objects."""

from copy import deepcopy

import pytest
from scalr_agents.model.manifests import Manifest

from tests.helpers import samples, upgrades
from tests.helpers.upgrades import EVERY_LINE, MUTATIONS, NAMES, Mutation


@pytest.fixture(scope="module")
def every_line() -> list[Manifest]:
    return upgrades.snapshot(EVERY_LINE)


@pytest.mark.parametrize("name", NAMES)
def test_an_upgrade_keeps_deployed_objects(name: str) -> None:
    before = upgrades.snapshot(name)
    assert len({upgrades.identity(manifest) for manifest in before}) == len(before) > 10
    assert upgrades.refusal(f"tests/snapshots/{name}.yaml", before, upgrades.today(name)) == ""


def test_every_stack_has_a_snapshot() -> None:
    assert sorted(file.stem for file in upgrades.SNAPSHOTS.iterdir()) == sorted([*samples.STACKS, EVERY_LINE])


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_changes_of_immutable_fields_are_reported(mutation: Mutation, every_line: list[Manifest]) -> None:
    before, after = mutation.of(every_line)
    [found] = upgrades.broken([before], [after])
    known, _, difference = found.partition(": ")
    path = difference.partition(" was ")[0]
    assert known == upgrades.identity(before)
    assert path == "spec.versions.v1" if mutation.path == "spec.versions" else f"{mutation.path}.".startswith(f"{path}.")
    assert list(upgrades.broken([before], [deepcopy(before)])) == []
