"""The `AgentLocal` component."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_local import LocalAgent
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.model.manifests import Manifest
from scalr_agents.resources.arguments.agents import AgentLocalArgs
from scalr_agents.resources.kubernetes import agents, late, objects
from scalr_agents.resources.kubernetes.agents import AgentComponent, AgentRequest
from scalr_agents.resources.kubernetes.rollouts import rollout
from scalr_agents.resources.outputs import known_after


class AgentLocal(AgentComponent[LocalAgent]):
    """A Scalr agent that runs tasks in its own container, one at a time. Each replica runs one task.

    Runs share the container and its file system with earlier runs, so use a separate agent for each trust domain. This kind can
    also serve VCS providers.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the Deployment, or of the StatefulSet if `workload.kind` says so."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of the pods."""
    pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the pods."""

    def __init__(self, name: str, args: AgentLocalArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_local(name, args), opts)

    def make(self, name: str, request: AgentRequest[LocalAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentLocal", name, {}, opts)

        release = request.agent.release
        agent = late.with_images(late.with_api_server(request.agent, self, name, opts), self, name)
        group = {role: _scaled(manifest) for role, manifest in agent.by_role(late.digest(agent, self, name)).items()}
        registered = objects.register(group, self, name, opts, rollout=rollout(name, request, group))
        self.namespace = pulumi.Output.from_input(release.namespace)
        [workload] = [registered[role] for role, manifest in group.items() if manifest["kind"] in WORKLOADS]
        self.deployment_name = known_after(workload, release.names.deployment)
        self.service_account_name = known_after(registered.get("service-account", self), release.names.service_account)
        self.pod_selector = known_after(workload, release.selector())
        self.publish()


def _scaled(manifest: Manifest) -> Manifest:
    """The object; a workload of which an autoscaler has set the number of pods can get another number again."""
    return objects.forced(manifest) if manifest["kind"] in WORKLOADS else manifest
