"""The values of `agent-job`, and the conversion of stack settings into them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from scalr_agents.charts.agent_job.pod_values import Global, Persistence, Task
from scalr_agents.charts.shared.settings import Settings, Text, given
from scalr_agents.charts.shared.values import Image, NetworkMirrors, PodFields, PolicyRule, ReleaseValues, SecretReference
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
    Name,
    PodSecurityContext,
    Quantity,
    Resources,
    SecurityContext,
    Texts,
    Tolerations,
    TopologySpreadConstraints,
)
from scalr_agents.model.maps import Values, merge
from scalr_agents.model.marks import variable
from scalr_agents.model.quantities import megabytes
from scalr_agents.model.section import ChartSection, default


class ServiceAccount(ChartSection):
    """The service account of both pods (Kubernetes field `spec.serviceAccountName`)."""

    create: Flag = True
    """Whether to create the service account."""
    name: Name = ""
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`,
    which is an error with `rbac.create`."""
    automount_token: Flag = True
    """Whether to mount the account's token into the controller's pod. The controller needs it to start Jobs."""
    token_ttl: Count = Field(3600, alias="tokenTTL")
    """Lifetime in seconds of the API token of a task's worker, at least 600. The kubelet renews it."""
    annotations: Annotations = {}
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Labels = {}
    """Labels of the account, added to the common ones."""


def _rule(group: str, resource: str, verbs: str) -> PolicyRule:
    return PolicyRule.model_construct(api_groups=[group], resources=[resource], verbs=verbs.split())


_MANAGE = "get list watch create delete deletecollection patch update"
LEGACY_RULES = [
    _rule("", "pods", _MANAGE),
    _rule("", "pods/log", "get"),
    _rule("", "pods/exec", "get create"),
    _rule("", "pods/status", "get patch update"),
    _rule("apps", "deployments", "get list watch"),
    _rule("batch", "jobs", _MANAGE),
    _rule("batch", "jobs/status", "get patch update"),
]
LEGACY_CLUSTER_RULES = [_rule("scalr.io", "atasks", "get list watch")]


class Rbac(ChartSection):
    """Roles of the controller and their bindings."""

    create: Flag = True
    """Whether to create Role, ClusterRole and their bindings. If false, create them yourself."""
    rules: list[PolicyRule] = [*LEGACY_RULES, _rule("", "events", "list")]
    """Rules of the Role in the release's namespace. A list given here replaces the default. Default: those in docs/agent-job.md."""
    cluster_rules: list[PolicyRule] = [_rule("scalr.io", "agenttasktemplates", "get list watch")]
    """Rules of the ClusterRole. A list given here replaces the default. With `[]`, no ClusterRole and no binding are created.
    Default: those in docs/agent-job.md."""


class CacheLimit(ChartSection):
    """A cache of the agent in the cache directory."""

    enabled: Flag = False
    """Whether to cache."""
    size_limit: Quantity = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""


