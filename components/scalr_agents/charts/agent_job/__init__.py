"""The chart `agent-job`: a controller that starts a Kubernetes Job for every task."""

from functools import cached_property

from scalr_agents.charts.agent_job import checks, environment, nodes, objects, task
from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.charts.agent_job.values import AgentJobSettings, AgentJobValues
from scalr_agents.charts.agent_job.versions import TABLE, Job


class JobAgent(Job):
    """An agent of this chart."""

    kind = "agent-job"
    model = AgentJobValues
    versions = TABLE
    settings = AgentJobSettings
    moved = MOVED
    traits = frozenset({"pre-pulls"})
    runs_at_once = "agent-job has no fixed limit; plan one controller for every 5 concurrent runs (values.agent.replicaCount)"

    groups = {
        "rbac": objects.rbac,
        "network-policy": objects.network_policies,
        "controller": objects.controller,
        "nodes": nodes.nodes,
    }
    check = checks.check
    all_secret_data = cached_property(environment.secret_data)
    pods = cached_property(objects.pods)
    runs = cached_property(task.runs)
    cache_megabytes = cached_property(objects.cache_megabytes)
