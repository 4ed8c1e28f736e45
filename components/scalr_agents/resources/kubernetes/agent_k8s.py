"""The `AgentK8s` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_k8s import K8sAgent
from scalr_agents.resources.arguments.agents import AgentK8sArgs
from scalr_agents.resources.kubernetes import agents, late, objects
from scalr_agents.resources.kubernetes.agents import AgentComponent, AgentRequest
from scalr_agents.resources.kubernetes.rollouts import rollout
from scalr_agents.resources.outputs import known_after


class AgentK8s(AgentComponent[K8sAgent]):
    """A Scalr agent of the older design: a controller that starts a pod for each run, and a worker on every node that supervises them.

    It runs as root, and keeps its files on the nodes or on EFS. `AgentJob` needs neither.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the controller's Deployment."""
    daemon_set_name: pulumi.Output[str]
    """Name of the workers' DaemonSet."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of controller and workers."""
    controller_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the controller's pods."""
    worker_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the workers' pods."""

    def __init__(self, name: str, args: AgentK8sArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_k8s(name, args), opts)

    def make(self, name: str, request: AgentRequest[K8sAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentK8s", name, {}, opts)

        release = request.agent.release
        agent = late.with_images(late.with_api_server(request.agent, self, name, opts), self, name)
        group = agent.by_role(late.digest(agent, self, name))
        registered = objects.register(group, self, name, opts, rollout=rollout(name, request, group))
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.deployment_name = known_after(registered["deployment"], release.names.deployment)
        self.daemon_set_name = known_after(registered["daemon-set"], request.agent.names.worker)
        self.service_account_name = known_after(registered.get("service-account", self), release.names.service_account)
        self.controller_pod_selector = known_after(registered["deployment"], release.selector("controller"))
        self.worker_pod_selector = known_after(registered["daemon-set"], release.selector("worker"))
        self.publish()
