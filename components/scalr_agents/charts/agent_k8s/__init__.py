"""The chart `agent-k8s`: a controller, and a worker on every node. Superseded by `agent-job`."""

from functools import cached_property

from scalr_agents.charts.agent_k8s import checks, objects
from scalr_agents.charts.agent_k8s.values import AgentK8sSettings, AgentK8sValues
from scalr_agents.charts.agent_k8s.versions import TABLE


class K8sAgent(objects.K8s):
    """An agent of this chart."""

    kind = "agent-k8s"
    model = AgentK8sValues
    versions = TABLE
    settings = AgentK8sSettings
    traits = frozenset({"owns-node-directory"})
    runs_at_once = "agent-k8s has no fixed limit; set the size of a run with values.agent.container_task_*"
    further_images = "its runs pull other images, which the agent chooses: see docs/agent-k8s.md"

    groups = {
        "rbac": objects.permissions,
        "network-policy": objects.network_policies,
        "workloads": objects.workloads,
    }
    check = checks.check
    all_secret_data = cached_property(objects.secret_data)
    pods = cached_property(objects.pods)
    runs = cached_property(objects.runs)
