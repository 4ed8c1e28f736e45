"""The `AgentNetworkPolicy` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.resources import arguments, kubernetes
from scalr_agents.resources.arguments import AgentJobArgs, Wanted
from scalr_agents.resources.component import Validated


class AgentNetworkPolicy(Validated[Wanted[AgentJobValues]]):
    """The NetworkPolicy that blocks access of task pods to the cloud's metadata service and to NFS servers.

    With value `task.allowMetadataService: true` there is no policy. Takes the arguments of `AgentJob`; the token is not needed. The
    cluster's network plugin must enforce egress policies.
    """

    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the pods that the policy selects."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, arguments.agent_job("AgentNetworkPolicy", name, args, token_needed=False), opts)

    def make(self, name: str, wanted: Wanted[AgentJobValues], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentNetworkPolicy", name, {}, opts)

        kubernetes.register(wanted.agent.group("network-policy"), self, name, opts)
        self.task_pod_selector = pulumi.Output.from_input(wanted.agent.release.selector("task"))
        self.publish()
