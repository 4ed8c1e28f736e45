"""The chart `agent-job`: a controller that starts a Kubernetes Job for every task."""

from functools import cached_property

from scalr_agents.charts.agent_job import manifests
from scalr_agents.charts.agent_job.checks import check
from scalr_agents.charts.agent_job.checks.caches import megabytes
from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.charts.agent_job.settings import AgentJobSettings
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.versions import TABLE


class JobAgent(manifests.Job):
    """An agent of this chart."""

    kind = "agent-job"
    model = AgentJobValues
    versions = TABLE
    settings = AgentJobSettings
    groups = {
        "rbac": manifests.rbac,
        "network-policy": manifests.network_policies,
        "controller": manifests.controller,
        "nodes": manifests.nodes,
    }
    moved = MOVED
    traits = frozenset({"pre-pulls"})
    runs_at_once = "agent-job has no fixed limit; plan one controller for every 5 concurrent runs (values.agent.replicaCount)"

    check = check
    all_secret_data = cached_property(manifests.secret_data)
    pods = cached_property(manifests.pods)
    runs = cached_property(manifests.runs)
    cache_megabytes = cached_property(megabytes)
