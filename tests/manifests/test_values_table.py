"""Every value changes what it should and nothing else."""

from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.merge import merge

from tests.manifests.changes import MINIMUM, changes, objects

TABLE: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "values_table.yaml").read_text())


def _leaves(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _leaves(field.annotation, here)
        else:
            yield ".".join(here)


def test_the_table_has_every_value_once() -> None:
    assert [row["value"] for row in TABLE] == list(_leaves(AgentJobValues))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["value"])
def test_a_value_changes_exactly_this(row: dict[str, Any]) -> None:
    before = merge(MINIMUM, row.get("given", {}))
    after = merge(before, reduce(lambda inner, key: {key: inner}, reversed(row["value"].split(".")), row["set"]))
    assert changes(objects(before), objects(after)) == row["changes"]
