"""Secrets in plain text among the values of a stack's agents: named with the command that moves them, and never repeated."""

from pathlib import Path

import yaml
from scalr_agents import stack

from tests.helpers.agent_job import nested
from tests.helpers.kinds import JOB

HERE = Path(__file__).parent


def test_plain_values_are_no_secrets() -> None:
    rows = yaml.safe_load((HERE.parent / "charts" / "agent_job" / "values_table.yaml").read_text())
    agents = {
        f"case-{index}": {"kind": JOB, "namespace": "scalr", "values": nested(row["value"], row["set"])} for index, row in enumerate(rows)
    }
    found = stack.load({"agents": agents}, directory=HERE).findings
    assert [finding for finding in found if "secret in plain" in finding.message or "into a Secret" in finding.message] == []
