"""How the removal of an agent waits for its runs: on the claims that task pods mount, which Kubernetes keeps until they are gone."""

from collections.abc import Sequence

import pulumi

from scalr_agents.charts import Checked
from scalr_agents.charts.agent_job import manifests as agent_job
from scalr_agents.resources.kubernetes import DELETE_MARGIN_SECONDS


def until_runs_end(agents: Sequence[Checked]) -> pulumi.CustomTimeouts | None:
    """Timeouts of claims that runs of these agents mount: a deletion may take as long as the longest run, if there is a limit."""
    limits = [agent_job.longest_run_seconds(agent.values) for agent in agents]
    known = [seconds for seconds in limits if seconds is not None]
    limited = known and len(known) == len(limits)
    return pulumi.CustomTimeouts(delete=f"{max(known) + DELETE_MARGIN_SECONDS}s") if limited else None
