"""Sections of values that more than one chart has."""

from typing import Annotated, Any, Literal

from pydantic import Field

from scalr_agents.model.fields import (
    Annotations,
    Count,
    Flag,
    ImageTag,
    InputName,
    InputText,
    Labels,
    LabelText,
    Name,
    PodSecurityContext,
    PullPolicy,
    PullSecrets,
    Quantity,
    Registry,
    Repository,
    SecretKey,
    Text,
    unset,
)
from scalr_agents.model.merge import Values
from scalr_agents.model.quantities import megabytes
from scalr_agents.model.section import ChartSection, default
from scalr_agents.model.variables import variable

_KUBERNETES_GRACE_SECONDS = 30


def grace_seconds(given: int | None) -> int:
    """Seconds that Kubernetes waits before it kills a pod; 30 if none are given."""
    return _KUBERNETES_GRACE_SECONDS if given is None else given


class ReleaseValues(ChartSection):
    """Values of every chart: the names of its release."""

    name_override: LabelText = ""
    """Replaces the chart's name in object names and in the label `app.kubernetes.io/name`. Default: the chart's name."""
    fullname_override: Text = ""
    """Replaces the whole base of the object names (`<release>-<chart>`). Default: derived from release and chart."""


class SecretReference(ChartSection):
    """An existing Secret in the release's namespace."""

    name: InputName = ""
    """Name of the Secret. Default: a Secret is created."""
    key: SecretKey = "token"
    """Key of the value in the Secret. Has no effect without `name`."""


