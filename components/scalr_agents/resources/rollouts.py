"""How workloads are awaited, what is said when they do not come up, and how their removal waits for runs."""

from collections.abc import Sequence
from typing import Any

import pulumi

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.resources import unready
from scalr_agents.resources.arguments import Wanted
from scalr_agents.resources.kubernetes import DELETE_MARGIN_SECONDS, Rollout
from scalr_agents.resources.options import error_hook


def rollout(name: str, wanted: Wanted[Any], component: str | None = None) -> Rollout:
    """How the workloads of a component are awaited. `component` is that of their pods, where the labels have one."""

    def explain(failed: pulumi.ErrorHookArgs) -> bool:
        told = unready.explanation(failed.errors, wanted.agent.release, component) if failed.failed_operation != "delete" else None
        if told:
            pulumi.log.error(told)
        return False  # no second try: what failed needs a person

    return Rollout(
        await_ready=wanted.await_rollout,
        timeout_seconds=wanted.rollout_timeout_seconds,
        on_failure=error_hook(f"{name}-rollout", explain),
        mounts=wanted.mounts,
    )


def until_runs_end(agents: Sequence[AnyAgent]) -> pulumi.CustomTimeouts | None:
    """Timeouts of claims that runs of these agents mount, which Kubernetes keeps until these runs are gone.

    A deletion may take as long as the longest run, if there is a limit.
    """
    limits = [agent.chart.longest_run_seconds(agent.values) for agent in agents if agent.chart.longest_run_seconds]
    known = [seconds for seconds in limits if seconds is not None]
    limited = known and len(known) == len(limits)
    return pulumi.CustomTimeouts(delete=f"{max(known) + DELETE_MARGIN_SECONDS}s") if limited else None
