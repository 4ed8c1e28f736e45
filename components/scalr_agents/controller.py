"""The `AgentController` component."""

import itertools
import re
from collections.abc import Mapping

import pulumi

from scalr_agents import kubernetes
from scalr_agents.arguments import Agent, AgentJobArgs, prepare
from scalr_agents.manifests import agent_job
from scalr_agents.manifests.agent_job.pod import grace_seconds
from scalr_agents.options import known_after
from scalr_agents.release import Release


class AgentController(pulumi.ComponentResource):
    """An agent's Secrets, claims, budgets, task template and controller Deployment.

    Takes the arguments of `AgentJob`. Definitions, service account and permissions must be there: `depends_on` them.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the controller's Deployment."""
    task_template_name: pulumi.Output[str]
    """Name of the AgentTask that holds the template of the Jobs."""
    controller_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the controller's pods."""
    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        agent = prepare("AgentController", name, args)
        super().__init__("scalr-agents:index:AgentController", name, {}, opts)

        release = agent.checked.release
        group = agent_job.controller(agent.checked.values, release, agent.inputs)
        registered = kubernetes.register(group, self, name, opts, rollout=_rollout(name, agent))
        deployment = registered["deployment"]
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.deployment_name = known_after(deployment, release.names.deployment)
        self.task_template_name = known_after(registered["task-template"], release.names.task_template)
        self.controller_pod_selector = known_after(deployment, release.selector("agent"))
        self.task_pod_selector = known_after(deployment, release.selector("task"))
        self.register_outputs(
            {
                "namespace": self.namespace,
                "deploymentName": self.deployment_name,
                "taskTemplateName": self.task_template_name,
                "controllerPodSelector": self.controller_pod_selector,
                "taskPodSelector": self.task_pod_selector,
            }
        )


_HOOKS = itertools.count()
"""Hook names are global in a program, component names are not."""
_REFUSED = re.compile(r"already exists|is invalid|forbidden|conflict|unknown field", re.IGNORECASE)
"""Failures that come before a rollout, and have nothing to do with what the controller says."""
_DELETE_MARGIN_SECONDS = 120
"""What a deletion may take beyond the grace period."""


def _rollout(name: str, agent: Agent) -> kubernetes.Rollout:
    message = rollout_failure(agent.checked.release)

    def explain(failure: pulumi.ErrorHookArgs) -> bool:
        if failure.failed_operation != "delete" and not any(_REFUSED.search(error) for error in failure.errors):
            pulumi.log.error(message)
        return False  # no second try: what failed needs a person

    return kubernetes.Rollout(
        await_ready=agent.await_rollout,
        timeout_seconds=agent.rollout_timeout_seconds,
        delete_seconds=grace_seconds(agent.checked.values.agent.termination_grace_period_seconds) + _DELETE_MARGIN_SECONDS,
        on_failure=pulumi.ErrorHook(f"{name}-rollout-{next(_HOOKS)}", explain),
    )


def rollout_failure(release: Release) -> str:
    """What to look at when the controllers do not come up."""
    selector = ",".join(f"{key}={value}" for key, value in release.selector("agent").items())
    return (
        f"The controllers of {release.name!r} did not become ready. What they say:\n"
        f"  kubectl logs -n {release.namespace} -l {selector} --all-containers --tail=50\n"
        "Is the token of the agent pool still valid? With a wrong or revoked token the agent exits soon after it starts."
    )
