"""Everything we render is valid for Kubernetes, field by field."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import manifests
from scalr_agents.values.merge import merge

from tests.manifests.changes import MINIMUM, nested, objects
from tests.manifests.schemas import assert_valid

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "chart_cases.yaml").read_text())
TABLE: list[dict[str, Any]] = yaml.safe_load((HERE / "values_table.yaml").read_text())


def _everything() -> dict[str, Any]:
    """Every value of the table at once, as far as they go together."""
    values: dict[str, Any] = MINIMUM
    for row in TABLE:
        if row["value"] in (
            "serviceAccount.create",
            "rbac.create",
            "agent.podDisruptionBudget.maxUnavailable",
            "task.allowMetadataService",
        ):
            continue
        values = merge(values, merge(row.get("given", {}), nested(row["value"], row["set"])))
    return merge(values, {"agent": {"tokenExistingSecret": {"name": ""}, "podDisruptionBudget": {"enabled": True, "minAvailable": 1}}})


@pytest.mark.parametrize("given", [MINIMUM, _everything()], ids=["minimum", "everything"])
def test_objects_are_valid(given: dict[str, Any]) -> None:
    for manifest in manifests.render("agent-job", given, release="runs", namespace="scalr"):
        assert_valid(manifest)


@pytest.mark.parametrize("case", CASES, ids=[f"{index}-{case['name']}" for index, case in enumerate(CASES)])
def test_whatever_the_chart_renders_is_valid(case: dict[str, Any]) -> None:
    rendered = manifests.render("agent-job", case["values"], release=case["release"], namespace=case["namespace"])
    assert [manifest["kind"] for manifest in rendered][-2:] == ["AgentTask", "Deployment"]
    for manifest in rendered:
        assert_valid(manifest)


def test_the_validator_notices_an_unknown_field() -> None:
    deployment = copy.deepcopy(objects(MINIMUM)["deployment"])
    deployment["spec"]["template"]["spec"]["containers"][0]["imagePolicy"] = "Always"
    with pytest.raises(Exception, match="imagePolicy"):
        assert_valid(deployment)


def test_the_validator_looks_into_the_task_template() -> None:
    template = copy.deepcopy(objects(MINIMUM)["task-template"])
    template["spec"]["jobTemplate"]["spec"]["restartPolicy"] = "Never"
    with pytest.raises(Exception, match="restartPolicy"):
        assert_valid(template)


def test_manifests_are_plain_json() -> None:
    rendered = manifests.render("agent-job", _everything(), release="runs", namespace="scalr")
    assert json.loads(json.dumps(rendered)) == rendered
