"""The objects of agent-k8s, grouped by the component that owns them.

The functions below it still take values, release and inputs one by one.
"""

from scalr_agents.charts.agent_k8s.manifests import controller, efs, environment, policies, worker
from scalr_agents.charts.agent_k8s.names import K8sNames
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.agent_k8s.versions import K8sRow
from scalr_agents.charts.shared.agent import Agent, Group, Runs
from scalr_agents.charts.shared.manifests import rbac as roles
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.network import default_policy
from scalr_agents.charts.shared.network.destinations import Pods
from scalr_agents.charts.shared.network.policies import objects as policies_of
from scalr_agents.charts.shared.values import PolicyRule

K8s = Agent[AgentK8sValues, K8sNames, K8sRow]
"""An agent of this chart, as its objects and checks see it."""

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


def rbac(agent: K8s) -> Group:
    """Service account and Role. An existing account gets the Role as well, but never the namespace's default account."""
    account, release = agent.values.service_account, agent.release
    made = {"service-account": roles.service_account(release, account.annotations, account.labels)} if account.create else {}
    return made | (roles.namespaced(_RULES, release) if account.has_role else {})


def network_policies(agent: K8s) -> Group:
    """The policy of controller, workers and run pods, if they may not reach the metadata service; more if the network is restricted."""
    return policies_of(agent, {"egress": default_policy.policy(agent.release)} if agent.values.restrict_metadata_service else {})


def workloads(agent: K8s) -> Group:
    """Secrets, the EFS volume and, last, the controller's Deployment and the workers' DaemonSet."""
    values, release, inputs = agent.values, agent.release, agent.inputs
    return {
        **secrets.objects(agent.all_secret_data, release),
        **efs.objects(values, release),
        "deployment": controller.deployment(values, release, inputs),
        "daemon-set": worker.daemon_set(values, release, inputs),
    }


def secret_data(agent: K8s) -> secrets.SecretData:
    """Contents of the Secrets of a release."""
    return environment.secret_data(agent.values, agent.inputs)


def pods(agent: K8s) -> list[Pods]:
    """Run pods, workers and controllers. How the agent configures run pods is not known: they are assumed to get its proxy."""
    return policies.pods(agent.values, agent.release, agent.inputs)


def runs(agent: K8s) -> Runs:
    """The agent chooses the names of the pods of runs."""
    settings = agent.values.agent
    scheduled = settings.container_task_scheduling_timeout or _SCHEDULED_SECONDS
    return Runs(
        names="",
        schedule_seconds=scheduled,
        start_seconds=scheduled + (settings.container_task_acquire_timeout or _ACQUIRED_SECONDS),
        longest_seconds=None,
    )
