"""The objects of agent-job, grouped by the component that owns them."""

from scalr_agents.charts.agent_job.manifests import access, buffer, deployment, node_cache, persistence, pre_pull, task
from scalr_agents.charts.agent_job.manifests.environment import secret_data
from scalr_agents.charts.agent_job.manifests.policies import objects as network_policies
from scalr_agents.charts.agent_job.manifests.policies import pods
from scalr_agents.charts.agent_job.manifests.task import runs
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.chart import Group
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import secrets
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model.release import Release

__all__ = ["controller", "longest_run_seconds", "network_policies", "nodes", "pods", "rbac", "runs", "secret_data"]


def rbac(values: AgentJobValues, release: Release, _inputs: Inputs) -> Group:
    """Service account, Role, ClusterRole and their bindings."""
    return access.objects(values.service_account, values.rbac, release)


def controller(values: AgentJobValues, release: Release, inputs: Inputs) -> Group:
    """Secrets, budgets, claims, the task's template and, last, the Deployment."""
    return {
        **secrets.objects(secret_data(values, inputs), release),
        **deployment.budget(values, release),
        **task.budget(values, release),
        **persistence.claims(values.persistence, release),
        "task-template": task.template(values, release, inputs),
        "deployment": deployment.deployment(values, release, inputs),
    }


def longest_run_seconds(values: AgentJobValues) -> int | None:
    """Seconds that the pod of a task may exist, finished or not; `None` for no limit."""
    job, grace = values.task.job, grace_seconds(values.task.termination_grace_period_seconds)
    if job.active_deadline_seconds is None or job.ttl_seconds_after_finished is None:
        return None
    return job.active_deadline_seconds + grace + job.ttl_seconds_after_finished


def nodes(values: AgentJobValues, release: Release, inputs: Inputs) -> Group:
    """What keeps nodes ready for tasks: the cache directory, their images, and room for future tasks, by a schedule if there is one."""
    return {
        **node_cache.objects(values, release),
        **pre_pull.objects(values, release, inputs),
        **buffer.objects(values, release, inputs),
    }
