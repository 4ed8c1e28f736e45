"""The objects of agent-k8s, grouped by the component that owns them."""

from scalr_agents.charts.agent_k8s.manifests import controller, efs, worker
from scalr_agents.charts.agent_k8s.manifests.environment import secret_data
from scalr_agents.charts.agent_k8s.manifests.policies import objects as network_policies
from scalr_agents.charts.agent_k8s.manifests.policies import pods
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.chart import Group, Runs
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import rbac as roles
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model.release import Release

__all__ = ["network_policies", "pods", "rbac", "runs", "secret_data", "workloads"]

_RULES = [
    PolicyRule.model_construct(
        api_groups=[""],
        resources=["pods", "pods/status", "pods/log", "pods/exec", "configmaps", "secrets"],
        verbs=["create", "delete", "get", "list", "patch", "watch"],
    )
]
"""Permissions of the agent, which passes configuration and credentials to the pods it starts as ConfigMaps and Secrets."""

_SCHEDULED_SECONDS = 120
_ACQUIRED_SECONDS = 180
"""What the agent waits for a node, and then for a worker, without settings."""


def rbac(values: AgentK8sValues, release: Release, _inputs: Inputs) -> Group:
    """Service account and Role. An existing account gets the Role as well, but never the namespace's default account."""
    account = values.service_account
    made = {"service-account": roles.service_account(release, account.annotations, account.labels)} if account.create else {}
    return made | (roles.namespaced(_RULES, release) if account.has_role else {})


def workloads(values: AgentK8sValues, release: Release, inputs: Inputs) -> Group:
    """Secrets, the EFS volume and, last, the controller's Deployment and the workers' DaemonSet."""
    return {
        **secrets.objects(secret_data(values, inputs), release),
        **efs.objects(values, release),
        "deployment": controller.deployment(values, release, inputs),
        "daemon-set": worker.daemon_set(values, release, inputs),
    }


def runs(values: AgentK8sValues, _release: Release) -> Runs:
    """The agent chooses the names of the pods of runs."""
    scheduled = values.agent.container_task_scheduling_timeout or _SCHEDULED_SECONDS
    return Runs("", scheduled, scheduled + (values.agent.container_task_acquire_timeout or _ACQUIRED_SECONDS))
