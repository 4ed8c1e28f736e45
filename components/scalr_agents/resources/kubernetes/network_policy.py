"""The `AgentNetworkPolicy` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.component import Validated
from scalr_agents.resources.kubernetes import agents, objects
from scalr_agents.resources.kubernetes.agents import AgentRequest
from scalr_agents.resources.kubernetes.egress import with_api_server


class AgentNetworkPolicy(Validated[AgentRequest[JobAgent]]):
    """The NetworkPolicy that blocks access of task pods to the cloud's metadata service and to NFS servers.

    With value `task.allowMetadataService: true` there is no such policy. With argument `network` there are policies for the controllers
    too, in the form that `egress.enforced_by` selects. Takes the arguments of `AgentJob`; the token is not needed. The
    cluster's network plugin must enforce egress policies.
    """

    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the pods that the policy selects."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentNetworkPolicy", name, args, token_needed=False), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentNetworkPolicy", name, {}, opts)

        agent = with_api_server(request.agent, self, name, opts)
        objects.register(agent.group("network-policy"), self, name, opts)
        self.task_pod_selector = pulumi.Output.from_input(request.agent.release.selector("task"))
        self.publish()
