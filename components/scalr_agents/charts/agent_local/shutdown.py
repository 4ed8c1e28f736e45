"""Cross-checks of agent-local about the time that a pod has to stop."""

from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared.checks import Findings
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model.findings import error

_SHORTEST = {"graceful": 30, "drain": 120, "force": 10}


def check(values: AgentLocalValues) -> Findings:
    """The grace period must have room for what the shutdown mode does in it."""
    mode, grace = values.agent.shutdown_mode, grace_seconds(values.termination_grace_period_seconds)
    if grace < _SHORTEST[mode]:
        yield error("terminationGracePeriodSeconds", f"{grace}, but agent.shutdownMode: {mode} needs at least {_SHORTEST[mode]}")
