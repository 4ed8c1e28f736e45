"""The values of the `agent-local` chart."""

from typing import Literal

from scalr_agents.charts.agent_local.values.agent import Agent
from scalr_agents.charts.agent_local.values.persistence import Persistence
from scalr_agents.charts.shared.values import Image, ReleaseValues, resources
from scalr_agents.model.fields import (
    Affinity,
    Annotations,
    Count,
    CountOrPercent,
    EnvMap,
    Flag,
    Labels,
    Name,
    PodSecurityContext,
    PullSecrets,
    Resources,
    SecurityContext,
    Tolerations,
    VolumeMounts,
    Volumes,
)
from scalr_agents.model.section import ChartSection, default

__all__ = ["AgentLocalValues"]


class RollingUpdate(ChartSection):
    """How many pods a rollout replaces at a time. At least one of the two must be above zero."""

    max_surge: CountOrPercent = "25%"
    """Pods above the number of replicas, a number or a percentage (rounded up)."""
    max_unavailable: CountOrPercent = "50%"
    """Pods that may be missing, a number or a percentage (rounded down)."""


class Strategy(ChartSection):
    """Kubernetes field `spec.strategy` of the Deployment."""

    type: Literal["RollingUpdate", "Recreate"] = "RollingUpdate"
    """`RollingUpdate` starts new pods beside the old ones, `Recreate` after all old ones are gone."""
    rolling_update: RollingUpdate = default(RollingUpdate)
    """Only with `RollingUpdate`."""


class SecretMetadata(ChartSection):
    """Metadata of Secrets that are made here."""

    annotations: Annotations = {}
    """Annotations of the Secrets."""
    labels: Labels = {}
    """Labels of the Secret with the token, added to the common ones."""


class ServiceAccount(ChartSection):
    """Kubernetes field `spec.serviceAccountName` of the pods, and the account itself. Runs act as it too."""

    create: Flag = False
    """Whether to create the account."""
    automount_token: Flag = False
    """Whether the pods, and so runs, get the account's token for the Kubernetes API; the agent needs none."""
    annotations: Annotations = {}
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Labels = {}
    """Labels of the account, added to the common ones."""
    name: Name = ""
    """Name of the account. Default: the release's full name when created here, else the namespace's `default`."""


class AgentLocalValues(ReleaseValues):
    """Values of `agent-local`: a Deployment of agents, each of which executes one run at a time in its own container."""

    replica_count: Count = 1
    """Number of agents, and so of runs at a time. `null` leaves it to an autoscaler."""
    strategy: Strategy = default(Strategy)
    """How a rollout replaces pods."""
    image_pull_secrets: PullSecrets = []
    """Pull secrets of the pods, `[{name: ...}]`."""
    image: Image = default(Image)
    """Image of the agent, with the tools that runs need; before agent 1.2 `scalr/agent-runner`."""
    agent: Agent = default(Agent)
    """The agent process."""
    extra_env: EnvMap = {}
    """Environment variables of the agent and of runs. Those that the agent itself is configured by are refused."""
    secret: SecretMetadata = default(SecretMetadata)
    """Metadata of the Secrets."""
    service_account: ServiceAccount = default(ServiceAccount)
    """The service account of the pods."""
    pod_annotations: Annotations = {}
    """Annotations of the pods; win over the four that keep autoscalers away."""
    pod_security_context: PodSecurityContext = {"runAsNonRoot": True, "fsGroup": 1000, "seccompProfile": {"type": "RuntimeDefault"}}
    """Kubernetes PodSecurityContext."""
    security_context: SecurityContext = {
        "privileged": False,
        "procMount": "Default",
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
    }
    """Kubernetes SecurityContext of the container, merged with `allowPrivilegeEscalation: false`."""
    node_selector: Labels = {}
    """Node labels that the pods need."""
    tolerations: Tolerations = []
    """Tolerations of the pods."""
    affinity: Affinity = {}
    """Affinity of the pods."""
    resources: Resources = resources("1000m", "1024Mi", "4000m", "2048Mi")
    """Resources of the container: what the agent and its run may use together."""
    extra_volumes: Volumes = []
    """Further volumes."""
    extra_volume_mounts: VolumeMounts = []
    """Further mounts of volumes from `extraVolumes`."""
    persistence: Persistence = default(Persistence)
    """Volumes for workspace data and for the cache."""
    termination_grace_period_seconds: Count = 120
    """Seconds that a pod has to stop; the shutdown timeouts follow. At least 30, and 120 to drain. `null`: Kubernetes' 30."""
    allow_metadata_service: Flag = True
    """Whether agents and runs may reach the cloud's metadata service. False makes a NetworkPolicy that closes it."""
