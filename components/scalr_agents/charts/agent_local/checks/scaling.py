"""Cross-checks of agent-local on scaling: no run may end because its agent is removed."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import is_deferred

_CPU = "cpu"


def check(values: AgentLocalValues, inputs: Inputs) -> Findings:
    if not (scaling := inputs.scaling):
        return
    if scaling.min >= scaling.max:
        yield error("scaling.max", f"{scaling.max}, but min is {scaling.min}; raise max, or remove scaling and set replicaCount")
    if "replica_count" in values.model_fields_set and values.replica_count is not None:
        yield warning("replicaCount", "has no effect: scaling decides how many agents run")
    if not _requests_cpu(values.resources):
        yield error("resources.requests.cpu", "not set, but scaling compares what agents use with what they request; set it")
    yield from _undisturbed(values)


def _undisturbed(values: AgentLocalValues) -> Findings:
    """Whether a removed agent finishes its run first."""
    mode = values.agent.shutdown_mode
    if mode != "drain":
        yield error("agent.shutdownMode", f"{mode} ends the run of an agent that scaling removes; set drain")
    elif "termination_grace_period_seconds" not in values.model_fields_set:
        grace = values.termination_grace_period_seconds
        yield error(
            "terminationGracePeriodSeconds",
            f"not set: scaling would give a run {grace} seconds to finish when it removes the agent; set it longer than your longest run",
        )


def _requests_cpu(resources: Mapping[str, Any]) -> bool:
    """Whether the container requests processors, which Kubernetes takes from a limit otherwise."""
    amounts = [resources.get(kind) for kind in ("requests", "limits")]
    return any(is_deferred(each) or _CPU in (each or {}) for each in amounts)
