"""The `AgentController` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.charts.shared.manifests import external_secrets
from scalr_agents.charts.shared.manifests.secrets import with_digest
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.component import Validated
from scalr_agents.resources.kubernetes import agents, deferred_secrets, objects, rollouts
from scalr_agents.resources.kubernetes.agents import AgentRequest
from scalr_agents.resources.kubernetes.rollouts import until_runs_end
from scalr_agents.resources.options import known_after
from scalr_agents.resources.validation import with_images

_NEEDED_BY_RUNS = ("Secret", external_secrets.KIND, "PodDisruptionBudget")
"""What runs need besides permissions and network policy."""


class AgentController(Validated[AgentRequest[JobAgent]]):
    """An agent's Secrets, claims, budgets, task template, controller Deployment, and workloads that prepare nodes.

    Takes the arguments of `AgentJob`. Custom resource definitions, service account and permissions must exist: let it depend on them.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the controller's Deployment."""
    task_template_name: pulumi.Output[str]
    """Name of the AgentTask or AgentTaskTemplate that holds the template of the Jobs."""
    controller_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the controller's pods."""
    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentController", name, args), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentController", name, {}, opts)

        agent, release = with_images(self, name, request.agent), request.agent.release
        group = with_digest(agent.group("controller"), deferred_secrets.digest(self, name, agent))
        rollout, longest = rollouts.rollout(name, request, group, "agent"), until_runs_end([agent])
        registered = objects.register(group, self, name, opts, rollout=rollout, claim_timeouts=longest)
        self.needed_by_runs = [registered[role] for role, manifest in group.items() if manifest["kind"] in _NEEDED_BY_RUNS]
        # Not awaited: these become ready when the cluster has grown, which may never happen.
        # An autoscaler may have set the number of placeholders; a number in the values replaces its own.
        nodes = {role: objects.forced(manifest) if role == "buffer" else manifest for role, manifest in agent.group("nodes").items()}
        objects.register(nodes, self, name, opts)
        deployment = registered["deployment"]
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.deployment_name = known_after(deployment, release.names.deployment)
        self.task_template_name = known_after(registered["task-template"], agent.names.task_template)
        self.controller_pod_selector = known_after(deployment, release.selector("agent"))
        self.task_pod_selector = known_after(deployment, release.selector("task"))
        self.publish()