class ServiceAccount(ChartSection):
    """The service account of both pods (Kubernetes field `spec.serviceAccountName`)."""

    create: Flag = True
    """Whether to create the service account."""
    name: Name = ""
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`."""
    automount_token: Flag = True
    """Whether to mount the account's token into the controller's pod. The controller needs it to start Jobs."""
    token_ttl: Count = Field(3600, alias="tokenTTL")
    """Lifetime in seconds of the API token of a task's worker, at least 600. The kubelet renews it."""
    annotations: Annotations = {}
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Labels = {}
    """Labels of the account, added to the common ones."""


class PolicyRule(ChartSection):
    """One rule of a Role or ClusterRole (`rbac.authorization.k8s.io/v1` PolicyRule)."""

    api_groups: list[str] = []
    """API groups; `""` is the core group."""
    resources: list[str] = []
    """Resources and subresources, for instance `pods/log`."""
    resource_names: list[str] = []
    """Names of the objects that the rule applies to. Default: all."""
    non_resource_urls: list[str] = Field([], alias="nonResourceURLs")
    """URL paths that are not resources. Only for ClusterRoles."""
    verbs: list[str] = Field(min_length=1)
    """Allowed verbs, for instance `get`."""

    def plain(self) -> Values:
        """The rule as a value, without what is empty. Works without a validator, which takes long to build."""
        return {field.alias or name: given for name, field in type(self).model_fields.items() if (given := getattr(self, name))}


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
    """Rules of the Role in the release's namespace. A list given here replaces the default."""
    cluster_rules: list[PolicyRule] = [_rule("scalr.io", "agenttasktemplates", "get list watch")]
    """Rules of the ClusterRole. A list given here replaces the default. With `[]`, no ClusterRole and no binding are created."""


class Image(ChartSection):
    """A container image; the reference is `[registry/]repository:tag`."""

    repository: Repository = "scalr/agent"
    """Repository, without tag."""
    tag: ImageTag = ""
    """Tag, or `tag@sha256:...` to pin a digest. Default: the agent version."""
    pull_policy: PullPolicy = "IfNotPresent"
    """Kubernetes field `imagePullPolicy`."""


class WorkerImage(ChartSection):
    """Image of the worker. Empty fields are taken from `agent.image`."""

    repository: Repository = ""
    """Repository, without tag."""
    tag: ImageTag = ""
    """Tag."""
    pull_policy: Literal["", "Always", "IfNotPresent", "Never"] = ""
    """Kubernetes field `imagePullPolicy`."""


class Proxy(ChartSection):
    """The HTTP proxy of all containers."""

    enabled: Flag = False
    """Whether to set `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`."""
    http_proxy: Annotated[InputText, variable("HTTP_PROXY")] = ""
    """URL of the proxy for HTTP requests."""
    https_proxy: Annotated[InputText, variable("HTTPS_PROXY")] = ""
    """URL of the proxy for HTTPS requests."""
    no_proxy: Annotated[InputText, variable("NO_PROXY")] = ""
    """Hosts, domains and networks to reach without the proxy, separated by commas."""


class CaBundleSecret(SecretReference):
    """An existing Secret with a CA bundle."""

    key: SecretKey = "ca-bundle.crt"
    """Key of the bundle, in the existing Secret and in the one created from `caBundle`."""


class ClientCertSecret(ChartSection):
    """An existing Secret with the agent's client certificate and private key, for mutual TLS."""

    name: InputName = ""
    """Name of the Secret. Default: a Secret is created from `clientCert` and `clientKey`."""
    cert_key: SecretKey = "tls.crt"
    """Key of the certificate, in the existing and in the created Secret."""
    key_key: SecretKey = "tls.key"
    """Key of the private key, in the existing and in the created Secret."""


class Tls(ChartSection):
    """Certificate authorities that the agent trusts, and its client certificate."""

    ca_bundle_secret: CaBundleSecret = default(CaBundleSecret)
    """An existing Secret with the CA bundle. Takes precedence over `caBundle`."""
    ca_bundle: Annotated[InputText, variable("SCALR_AGENT_CA_CERT", "SSL_CERT_FILE")] = ""
    """CA certificates in PEM format. They replace the public ones; include those as well if the agent needs them."""
    client_cert_secret: ClientCertSecret = default(ClientCertSecret)
    """An existing Secret with the client certificate and key. Takes precedence over `clientCert` and `clientKey`."""
    client_cert: Annotated[InputText, variable("SCALR_AGENT_TLS_CERT_FILE")] = ""
    """Client certificate of the agent in PEM format, for mutual TLS. Requires `clientKey`."""
    client_key: Annotated[InputText, variable("SCALR_AGENT_TLS_KEY_FILE")] = ""
    """Private key of the client certificate in PEM format. Becomes a Secret. In a stack file, set it under `secrets`."""


class Global(ChartSection):
    """Settings of all pods of the release. A component's own setting takes precedence."""

    image_registry: Registry = ""
    """Registry of the images of controller, worker and runner, not of sidecars. Default: Docker Hub."""
    image_namespace: Registry = ""
    """Replaces everything before the last part of a repository, for mirrors that keep all images in one place."""
    labels: Labels = {}
    """Labels of all objects, including Jobs and pods."""
    annotations: Annotations = {}
    """Annotations of all objects, including Jobs but not pods."""
    image_pull_secrets: PullSecrets = []
    """Pull secrets of both pods, `[{name: ...}]`."""
    pod_annotations: Annotations = {}
    """Annotations of both pods."""
    pod_labels: Labels = {}
    """Labels of both pods. The labels of the selectors cannot be changed."""
    pod_security_context: PodSecurityContext = {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "fsGroup": 1000,
        "fsGroupChangePolicy": "OnRootMismatch",
        "supplementalGroups": [],
        "sysctls": [],
        "seLinuxOptions": {},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    """Kubernetes PodSecurityContext of both pods. The default runs as user and group 1000."""
    proxy: Proxy = default(Proxy)
    """HTTP proxy."""
    tls: Tls = default(Tls)
    """Certificate authorities and the client certificate."""


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


def resources(cpu: str, memory: str, cpu_limit: str, memory_limit: str) -> dict[str, Any]:
    """Default of a container's `resources`: requests, then limits."""
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu_limit, "memory": memory_limit}}


class NetworkMirror(ChartSection):
    """A provider network mirror."""

    url: InputText
    """Base URL of the mirror, `https://.../`."""
    token: InputText = ""
    """Token for the mirror. If set, the list of mirrors becomes a Secret. Default: none."""
    include: list[str] = []
    """Providers to download from the mirror; patterns are allowed. Default: all."""


NetworkMirrors = Annotated[list[NetworkMirror], unset([])]
"""Mirrors, in the order in which they are tried."""


class CacheLimit(ChartSection):
    """A cache of the agent in the cache directory."""

    enabled: Flag = False
    """Whether to cache."""
    size_limit: Quantity = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""


class ModuleCache(CacheLimit):
    """The cache of modules."""

    enabled: Annotated[Flag, variable("SCALR_AGENT_MODULE_CACHE_ENABLED")] = False
    """Whether to cache modules."""
    size_limit: Annotated[Quantity, variable("SCALR_AGENT_MODULE_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""
    concurrency: Annotated[Count, variable("SCALR_AGENT_MODULE_CACHE_CONCURRENCY")] = 10
    """Maximum number of concurrent downloads."""


class ProviderCache(CacheLimit):
    """The cache of providers."""

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
