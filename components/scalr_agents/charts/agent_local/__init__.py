"""The chart `agent-local`: a Deployment or StatefulSet of agents that execute runs in their own containers."""

from scalr_agents.charts.agent_local import manifests
from scalr_agents.charts.agent_local.checks import check
from scalr_agents.charts.agent_local.corrections import RULES
from scalr_agents.charts.agent_local.settings import AgentLocalSettings
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.agent_local.versions import TABLE
from scalr_agents.charts.shared.chart import Chart

CHART = Chart(
    name="agent-local",
    values=AgentLocalValues,
    versions=TABLE,
    settings=AgentLocalSettings,
    check=check,
    groups={
        "service-account": manifests.service_account,
        "network-policy": manifests.network_policies,
        "agent": manifests.agent,
    },
    secret_data=manifests.secret_data,
    pods=manifests.pods,
    runs_at_once="agent-local has one run at a time per pod; set values.replicaCount",
    corrections=RULES,
    serves_vcs=True,
    scales=True,
    metadata_switch="allowMetadataService",
    closing_metadata="Set allowMetadataService: false",
    hints=dict.fromkeys(
        ("persistence.data.mode", "persistence.cache.mode"),
        "the chart has it from 0.7.0; remove it. Set enabled: true for a claim, and workload.kind: StatefulSet for one claim per agent",
    ),
)
