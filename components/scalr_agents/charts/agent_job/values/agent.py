"""Section `agent`: the controller Deployment, and what the task's worker shares with it."""

from typing import Annotated, Literal

from scalr_agents.charts.shared.values import BinaryCache, Image, ModuleCache, NetworkMirrors, ProviderCache, SecretReference
from scalr_agents.model.fields import (
    Affinity,
    Annotations,
    Count,
    CountOrPercent,
    Directory,
    EnvFrom,
    EnvList,
    EnvMap,
    EnvText,
    Flag,
    InputText,
    Labels,
    PodSecurityContext,
    Resources,
    SecurityContext,
    Texts,
    Tolerations,
    TopologySpreadConstraints,
)
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable


class ControllerBudget(ChartSection):
    """PodDisruptionBudget of the controller; made when `replicaCount` is above 1. One of the two limits, not both."""

    enabled: Flag = True
    """Whether to make the budget."""
    min_available: CountOrPercent = 1
    """Controllers that must stay, a number or a percentage; `null` makes room for `maxUnavailable`."""
    max_unavailable: CountOrPercent = None
    """Controllers that may go, a number or a percentage; 0 lets none go."""


class Controller(ChartSection):
    """The controller container alone."""

    command: Texts = []
    """Command of the container. Default: that of the image."""
    args: Texts = []
    """Arguments of the container. Default: those of the image."""
    extra_env: EnvList = []
    """Kubernetes EnvVar list, after all other variables; `valueFrom` is possible."""
    extra_env_from: EnvFrom = []
    """Kubernetes field `envFrom`."""
    security_context: SecurityContext = {}
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class Agent(ChartSection):
    """The controller, and what the task's worker shares with it."""

    url: Annotated[InputText, variable("SCALR_URL")] = ""
    """The account's address, `https://<account>.scalr.io`."""
    token: Annotated[InputText, variable("SCALR_AGENT_TOKEN")] = ""
    """Token of the agent pool; becomes a Secret. In a stack file it belongs under `secrets`."""
    token_existing_secret: SecretReference = default(SecretReference)
    """An existing Secret that holds the token instead."""
    image: Image = default(Image)
    """Image of the controller, and of the worker unless it has its own."""
    debug: Annotated[EnvText, variable("SCALR_AGENT_DEBUG")] = "0"
    """`1` logs at debug level."""
    log_format: Annotated[Literal["plain", "dev", "json"], variable("SCALR_AGENT_LOG_FORMAT")] = "json"
    """Form of the log."""
    sentry_dsn: Annotated[InputText, variable("SCALR_AGENT_SENTRY_DSN")] = ""
    """Where the agent reports its errors to. Default: nowhere."""
    provider_network_mirrors: Annotated[NetworkMirrors, variable("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")] = []
    """Mirrors to take providers from, in this order, before their origin."""
    extra_env: EnvMap = {}
    """Environment variables of controller and worker."""
    labels: Labels = {}
    """Labels of the Deployment."""
    annotations: Annotations = {}
    """Annotations of the Deployment."""
    replica_count: Count = 1
    """Number of controllers."""
    min_ready_seconds: Count = 0
    """Seconds that a controller must stay ready before a rollout counts it (Kubernetes `minReadySeconds`); not in the chart.
    An agent with a wrong token is ready for some seconds before it exits: 15 makes a deployment notice."""
    pod_disruption_budget: ControllerBudget = default(ControllerBudget)
    """PodDisruptionBudget of the controller."""
    node_selector: Labels = {}
    """Node labels that the controller needs."""
    tolerations: Tolerations = []
    """Tolerations of the controller's pod."""
    affinity: Affinity = {}
    """Affinity of the controller's pod."""
    topology_spread_constraints: TopologySpreadConstraints = []
    """Topology spread constraints of the controller's pod."""
    resources: Resources = {"requests": {"cpu": "100m", "memory": "256Mi"}}
    """Resources of the controller container."""
    pod_annotations: Annotations = {}
    """Annotations of the controller's pod; win over `global.podAnnotations`."""
    pod_labels: Labels = {}
    """Labels of the controller's pod; win over `global.podLabels`."""
    pod_security_context: PodSecurityContext = {}
    """PodSecurityContext of the controller; wins over `global.podSecurityContext` key by key."""
    controller: Controller = default(Controller)
    """The controller container."""
    data_dir: Annotated[Directory, variable("SCALR_AGENT_DATA_DIR")] = "/var/lib/scalr-agent/data"
    """Where workspace data is mounted, in controller and worker."""
    cache_dir: Annotated[Directory, variable("SCALR_AGENT_CACHE_DIR")] = "/var/lib/scalr-agent/cache"
    """Where the cache is mounted, in controller and worker."""
    binary_cache: BinaryCache = default(BinaryCache)
    """Cache of binaries."""
    provider_cache: ProviderCache = default(ProviderCache)
    """Cache of providers; wants a persistent cache volume."""
    module_cache: ModuleCache = default(ModuleCache)
    """Cache of modules; wants a persistent cache volume."""
    termination_grace_period_seconds: Annotated[
        Count, variable("SCALR_AGENT_WORKER_DRAIN_TIMEOUT", "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT")
    ] = 180
    """Seconds that the controller has to stop; its shutdown timeouts follow. `null`: Kubernetes' 30."""
