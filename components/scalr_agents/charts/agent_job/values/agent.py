"""Section `agent`: the controller Deployment, and what the task's worker shares with it."""

from typing import Annotated, Literal

from scalr_agents.charts.agent_job.values.caches import BinaryCache, ModuleCache, ProviderCache
from scalr_agents.charts.shared.values import Image, NetworkMirrors, PodFields, SecretReference
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
    """PodDisruptionBudget of the controller, created if `replicaCount` is above 1. Set only one of the two limits."""

    enabled: Flag = True
    """Whether to create the budget."""
    min_available: CountOrPercent = 1
    """Controllers that must stay available, a number or a percentage. Set `null` to use `maxUnavailable`."""
    max_unavailable: CountOrPercent = None
    """Controllers that may be unavailable, a number or a percentage. With 0, none may be evicted."""


class Controller(ChartSection):
    """Settings of the controller container only."""

    command: Texts = []
    """Command of the container. Default: the image's command."""
    args: Texts = []
    """Arguments of the container. Default: the image's arguments."""
    extra_env: EnvList = []
    """Kubernetes EnvVar list, added after all other variables. `valueFrom` is supported."""
    extra_env_from: EnvFrom = []
    """ConfigMaps and Secrets whose keys become variables (Kubernetes field `envFrom`). Variables that are set by name take precedence."""
    security_context: SecurityContext = {}
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class Agent(PodFields):
    """The controller, and what the task's worker shares with it."""

    url: Annotated[InputText, variable("SCALR_URL")] = ""
    """URL of the Scalr account, `https://<account>.scalr.io`. If it is empty, there is a warning, and the agent uses the address in its
    token, which becomes wrong when the account is renamed."""
    token: Annotated[InputText, variable("SCALR_AGENT_TOKEN")] = ""
    """Token of the agent pool. Becomes a Secret. In a stack file, set it under `secrets`."""
    token_existing_secret: SecretReference = default(SecretReference)
    """An existing Secret with the token. Takes precedence over `token`."""
    image: Image = default(Image)
    """Image of the controller, and of the worker unless `task.worker.image` is set."""
    debug: Annotated[EnvText, variable("SCALR_AGENT_DEBUG")] = "0"
    """`1` sets the log level to debug."""
    log_format: Annotated[Literal["plain", "dev", "json"], variable("SCALR_AGENT_LOG_FORMAT")] = "json"
    """Log format."""
    sentry_dsn: Annotated[InputText, variable("SCALR_AGENT_SENTRY_DSN")] = ""
    """Sentry DSN to which the agent reports its errors. Default: none."""
    provider_network_mirrors: Annotated[NetworkMirrors, variable("SCALR_AGENT_PROVIDER_NETWORK_MIRRORS")] = []
    """Mirrors to download providers from, tried in this order before the origin registry."""
    extra_env: EnvMap = {}
    """Environment variables of controller and worker."""
    labels: Labels = {}
    """Labels of the Deployment. Take precedence over `global.labels`."""
    annotations: Annotations = {}
    """Annotations of the Deployment. Take precedence over `global.annotations`."""
    replica_count: Count = 1
    """Number of controllers."""
    min_ready_seconds: Count = 0
    """Seconds that a controller must stay ready before a rollout counts it as available (Kubernetes `minReadySeconds`). Not in the chart.
    An agent with a wrong token is ready for some seconds before it exits; with 15, the deployment fails."""
    pod_disruption_budget: ControllerBudget = default(ControllerBudget)
    """PodDisruptionBudget of the controller."""
    node_selector: Labels = {}
    """Node selector of the controller's pod."""
    tolerations: Tolerations = []
    """Tolerations of the controller's pod."""
    affinity: Affinity = {}
    """Affinity of the controller's pod."""
    topology_spread_constraints: TopologySpreadConstraints = []
    """Topology spread constraints of the controller's pod."""
    resources: Resources = {"requests": {"cpu": "100m", "memory": "256Mi"}}
    """Resources of the controller container."""
    pod_annotations: Annotations = {}
    """Annotations of the controller's pod. Take precedence over `global.podAnnotations`."""
    pod_labels: Labels = {}
    """Labels of the controller's pod. Take precedence over `global.podLabels`."""
    pod_security_context: PodSecurityContext = {}
    """PodSecurityContext of the controller's pod, merged key by key over `global.podSecurityContext`."""
    controller: Controller = default(Controller)
    """The controller container."""
    data_dir: Annotated[Directory, variable("SCALR_AGENT_DATA_DIR")] = "/var/lib/scalr-agent/data"
    """Mount path of workspace data in controller and worker."""
    cache_dir: Annotated[Directory, variable("SCALR_AGENT_CACHE_DIR")] = "/var/lib/scalr-agent/cache"
    """Mount path of the cache in controller and worker. Must differ from `dataDir`."""
    binary_cache: BinaryCache = default(BinaryCache)
    """Cache of binaries."""
    provider_cache: ProviderCache = default(ProviderCache)
    """Cache of providers. Use it with a persistent cache volume."""
    module_cache: ModuleCache = default(ModuleCache)
    """Cache of modules. Use it with a persistent cache volume."""
    termination_grace_period_seconds: Annotated[
        Count, variable("SCALR_AGENT_WORKER_DRAIN_TIMEOUT", "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT")
    ] = 180
    """Seconds that the controller has to stop. Its shutdown timeouts are derived from it. `null`: 30, the default of Kubernetes."""
