"""How workloads are awaited, and what is said when they do not come up."""

import pulumi

from scalr_agents.resources import unready
from scalr_agents.resources.arguments import Agent
from scalr_agents.resources.kubernetes import Rollout
from scalr_agents.resources.options import error_hook


def rollout(name: str, agent: Agent, component: str | None = None) -> Rollout:
    """How the workloads of a component are awaited. `component` is that of their pods, where the labels have one."""

    def explain(failed: pulumi.ErrorHookArgs) -> bool:
        told = unready.explanation(failed.errors, agent.checked.release, component) if failed.failed_operation != "delete" else None
        if told:
            pulumi.log.error(told)
        return False  # no second try: what failed needs a person

    return Rollout(
        await_ready=agent.await_rollout,
        timeout_seconds=agent.rollout_timeout_seconds,
        on_failure=error_hook(f"{name}-rollout", explain),
        mounts=agent.mounts,
    )
