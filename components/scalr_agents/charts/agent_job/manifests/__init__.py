"""The objects of agent-job, grouped by the component that owns them.

The functions below it still take values, release and inputs one by one.
"""

from scalr_agents.charts.agent_job.manifests import (
    access,
    buffer,
    deployment,
    environment,
    node_cache,
    persistence,
    policies,
    pre_pull,
    task,
)
from scalr_agents.charts.agent_job.names import JobNames
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.versions import JobRow
from scalr_agents.charts.shared.agent import Agent, Group, Runs
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.network.destinations import Pods
from scalr_agents.charts.shared.network.policies import objects as policies_of

Job = Agent[AgentJobValues, JobNames, JobRow]
"""An agent of this chart, as its objects and checks see it."""


def rbac(agent: Job) -> Group:
    """Service account, Role, ClusterRole and their bindings."""
    return access.objects(agent.values.service_account, agent.values.rbac, agent.release)


def network_policies(agent: Job) -> Group:
    """The policy of the task pods, unless runs may reach the metadata service; more if the network is restricted."""
    return policies_of(agent, policies.default(agent.values, agent.release))


def controller(agent: Job) -> Group:
    """Secrets, budgets, claims, the task's template and, last, the Deployment."""
    values, release, inputs = agent.values, agent.release, agent.inputs
    return {
        **secrets.objects(agent.all_secret_data, release),
        **deployment.budget(values, release),
        **task.budget(values, release),
        **persistence.claims(values.persistence, release),
        "task-template": task.template(values, release, inputs),
        "deployment": deployment.deployment(values, release, inputs),
    }


def nodes(agent: Job) -> Group:
    """What keeps nodes ready for tasks: the cache directory, their images, and room for future tasks."""
    values, release, inputs = agent.values, agent.release, agent.inputs
    return {
        **node_cache.objects(values, release),
        **pre_pull.objects(values, release, inputs),
        **buffer.objects(values, release, inputs),
    }


def secret_data(agent: Job) -> secrets.SecretData:
    """Contents of the Secrets of a release."""
    return environment.secret_data(agent.values, agent.inputs)


def pods(agent: Job) -> list[Pods]:
    """The controllers, and the pods of tasks, in which the worker with its token stands beside the runner."""
    return policies.pods(agent.values, agent.release, agent.inputs)


def runs(agent: Job) -> Runs:
    """The names of Jobs are `<basename>-<run>-<stage>`. The agent leaves out a base name that would make them too long."""
    return task.runs(agent.values, agent.release)
