"""How workloads are awaited, and what is said when they do not come up."""

import itertools
import re

import pulumi

from scalr_agents.arguments import Agent
from scalr_agents.kubernetes import Rollout
from scalr_agents.release import Release

_HOOKS = itertools.count()
"""Hook names are global in a program, component names are not."""
_REFUSED = re.compile(r"already exists|is invalid|forbidden|conflict|unknown field", re.IGNORECASE)
"""Failures that come before a rollout, and have nothing to do with what an agent says."""


def rollout(name: str, agent: Agent, component: str | None = None) -> Rollout:
    """How the workloads of a component are awaited. `component` is that of their pods, where the labels have one."""
    message = failure(agent.checked.release, component)

    def explain(refused: pulumi.ErrorHookArgs) -> bool:
        if refused.failed_operation != "delete" and not any(_REFUSED.search(error) for error in refused.errors):
            pulumi.log.error(message)
        return False  # no second try: what failed needs a person

    return Rollout(
        await_ready=agent.await_rollout,
        timeout_seconds=agent.rollout_timeout_seconds,
        on_failure=pulumi.ErrorHook(f"{name}-rollout-{next(_HOOKS)}", explain),
        mounts=agent.mounts,
    )


def failure(release: Release, component: str | None = None) -> str:
    """What to look at when an agent does not come up."""
    selector = ",".join(f"{key}={value}" for key, value in release.selector(component).items())
    who = "The controllers" if component == "agent" else "The pods"
    return (
        f"{who} of {release.name!r} did not become ready. What they say:\n"
        f"  kubectl logs -n {release.namespace} -l {selector} --all-containers --tail=50\n"
        "Is the token of the agent pool still valid? With a wrong or revoked token the agent exits soon after it starts."
    )
