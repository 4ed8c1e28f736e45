"""The chart `agent-job`: a controller that starts a Kubernetes Job for every task."""

from scalr_agents.charts.agent_job import manifests
from scalr_agents.charts.agent_job.checks import check
from scalr_agents.charts.agent_job.checks.caches import megabytes
from scalr_agents.charts.agent_job.corrections import RULES
from scalr_agents.charts.agent_job.moved import MOVED
from scalr_agents.charts.agent_job.settings import AgentJobSettings
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.versions import TABLE
from scalr_agents.charts.shared.chart import Chart

CHART = Chart(
    name="agent-job",
    values=AgentJobValues,
    versions=TABLE,
    settings=AgentJobSettings,
    check=check,
    groups={
        "rbac": manifests.rbac,
        "network-policy": manifests.network_policies,
        "controller": manifests.controller,
        "nodes": manifests.nodes,
    },
    secret_data=manifests.secret_data,
    pods=manifests.pods,
    runs=manifests.runs,
    runs_at_once="agent-job has no fixed limit; plan one controller for every 5 concurrent runs (values.agent.replicaCount)",
    corrections=RULES,
    common=lambda values: (values.global_.labels, values.global_.annotations),
    moved=MOVED,
    pre_pulls=True,
    closing_metadata="Remove task.allowMetadataService: true",
    longest_run_seconds=manifests.longest_run_seconds,
    cache_megabytes=megabytes,
)
