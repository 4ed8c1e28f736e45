"""The `AgentNetworkPolicy` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job import manifests as agent_job
from scalr_agents.resources import kubernetes
from scalr_agents.resources.arguments import AgentJobArgs, prepare


class AgentNetworkPolicy(pulumi.ComponentResource):
    """The NetworkPolicy that keeps task pods from the cloud's metadata service and from NFS servers.

    Nothing with `task.allowMetadataService: true`. Takes the arguments of `AgentJob`; the token is not needed. The cluster's network
    plugin must enforce egress policies.
    """

    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the pods it selects."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        agent = prepare("AgentNetworkPolicy", name, args, token_needed=False)
        super().__init__("scalr-agents:index:AgentNetworkPolicy", name, {}, opts)

        release = agent.checked.release
        kubernetes.register(agent_job.network_policy(agent.checked.values, release), self, name, opts)
        self.task_pod_selector = pulumi.Output.from_input(release.selector("task"))
        self.register_outputs({"taskPodSelector": self.task_pod_selector})
