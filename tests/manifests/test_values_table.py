"""Every value changes what it should and nothing else."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents.values.merge import merge

from tests.manifests.changes import MINIMUM, changes, nested, objects, value_paths

TABLE: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "values_table.yaml").read_text())


def test_the_table_has_every_value_once() -> None:
    assert [row["value"] for row in TABLE] == list(value_paths())


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["value"])
def test_a_value_changes_exactly_this(row: dict[str, Any]) -> None:
    before = merge(MINIMUM, row.get("given", {}))
    after = merge(before, nested(row["value"], row["set"]))
    assert changes(objects(before), objects(after)) == row["changes"]
