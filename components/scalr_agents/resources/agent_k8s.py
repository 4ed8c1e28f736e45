"""The `AgentK8s` component."""

from collections.abc import Mapping
from typing import Any

import pulumi

from scalr_agents.charts import objects as manifests
from scalr_agents.resources import deferred_secrets, kubernetes, rollouts
from scalr_agents.resources.arguments import AgentK8sArgs, prepare
from scalr_agents.resources.options import known_after


class AgentK8s(pulumi.ComponentResource):
    """A Scalr agent of the older design: a controller that starts a pod for each run, and a worker on every node that supervises them.

    It runs as root and keeps its files on the nodes or on EFS; `AgentJob` needs neither.
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
        agent = prepare("AgentK8s", name, args, chart="agent-k8s")
        super().__init__("scalr-agents:index:AgentK8s", name, {}, opts)

        release = agent.checked.release
        group = manifests.by_role(agent.checked, deferred_secrets.with_digest(self, name, agent.checked, agent.inputs))
        registered = kubernetes.register(group, self, name, opts, rollout=rollouts.rollout(name, agent))
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.deployment_name = known_after(registered["deployment"], release.names.deployment)
        self.daemon_set_name = known_after(registered["daemon-set"], release.names.worker)
        self.service_account_name = known_after(registered.get("service-account", self), release.names.service_account)
        self.controller_pod_selector = known_after(registered["deployment"], release.selector("controller"))
        self.worker_pod_selector = known_after(registered["daemon-set"], release.selector("worker"))
        self.register_outputs(self.summary())

    def summary(self) -> dict[str, pulumi.Output[Any]]:
        """The outputs, by the names that they have in a stack's outputs and in other languages."""
        return {
            "namespace": self.namespace,
            "deploymentName": self.deployment_name,
            "daemonSetName": self.daemon_set_name,
            "serviceAccountName": self.service_account_name,
            "controllerPodSelector": self.controller_pod_selector,
            "workerPodSelector": self.worker_pod_selector,
        }
