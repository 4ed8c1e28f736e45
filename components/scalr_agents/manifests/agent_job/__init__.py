"""The objects of agent-job, in the groups that its components own."""

from scalr_agents.manifests import network_policy as policies
from scalr_agents.manifests import rbac as roles
from scalr_agents.manifests import secrets, volumes
from scalr_agents.manifests.agent_job import controller as deployment
from scalr_agents.manifests.agent_job import task
from scalr_agents.manifests.agent_job.pod import held
from scalr_agents.manifests.objects import Manifest
from scalr_agents.release import Release
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.inputs import Inputs

__all__ = ["controller", "groups", "held", "network_policy", "rbac"]

Group = dict[str, Manifest]
"""Objects by role. The role is the last part of an object's name in Pulumi and never changes."""


def groups(values: AgentJobValues, release: Release, inputs: Inputs) -> list[Group]:
    """Everything, in the order in which it must be applied."""
    return [rbac(values, release), network_policy(values, release), controller(values, release, inputs)]


def rbac(values: AgentJobValues, release: Release) -> Group:
    """Service account, Role, ClusterRole and their bindings."""
    return roles.objects(values.service_account, values.rbac, release)


def network_policy(values: AgentJobValues, release: Release) -> Group:
    """The policy of the task pods, unless runs may reach the metadata service."""
    return {} if values.task.allow_metadata_service else {"egress": policies.policy(release, task.COMPONENT)}


def controller(values: AgentJobValues, release: Release, inputs: Inputs) -> Group:
    """Secrets, claims, budgets, the task's template and, last, the Deployment."""
    return {
        **secrets.objects(held(values, inputs), release),
        **volumes.claims(values.persistence, release),
        **deployment.budget(values, release),
        **task.budget(values, release),
        "task-template": task.template(values, release, inputs),
        "deployment": deployment.deployment(values, release, inputs),
    }
