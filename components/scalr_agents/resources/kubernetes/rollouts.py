"""How deployments wait for workloads, what they log if these do not become ready, and how long a removal waits for runs."""

from collections.abc import Sequence
from typing import Any

import pulumi

from scalr_agents.charts.shared.agent import AnyAgent, Group
from scalr_agents.charts.shared.manifests import external_secrets
from scalr_agents.resources.kubernetes import unready
from scalr_agents.resources.kubernetes.agents import AgentRequest
from scalr_agents.resources.kubernetes.objects import DELETE_MARGIN_SECONDS, Rollout
from scalr_agents.resources.options import error_hook


def rollout(name: str, request: AgentRequest[Any], group: Group, component: str | None = None) -> Rollout:
    """How a deployment waits for the workloads of a component, and for its ExternalSecrets. `group` is what the component registers.

    `component` is the component label of the workloads' pods, if they have one.
    """
    release = request.agent.release
    external = {f"{name}-{role}": each["metadata"]["name"] for role, each in group.items() if each["kind"] == external_secrets.KIND}

    def explanation_of(failed: pulumi.ErrorHookArgs) -> str | None:
        if failed.name in external:
            return unready.explanation_of_external(failed.errors, release, external[failed.name])
        return unready.explanation(failed.errors, release, component, external.values())

    def explain(failed: pulumi.ErrorHookArgs) -> bool:
        explanation = explanation_of(failed) if failed.failed_operation != "delete" else None
        if explanation:
            pulumi.log.error(explanation)
        return False  # no retry: the user must fix the cause

    return Rollout(
        await_ready=request.await_rollout,
        timeout_seconds=request.rollout_timeout_seconds,
        on_failure=error_hook(f"{name}-rollout", explain),
        mounts=request.mounts,
    )


def until_runs_end(agents: Sequence[AnyAgent]) -> pulumi.CustomTimeouts | None:
    """Timeouts of claims that runs of these agents mount. Kubernetes deletes such a claim only when no run uses it any more.

    A deletion may take as long as the longest run, if runs have a time limit.
    """
    limits = [agent.runs.longest_seconds for agent in agents if agent.runs]
    known = [seconds for seconds in limits if seconds is not None]
    limited = known and len(known) == len(limits)
    return pulumi.CustomTimeouts(delete=f"{max(known) + DELETE_MARGIN_SECONDS}s") if limited else None