class ModuleCache(CacheLimit):
    """The cache of modules. Its limits are checked and sent to the agent only if it is enabled."""

    enabled: Annotated[Flag, variable("SCALR_AGENT_MODULE_CACHE_ENABLED")] = False
    """Whether to cache modules."""
    size_limit: Annotated[Quantity, variable("SCALR_AGENT_MODULE_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""
    concurrency: Annotated[Count, variable("SCALR_AGENT_MODULE_CACHE_CONCURRENCY")] = 10
    """Maximum number of concurrent downloads."""


class ProviderCache(CacheLimit):
    """The cache of providers. Its limits are checked and sent to the agent only if it is enabled."""

    enabled: Annotated[Flag, variable("SCALR_AGENT_PROVIDER_CACHE_ENABLED")] = False
    """Whether to cache providers."""
    size_limit: Annotated[Quantity, variable("SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""
    concurrency: Annotated[Count, variable("SCALR_AGENT_PROVIDER_CACHE_CONCURRENCY")] = 10
    """Maximum number of concurrent downloads."""
    drop_kernel_pages: Annotated[Flag, variable("SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES")] = True
    """Whether to drop unpacked providers from the page cache, which counts as memory of the pod."""


class BinaryCache(ChartSection):
    """The cache of binaries (OpenTofu, Terraform, ...), which is always enabled."""

    size_limit: Annotated[Quantity, variable("SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "5Gi"
    """Soft limit of the size, in Gi, Mi, G or M."""
    threshold_days: Annotated[Count, variable("SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS")] = 10
    """Days without use after which a binary may be removed."""


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

    @property
    def controllers(self) -> int:
        """How many controllers there are. Kubernetes starts one if no number is given."""
        return 1 if self.replica_count is None else self.replica_count


class Otel(ChartSection):
    """Export of metrics and traces over OTLP."""

    enabled: Flag = False
    """Whether to export. Requires `endpoint`."""
    endpoint: Annotated[InputText, variable("SCALR_AGENT_OTLP_ENDPOINT")] = "http://otel-collector:4317"
    """URL of the collector's gRPC endpoint."""
    metrics_enabled: Annotated[Flag, variable("SCALR_AGENT_OTLP_METRICS_ENABLED")] = True
    """Whether to export metrics."""
    traces_enabled: Annotated[Flag, variable("SCALR_AGENT_OTLP_TRACES_ENABLED")] = False
    """Whether to export traces."""


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

    @property
    def worker_image(self) -> Image:
        """The image of the worker, with empty fields taken from the controller's."""
        own, controller = self.task.worker.image, self.agent.image
        return Image.model_construct(
            repository=own.repository or controller.repository,
            tag=own.tag or controller.tag,
            pull_policy=own.pull_policy or controller.pull_policy,
        )

    @property
    def task_security_context(self) -> Values:
        """The securityContext of task pods."""
        return merge(self.global_.pod_security_context, self.task.pod_security_context)


class AgentJobSettings(Settings):
    """The settings of `agent-job`."""

    def registry(self, registry: str) -> Values:
        return {"global": {"imageRegistry": registry}}

    def pull_secrets(self, names: Sequence[str]) -> Values:
        return {"global": {"imagePullSecrets": [{"name": name} for name in names]}}

    def proxy(self, http: str, https: str, direct: str) -> Values:
        return {"global": {"proxy": {"enabled": True, "httpProxy": http, "httpsProxy": https, "noProxy": direct}}}

    def ca_bundle(self, pem: Text) -> Values:
        return {"global": {"tls": {"caBundle": pem}}}

    def ca_secret(self, name: str, key: str) -> Values:
        return {"global": {"tls": {"caBundleSecret": {"name": name, "key": key}}}}

    def otel(self, endpoint: str, *, metrics: bool, traces: bool) -> Values:
        return {"otel": {"enabled": True, "endpoint": endpoint, "metricsEnabled": metrics, "tracesEnabled": traces}}

    def labels(self, labels: Mapping[str, str]) -> Values:
        if self._knows("global.labels"):
            return {"global": {"labels": dict(labels)}}
        return {"serviceAccount": {"labels": dict(labels)}, "global": {"podLabels": dict(labels)}}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"global": {"podAnnotations": dict(annotations)}}

    def nodes(self, values: Values) -> Values:
        return {"agent": values, "task": values}

    def resources(self, given: Mapping[str, Any]) -> Values:
        return {"task": {"runner": {"resources": dict(given)}}}

    def disk(self, size: str) -> Values:
        return {"persistence": {"data": {"emptyDir": {"sizeLimit": size}}}}

    def deadline(self, seconds: int) -> Values:
        return {"task": {"job": {"activeDeadlineSeconds": seconds}}}

    def buffer(self, replicas: int) -> Values:
        return {"task": {"buffer": {"replicas": replicas}}}

    def cache(self, claim: Values) -> Values:
        return {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}}}

    def cache_limit(self, limit: Values) -> Values:
        return {"agent": {"providerCache": limit}}

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        self._require("global.tls.clientCert", "a client certificate")
        return {"global": {"tls": given(clientCert=certificate, clientKey=key)}}
