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


def test_the_snapshots_cover_every_kind_with_rules(every_line: list[Manifest]) -> None:
    ruled = upgrades.FIXED.keys() | upgrades.CHANGEABLE.keys()
    assert ruled == {mutation.kind for mutation in MUTATIONS}
    assert ruled < {manifest["kind"] for manifest in every_line}
    assert {f"{kind}.{path}" for kind, paths in upgrades.FIXED.items() for path in paths} <= {
        f"{mutation.kind}.{prefix}" for mutation in MUTATIONS for prefix in (mutation.path, mutation.path.rpartition(".")[0])
    }


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_changes_of_immutable_fields_are_reported(mutation: Mutation, every_line: list[Manifest]) -> None:
    before, after = mutation.of(every_line)
    [found] = upgrades.broken([before], [after])
    known, _, difference = found.partition(": ")
    path = difference.partition(" was ")[0]
    assert known == upgrades.identity(before)
    assert path == "spec.versions.v1" if mutation.path == "spec.versions" else f"{mutation.path}.".startswith(f"{path}.")
    assert list(upgrades.broken([before], [deepcopy(before)])) == []


@pytest.mark.parametrize("kind", ["Deployment", "PersistentVolumeClaim", "Secret", "ServiceAccount"])
def test_renamed_objects_are_reported(kind: str, every_line: list[Manifest]) -> None:
    after = deepcopy(every_line)
    renamed = next(manifest for manifest in after if manifest["kind"] == kind)
    known = upgrades.identity(renamed)
    renamed["metadata"]["name"] += "-2"
    assert list(upgrades.broken(every_line, after)) == [f"{known} is gone: it was renamed or removed"]


def test_allowed_changes_are_not_reported(every_line: list[Manifest]) -> None:
    """New objects, new versions of a definition, larger volumes, other images."""
    after = deepcopy(every_line)
    for manifest in after:
        if manifest["kind"] == "CustomResourceDefinition":
            [version] = manifest["spec"]["versions"]
            manifest["spec"]["versions"].append(version | {"name": "v2", "storage": False})
        if manifest["kind"] == "PersistentVolumeClaim":
            manifest["spec"]["resources"] = {"requests": {"storage": "1Ti"}}
        if manifest["kind"] == "PersistentVolume":
            manifest["spec"]["capacity"] = {"storage": "1Ti"}
        if manifest["kind"] == "Deployment":
            manifest["spec"]["template"]["spec"]["containers"][0]["image"] = "example/agent:2"
    [config] = [deepcopy(manifest) for manifest in every_line if manifest["kind"] == "Namespace"]
    config["metadata"]["name"] = "new"
    assert upgrades.refusal("all", every_line, [*after, config]) == ""


def test_the_message_says_what_to_do(every_line: list[Manifest]) -> None:
    before, after = Mutation("PriorityClass", "value", -20).of(every_line)
    assert upgrades.refusal("tests/snapshots/dev.yaml", [before], [after]).splitlines() == [
        "tests/snapshots/dev.yaml:",
        f"  PriorityClass/{before['metadata']['name']}: value was -10 and is -20",
        (
            "An upgrade would remove or replace what is deployed, under running pods. If that is deliberate, renew the snapshots with "
            "`python -m tests.helpers.upgrades`, and say in CHANGELOG.md under Changed what is replaced and how to migrate."
        ),
    ]
