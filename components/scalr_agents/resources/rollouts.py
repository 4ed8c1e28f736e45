"""How workloads are awaited, and what is said when they do not come up."""

from typing import Any

import pulumi

from scalr_agents.resources import unready
from scalr_agents.resources.arguments import Wanted
from scalr_agents.resources.kubernetes import Rollout
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
