"""Cross-checks of agent-local about the time that a pod has to stop."""

from scalr_agents.values.agent_local import AgentLocalValues
from scalr_agents.values.checks import Findings, error

_KUBERNETES_SECONDS = 30
_SHORTEST = {"graceful": 30, "drain": 120, "force": 10}


def grace_seconds(values: AgentLocalValues) -> int:
    """How long Kubernetes waits before it kills a pod."""
    given = values.termination_grace_period_seconds
    return _KUBERNETES_SECONDS if given is None else given


def check(values: AgentLocalValues) -> Findings:
    """The grace period must have room for what the shutdown mode does in it."""
    mode, grace = values.agent.shutdown_mode, grace_seconds(values)
    if grace < _SHORTEST[mode]:
        yield error("terminationGracePeriodSeconds", f"{grace}, but agent.shutdownMode: {mode} needs at least {_SHORTEST[mode]}")
