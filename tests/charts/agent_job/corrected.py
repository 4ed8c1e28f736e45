"""Objects and findings of a release on either line, for tests of what we do otherwise than the chart."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.model.findings import Finding
from scalr_agents.model.maps import merge

from tests.helpers.agent_job import CURRENT, LEGACY, MINIMUM, objects

on_both_lines = pytest.mark.parametrize("version", [LEGACY, CURRENT])


def objects_of(given: dict[str, Any], version: str = LEGACY) -> dict[str, dict[str, Any]]:
    return objects(merge(MINIMUM, given), version=version)


def pods_of(made: dict[str, dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    controller = made["deployment"]["spec"]["template"]
    task = made["task-template"]["spec"]["jobTemplate"]["spec"]["template"]
    return controller, task


def environment_of(container: dict[str, Any]) -> dict[str, Any]:
    return {variable["name"]: variable.get("value") for variable in container["env"]}


def findings_of(given: dict[str, Any], version: str = LEGACY) -> list[Finding]:
    return charts.check("agent-job", merge(MINIMUM, given), release="runs", namespace="scalr", agent_version=version)


def finding_at(given: dict[str, Any], path: str, version: str = LEGACY) -> Finding:
    return next(finding for finding in findings_of(given, version) if finding.path == path)
