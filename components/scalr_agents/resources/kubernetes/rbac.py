"""The `AgentRbac` component."""

import pulumi

from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.component import Validated
from scalr_agents.resources.kubernetes import agents, objects
from scalr_agents.resources.kubernetes.agents import AgentRequest
from scalr_agents.resources.options import known_after


class AgentRbac(Validated[AgentRequest[JobAgent]]):
    """Service account, Role and ClusterRole of an agent, with their bindings.

    Takes the arguments of `AgentJob`; the token is not needed. If a security team owns the permissions, it creates an `AgentRbac`,
    and others create an `AgentNetworkPolicy` and an `AgentController`, all with the same `release`, `namespace` and `values`.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of controller and task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentRbac", name, args, token_needed=False), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentRbac", name, {}, opts)

        release = request.agent.release
        registered = objects.register(request.agent.group("rbac"), self, name, opts)
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.service_account_name = known_after(registered.get("service-account", self), release.names.service_account)
        self.publish()
