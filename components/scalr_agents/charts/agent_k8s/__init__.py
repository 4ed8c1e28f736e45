"""The chart `agent-k8s`: a controller, and a worker on every node. Superseded by `agent-job`."""

from functools import cached_property

from scalr_agents.charts.agent_k8s import manifests
from scalr_agents.charts.agent_k8s.checks import check
from scalr_agents.charts.agent_k8s.settings import AgentK8sSettings
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.agent_k8s.versions import TABLE


class K8sAgent(manifests.K8s):
    """An agent of this chart."""

    kind = "agent-k8s"
    model = AgentK8sValues
    versions = TABLE
    settings = AgentK8sSettings
    groups = {
        "rbac": manifests.rbac,
        "network-policy": manifests.network_policies,
        "workloads": manifests.workloads,
    }
    runs_at_once = "agent-k8s has no fixed limit; set the size of a run with values.agent.container_task_*"
    traits = frozenset({"owns-node-directory"})
    further_images = "its runs pull other images, which the agent chooses: see docs/agent-k8s.md"

    check = check
    all_secret_data = cached_property(manifests.secret_data)
    pods = cached_property(manifests.pods)
    runs = cached_property(manifests.runs)
