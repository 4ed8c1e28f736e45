"""How the removal of an agent waits for its runs: on the claims that task pods mount, which Kubernetes keeps until they are gone."""

from collections.abc import Sequence

import pulumi

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.resources.kubernetes import DELETE_MARGIN_SECONDS


def until_runs_end(agents: Sequence[AnyAgent]) -> pulumi.CustomTimeouts | None:
    """Timeouts of claims that runs of these agents mount: a deletion may take as long as the longest run, if there is a limit."""
    limits = [agent.chart.longest_run_seconds(agent.values) for agent in agents if agent.chart.longest_run_seconds]
    known = [seconds for seconds in limits if seconds is not None]
    limited = known and len(known) == len(limits)
    return pulumi.CustomTimeouts(delete=f"{max(known) + DELETE_MARGIN_SECONDS}s") if limited else None
