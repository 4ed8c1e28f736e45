"""The `AgentController` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job import manifests as agent_job
from scalr_agents.resources import deferred_secrets, kubernetes, rollouts
from scalr_agents.resources.arguments import AgentJobArgs, prepare
from scalr_agents.resources.options import known_after
from scalr_agents.resources.removal import until_runs_end

_NEEDED_BY_RUNS = ("Secret", "PodDisruptionBudget")
"""What runs need beside permissions and network policy."""


class AgentController(pulumi.ComponentResource):
    """An agent's Secrets, claims, budgets, task template and controller Deployment, and what keeps its nodes ready.

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
        inputs = deferred_secrets.with_digest(self, name, agent.checked, agent.inputs)
        group = agent_job.controller(agent.checked.values, release, inputs)
        rollout, longest = rollouts.rollout(name, agent, "agent"), until_runs_end([agent.checked])
        registered = kubernetes.register(group, self, name, opts, rollout=rollout, claim_timeouts=longest)
        self.needed_by_runs = [registered[role] for role, manifest in group.items() if manifest["kind"] in _NEEDED_BY_RUNS]
        # Nobody waits for these: they come up when the cluster has grown, which may be never.
        kubernetes.register(agent_job.nodes(agent.checked.values, release, inputs), self, name, opts)
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
