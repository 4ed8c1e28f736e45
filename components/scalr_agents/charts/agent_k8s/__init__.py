"""The chart `agent-k8s`: a controller, and a worker on every node. Superseded by `agent-job`."""

from scalr_agents.charts.agent_k8s import manifests
from scalr_agents.charts.agent_k8s.checks import check
from scalr_agents.charts.agent_k8s.corrections import RULES
from scalr_agents.charts.agent_k8s.settings import AgentK8sSettings
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.agent_k8s.versions import TABLE
from scalr_agents.charts.shared.chart import Chart

CHART = Chart(
    name="agent-k8s",
    values=AgentK8sValues,
    versions=TABLE,
    settings=AgentK8sSettings,
    check=check,
    groups={
        "rbac": manifests.rbac,
        "network-policy": manifests.network_policies,
        "workloads": manifests.workloads,
    },
    secret_data=manifests.secret_data,
    pods=manifests.pods,
    runs=manifests.runs,
    runs_at_once="agent-k8s has no fixed limit; set the size of a run with values.agent.container_task_*",
    corrections=RULES,
    owns_node_directory=True,
    is_restricted=False,
    closing_metadata="Set restrictMetadataService: true",
    further_images="its runs pull other images, which the agent chooses: see docs/agent-k8s.md",
)
