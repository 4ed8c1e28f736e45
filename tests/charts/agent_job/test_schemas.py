"""All rendered objects are valid for Kubernetes, field by field."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st
from scalr_agents import charts
from scalr_agents.model.merge import merge

from tests.charts.agent_job.tables import TABLE, TABLE_CURRENT
from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, nested, paths_of
from tests.helpers.schemas import assert_valid

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "chart_cases.yaml").read_text())
REMOVING = ("serviceAccount.create", "rbac.create", "task.allowMetadataService")
"""Values that would leave objects out."""
IMPOSSIBLE = ("agent.podDisruptionBudget.maxUnavailable",)
"""Values that contradict others."""
ROWS = {
    LEGACY: TABLE,
    CURRENT: [row for row in TABLE if row["value"] in paths_of("current")] + TABLE_CURRENT,
}


def _together(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """All that rows of a table say, at once."""
    values: dict[str, Any] = MINIMUM
    for row in rows:
        values = merge(values, merge(row.get("given", {}), nested(row["value"], row["set"])))
    return values


def _everything(version: str) -> dict[str, Any]:
    """Every value of a line at once, as far as they go together."""
    values = _together(row for row in ROWS[version] if row["value"] not in (*REMOVING, *IMPOSSIBLE))
    return merge(
        values,
        {
            "agent": {"tokenExistingSecret": {"name": ""}, "podDisruptionBudget": {"enabled": True, "minAvailable": 1}},
            "task": {"podDisruptionBudget": {"enabled": True}},
        },
    )


def _render(given: dict[str, Any], version: str) -> list[dict[str, Any]]:
    return charts.render("agent-job", given, release="runs", namespace="scalr", agent_version=version)


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_objects_are_valid(version: str) -> None:
    for given in (MINIMUM, _everything(version)):
        for manifest in _render(given, version):
            assert_valid(manifest)


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
@settings(max_examples=15, deadline=None, derandomize=True)
@for_any(data=st.data())
def test_all_values_together_are_valid(data: st.DataObject, version: str) -> None:
    rows = [row for row in ROWS[version] if row["value"] not in IMPOSSIBLE]
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True))
    rendered = _render(_together(rows[index] for index in chosen), version)
    assert "Deployment" in [manifest["kind"] for manifest in rendered]
    assert json.loads(json.dumps(rendered)) == rendered
    for manifest in rendered:
        assert_valid(manifest)


@pytest.mark.parametrize("case", CASES, ids=[f"{index}-{case['name']}" for index, case in enumerate(CASES)])
def test_any_rendered_objects_are_valid(case: dict[str, Any]) -> None:
    rendered = charts.render("agent-job", case["values"], release=case["release"], namespace=case["namespace"])
    assert [manifest["kind"] for manifest in rendered][-2:] == ["AgentTask", "Deployment"]
    for manifest in rendered:
        assert_valid(manifest)


@pytest.mark.parametrize("version", [LEGACY, CURRENT])
def test_manifests_are_plain_json(version: str) -> None:
    rendered = _render(_everything(version), version)
    assert json.loads(json.dumps(rendered)) == rendered
