"""How deployments wait for workloads, what they log if these do not become ready, and how long a removal waits for runs."""

from collections.abc import Sequence
from typing import Any

import pulumi

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.resources import unready
from scalr_agents.resources.arguments import Wanted
from scalr_agents.resources.kubernetes import DELETE_MARGIN_SECONDS, Rollout
from scalr_agents.resources.options import error_hook


def rollout(name: str, wanted: Wanted[Any], component: str | None = None) -> Rollout:
    """How a deployment waits for the workloads of a component. `component` is the component label of their pods, if they have one."""

    def explain(failed: pulumi.ErrorHookArgs) -> bool:
        told = unready.explanation(failed.errors, wanted.agent.release, component) if failed.failed_operation != "delete" else None
        if told:
            pulumi.log.error(told)
        return False  # no retry: the user must fix the cause

    return Rollout(
        await_ready=wanted.await_rollout,
        timeout_seconds=wanted.rollout_timeout_seconds,
        on_failure=error_hook(f"{name}-rollout", explain),
        mounts=wanted.mounts,
    )


def until_runs_end(agents: Sequence[AnyAgent]) -> pulumi.CustomTimeouts | None:
    """Timeouts of claims that runs of these agents mount. Kubernetes deletes such a claim only when no run uses it any more.

    A deletion may take as long as the longest run, if runs have a time limit.
    """
    limits = [agent.chart.longest_run_seconds(agent.values) for agent in agents if agent.chart.longest_run_seconds]
    known = [seconds for seconds in limits if seconds is not None]
    limited = known and len(known) == len(limits)
    return pulumi.CustomTimeouts(delete=f"{max(known) + DELETE_MARGIN_SECONDS}s") if limited else None
