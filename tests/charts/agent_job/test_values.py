"""Every value changes what it should and nothing else, on every line that knows it."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested, objects, paths_of, value_paths
from tests.helpers.changes import changes
from tests.helpers.schemas import assert_valid

HERE = Path(__file__).parent
TABLE, TABLE_CURRENT = (yaml.safe_load((HERE / f"{name}.yaml").read_text()) for name in ("values_table", "values_table_current"))
"""The effects of every value: on the legacy line, and on the current line if they differ or the value is new."""
OWN = [row["value"] for row in TABLE_CURRENT]
SHARED = [row for row in TABLE if row["value"] in paths_of("current") and row["value"] not in OWN]
NAMED = merge(MINIMUM, {"nameOverride": "agent-job"})
"""With the names of the legacy line, so that only what is behind them differs."""


def _changed(row: dict[str, Any], minimum: dict[str, Any], version: str) -> dict[str, Any]:
    """What a row changes on a line. All of it must be valid for Kubernetes."""
    given = merge(minimum, row.get("given", {}))
    before, after = objects(given, version=version), objects(merge(given, nested(row["value"], row["set"])), version=version)
    for role, manifest in after.items():
        if manifest != before.get(role):
            assert_valid(manifest)
    return changes(before, after)


def test_the_table_has_every_value_of_the_legacy_line_once() -> None:
    assert [row["value"] for row in TABLE] == paths_of("legacy")


def test_the_tables_have_every_value_of_the_current_line_once() -> None:
    assert [path for path in paths_of("current") if path in OWN] == OWN
    assert sorted([*OWN, *(row["value"] for row in SHARED)]) == sorted(paths_of("current"))


def test_every_value_is_known_to_a_line() -> None:
    assert {*paths_of("legacy"), *paths_of("current")} == set(value_paths())


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["value"])
def test_effects_of_each_value(row: dict[str, Any]) -> None:
    assert _changed(row, MINIMUM, LEGACY) == row["changes"]


@pytest.mark.parametrize("row", TABLE_CURRENT, ids=lambda row: row["value"])
def test_effects_of_each_value_on_the_current_line(row: dict[str, Any]) -> None:
    assert _changed(row, MINIMUM, CURRENT) == row["changes"]


@pytest.mark.parametrize("row", SHARED, ids=lambda row: row["value"])
def test_effects_are_equal_on_both_lines(row: dict[str, Any]) -> None:
    assert _changed(row, NAMED, CURRENT) == row["changes"]
