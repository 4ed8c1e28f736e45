"""The values of the `agent-local` chart."""

from typing import Literal

from scalr_agents.charts.agent_local.values.agent import Agent
from scalr_agents.charts.agent_local.values.persistence import Persistence
from scalr_agents.charts.shared.values import Image, PodFields, ReleaseValues, resources
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
    TopologySpreadConstraints,
    VolumeMounts,
    Volumes,
)
from scalr_agents.model.section import ChartSection, default

__all__ = ["AgentLocalValues"]


class RollingUpdate(ChartSection):
    """How many pods a rollout replaces at a time. At least one of the two values must be above zero."""

    max_surge: CountOrPercent = "25%"
    """Pods above the number of replicas during a rollout, a number or a percentage (rounded up)."""
    max_unavailable: CountOrPercent = "50%"
    """Pods that may be unavailable during a rollout, a number or a percentage (rounded down)."""


class Strategy(ChartSection):
    """Kubernetes field `spec.strategy` of the Deployment. A StatefulSet has none of this: it stops an agent before it starts the next."""

    type: Literal["RollingUpdate", "Recreate"] = "RollingUpdate"
    """`RollingUpdate` starts new pods while old ones run; `Recreate` first stops all old ones."""
    rolling_update: RollingUpdate = default(RollingUpdate)
    """Limits of a rolling update. Only with type `RollingUpdate`."""


class ClaimRetentionPolicy(ChartSection):
    """When a StatefulSet deletes the claims of its pods (Kubernetes field `spec.persistentVolumeClaimRetentionPolicy`)."""

    when_deleted: Literal["Retain", "Delete"] = "Retain"
    """Whether claims are deleted with the StatefulSet, also when a change replaces it. `Retain` keeps them for the next one."""
    when_scaled: Literal["Retain", "Delete"] = "Retain"
    """Whether the claims of agents that scaling in removes are deleted. `Retain` keeps them until the agents are back."""


class StatefulSet(ChartSection):
    """Settings of a StatefulSet."""

    persistent_volume_claim_retention_policy: ClaimRetentionPolicy = default(ClaimRetentionPolicy)
    """When claims are deleted. Without effect on existing claims (`claimName`)."""


class Workload(ChartSection):
    """The object that runs the agents. Not in the chart up to 0.6.5."""

    kind: Literal["Deployment", "StatefulSet"] = "Deployment"
    """`Deployment`: all agents share the created claims. `StatefulSet`: each agent has a fixed name and claims of its own, which outlive
    its pod, and a rollout replaces one agent after another."""
    stateful_set: StatefulSet = default(StatefulSet)
    """Used if `kind` is `StatefulSet`."""


class SecretMetadata(ChartSection):
    """Metadata of the Secrets that are created."""

    annotations: Annotations = {}
    """Annotations of the Secrets."""
    labels: Labels = {}
    """Labels of the Secret with the token, added to the common ones."""


class ServiceAccount(ChartSection):
    """The service account of the pods (Kubernetes field `spec.serviceAccountName`). Runs use it too."""

    create: Flag = False
    """Whether to create the service account."""
    automount_token: Flag = False
    """Whether to mount the account's token for the Kubernetes API into the pods, where runs can use it. The agent does not need it."""
    annotations: Annotations = {}
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Labels = {}
    """Labels of the account, added to the common ones."""
    name: Name = ""
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`."""


class AgentLocalValues(PodFields, ReleaseValues):
    """Values of `agent-local`: a Deployment or StatefulSet of agents, each of which executes one run at a time in its own container."""

    replica_count: Count = 1
    """Number of agents, and so of concurrent runs. `null` leaves the number to an autoscaler."""
    strategy: Strategy = default(Strategy)
    """How a rollout replaces the pods of a Deployment."""
    workload: Workload = default(Workload)
    """The object that runs the agents."""
    image_pull_secrets: PullSecrets = []
    """Pull secrets of the pods, `[{name: ...}]`."""
    image: Image = default(Image)
    """Image of the agent, with the tools that runs need. Default repository before agent 1.2: `scalr/agent-runner`."""
    agent: Agent = default(Agent)
    """The agent process."""
    extra_env: EnvMap = {}
    """Environment variables of the agent and of runs. Variables that the agent sets itself are rejected."""
    secret: SecretMetadata = default(SecretMetadata)
    """Metadata of the Secrets."""
    service_account: ServiceAccount = default(ServiceAccount)
    """The service account of the pods."""
    pod_annotations: Annotations = {}
    """Annotations of the pods. Take precedence over the four that prevent eviction by autoscalers."""
    pod_labels: Labels = {}
    """Labels of the pods. Those that the selectors use cannot be changed. Not in the chart up to 0.6.5."""
    pod_security_context: PodSecurityContext = {"runAsNonRoot": True, "fsGroup": 1000, "seccompProfile": {"type": "RuntimeDefault"}}
    """Kubernetes PodSecurityContext of the pods."""
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
    """Node selector of the pods."""
    tolerations: Tolerations = []
    """Tolerations of the pods."""
    topology_spread_constraints: TopologySpreadConstraints = []
    """Topology spread constraints of the pods. Not in the chart."""
    affinity: Affinity = {}
    """Affinity of the pods."""
    resources: Resources = resources("1000m", "1024Mi", "4000m", "2048Mi")
    """Resources of the container, which the agent and its run share."""
    extra_volumes: Volumes = []
    """Additional volumes of the pods."""
    extra_volume_mounts: VolumeMounts = []
    """Additional mounts of volumes from `extraVolumes`."""
    persistence: Persistence = default(Persistence)
    """Volumes for workspace data and for the cache."""
    termination_grace_period_seconds: Count = 120
    """Seconds that a pod has to stop. The shutdown timeouts are derived from it. At least 30 for `agent.shutdownMode: graceful`, 120 for
    `drain`, 10 for `force`. `null`: 30, the default of Kubernetes."""
    allow_metadata_service: Flag = True
    """Whether agents and runs may reach the cloud's metadata service. If false, a NetworkPolicy blocks it."""
