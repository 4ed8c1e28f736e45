"""The `AgentJob` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.kubernetes import agents
from scalr_agents.resources.kubernetes.agents import AgentComponent, AgentRequest
from scalr_agents.resources.kubernetes.controller import AgentController
from scalr_agents.resources.kubernetes.network_policy import AgentNetworkPolicy
from scalr_agents.resources.kubernetes.rbac import AgentRbac
from scalr_agents.resources.options import child, timeouts


class AgentJob(AgentComponent[JobAgent]):
    """A Scalr agent that runs every task in its own Kubernetes Job.

    Composes `AgentRbac` (`<name>-rbac`), `AgentNetworkPolicy` (`<name>-network-policy`) and `AgentController`
    (`<name>-controller`). The custom resource definitions must exist: let it depend on an `AgentCrds`, unless the cluster has them.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the controller's Deployment."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of controller and task pods."""
    task_template_name: pulumi.Output[str]
    """Name of the AgentTask or AgentTaskTemplate that holds the template of the Jobs."""
    controller_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the controller's pods."""
    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentJob", name, args), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentJob", name, {}, opts)

        rbac = AgentRbac.of(f"{name}-rbac", request, child(self, opts))
        policy = AgentNetworkPolicy.of(f"{name}-network-policy", request, child(self, opts))
        after = child(self, opts, [rbac, policy], custom_timeouts=timeouts(opts))
        controller = AgentController.of(f"{name}-controller", request, after)
        self.needed_by_runs = [rbac, policy, *controller.needed_by_runs]
        self.namespace = controller.namespace
        self.deployment_name = controller.deployment_name
        self.service_account_name = rbac.service_account_name
        self.task_template_name = controller.task_template_name
        self.controller_pod_selector = controller.controller_pod_selector
        self.task_pod_selector = controller.task_pod_selector
        self.publish()
