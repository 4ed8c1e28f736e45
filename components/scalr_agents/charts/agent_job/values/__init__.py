"""The values of the `agent-job` chart."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from scalr_agents.charts.agent_job.values.access import Rbac, ServiceAccount
from scalr_agents.charts.agent_job.values.agent import Agent
from scalr_agents.charts.agent_job.values.global_ import Global
from scalr_agents.charts.agent_job.values.otel import Otel
from scalr_agents.charts.agent_job.values.persistence import Persistence
from scalr_agents.charts.agent_job.values.task import Task
from scalr_agents.charts.shared.values import ReleaseValues
from scalr_agents.model.names import Labels
from scalr_agents.model.section import default

__all__ = ["AgentJobValues"]


class AgentJobValues(ReleaseValues):
    """Values of `agent-job`: a controller Deployment that starts one Kubernetes Job per task."""

    service_account: ServiceAccount = default(ServiceAccount)
    """The service account of the controller and of the task pods."""
    rbac: Rbac = default(Rbac)
    """The controller's permissions."""
    global_: Global = Field(default(Global), alias="global")
    """Settings of both pods, controller and task."""
    agent: Agent = default(Agent)
    """The controller, and what the task's worker shares with it."""
    task: Task = default(Task)
    """The task: the Job that the controller starts for every run."""
    persistence: Persistence = default(Persistence)
    """Volumes for workspace data and for the shared cache."""
    otel: Otel = default(Otel)
    """OpenTelemetry export of the controller and the worker."""

    @property
    def common_labels(self) -> Labels:
        return self.global_.labels

    @property
    def common_annotations(self) -> Mapping[str, Any]:
        return self.global_.annotations
