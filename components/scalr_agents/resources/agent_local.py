"""The `AgentLocal` component."""

from collections.abc import Mapping
from typing import Any

import pulumi

from scalr_agents.charts import objects as manifests
from scalr_agents.resources import deferred_secrets, kubernetes, rollouts
from scalr_agents.resources.arguments import AgentLocalArgs, prepare
from scalr_agents.resources.options import known_after


class AgentLocal(pulumi.ComponentResource):
    """A Scalr agent that runs tasks in its own container, one at a time; more replicas run more.

    Runs share container and file system with those before them, so give every trust domain an agent of its own. Serves VCS providers
    too.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the Deployment."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of the pods."""
    pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the pods."""

    def __init__(self, name: str, args: AgentLocalArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        agent = prepare("AgentLocal", name, args, chart="agent-local")
        super().__init__("scalr-agents:index:AgentLocal", name, {}, opts)

        release = agent.checked.release
        group = manifests.by_role(agent.checked, deferred_secrets.with_digest(self, name, agent.checked, agent.inputs))
        registered = kubernetes.register(group, self, name, opts, rollout=rollouts.rollout(name, agent))
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.deployment_name = known_after(registered["deployment"], release.names.deployment)
        self.service_account_name = known_after(registered.get("service-account", self), release.names.service_account)
        self.pod_selector = known_after(registered["deployment"], release.selector())
        self.register_outputs(self.summary())

    def summary(self) -> dict[str, pulumi.Output[Any]]:
        """The outputs, by the names that they have in a stack's outputs and in other languages."""
        return {
            "namespace": self.namespace,
            "deploymentName": self.deployment_name,
            "serviceAccountName": self.service_account_name,
            "podSelector": self.pod_selector,
        }
