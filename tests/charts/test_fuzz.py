"""Some random agents and stacks in each run of the tests. `python -m tests.charts.fuzz` makes thousands."""

import pytest
from scalr_agents.charts import CHARTS

from tests.charts import fuzz


def test_any_agent_gives_valid_objects_or_findings(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.main(count=30, seed=0)
    assert capsys.readouterr().out.count("'made'") == 2 * len(CHARTS)
