"""The values of the chart `agent-job`. `make schema` writes this file."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

import pulumi


class AgentJobServiceAccountValues(TypedDict, total=False):
    """The service account of both pods (Kubernetes field `spec.serviceAccountName`)."""

    create: bool | None
    """Whether to create the service account. Default: `true`."""
    name: str | None
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`, which is an error
    with `rbac.create`."""
    automountToken: bool | None
    """Whether to mount the account's token into the controller's pod. The controller needs it to start Jobs. Default: `true`."""
    tokenTTL: int | None
    """Lifetime in seconds of the API token of a task's worker, at least 600. The kubelet renews it. Default: `3600`."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Mapping[str, str] | None
    """Labels of the account, added to the common ones."""


class AgentJobPolicyRuleValues(TypedDict, total=False):
    """One rule of a Role or ClusterRole (`rbac.authorization.k8s.io/v1` PolicyRule)."""

    apiGroups: Sequence[str]
    """API groups; `""` is the core group."""
    resources: Sequence[str]
    """Resources and subresources, for instance `pods/log`."""
    resourceNames: Sequence[str]
    """Names of the objects that the rule applies to. Default: all."""
    nonResourceURLs: Sequence[str]
    """URL paths that are not resources. Only for ClusterRoles."""
    verbs: Required[Sequence[str]]
    """Allowed verbs, for instance `get`."""


class AgentJobRbacValues(TypedDict, total=False):
    """Roles of the controller and their bindings."""

    create: bool | None
    """Whether to create Role, ClusterRole and their bindings. If false, create them yourself. Default: `true`."""
    rules: Sequence[AgentJobPolicyRuleValues]
    """Rules of the Role in the release's namespace. A list given here replaces the default. Default: those in docs/agent-job.md. Older
    defaults: other items (agents 0.57 to 0.63.0)."""
    clusterRules: Sequence[AgentJobPolicyRuleValues]
    """Rules of the ClusterRole. A list given here replaces the default. With `[]`, no ClusterRole and no binding are created. Default:
    those in docs/agent-job.md. Older defaults: other items (agents 0.57 to 0.60)."""


class AgentJobProxyValues(TypedDict, total=False):
    """The HTTP proxy of all containers."""

    enabled: bool | None
    """Whether to set `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Default: `false`."""
    httpProxy: pulumi.Input[str] | None
    """URL of the proxy for HTTP requests. Environment variable `HTTP_PROXY`."""
    httpsProxy: pulumi.Input[str] | None
    """URL of the proxy for HTTPS requests. Environment variable `HTTPS_PROXY`."""
    noProxy: pulumi.Input[str] | None
    """Hosts, domains and networks to reach without the proxy, separated by commas. Environment variable `NO_PROXY`."""


class AgentJobCaBundleSecretValues(TypedDict, total=False):
    """An existing Secret with a CA bundle."""

    name: pulumi.Input[str] | None
    """Name of the Secret. Default: a Secret is created."""
    key: str
    """Key of the bundle, in the existing Secret and in the one created from `caBundle`. Default: `ca-bundle.crt`."""


class AgentJobClientCertSecretValues(TypedDict, total=False):
    """An existing Secret with the agent's client certificate and private key, for mutual TLS."""

    name: pulumi.Input[str] | None
    """Name of the Secret. Default: a Secret is created from `clientCert` and `clientKey`. Only agents 1.0.0, 1.1 or newer."""
    certKey: str
    """Key of the certificate, in the existing and in the created Secret. Default: `tls.crt`. Only agents 1.0.0, 1.1 or newer."""
    keyKey: str
    """Key of the private key, in the existing and in the created Secret. Default: `tls.key`. Only agents 1.0.0, 1.1 or newer."""


class AgentJobTlsValues(TypedDict, total=False):
    """Certificate authorities that the agent trusts, and its client certificate."""

    caBundleSecret: AgentJobCaBundleSecretValues
    """An existing Secret with the CA bundle. Takes precedence over `caBundle`."""
    caBundle: pulumi.Input[str] | None
    """CA certificates in PEM format. They replace the public ones; include those as well if the agent needs them. Environment variables
    `SCALR_AGENT_CA_CERT` and `SSL_CERT_FILE`."""
    clientCertSecret: AgentJobClientCertSecretValues
    """An existing Secret with the client certificate and key. Takes precedence over `clientCert` and `clientKey`. Only agents 1.0.0, 1.1 or
    newer."""
    clientCert: pulumi.Input[str] | None
    """Client certificate of the agent in PEM format, for mutual TLS. Requires `clientKey`. Environment variable
    `SCALR_AGENT_TLS_CERT_FILE`. Only agents 1.0.0, 1.1 or newer."""
    clientKey: pulumi.Input[str] | None
    """Private key of the client certificate in PEM format. Becomes a Secret. In a stack file, set it under `secrets`. Environment variable
    `SCALR_AGENT_TLS_KEY_FILE`. Only agents 1.0.0, 1.1 or newer."""


class AgentJobGlobalValues(TypedDict, total=False):
    """Settings of all pods of the release. A component's own setting takes precedence, even if it is 0 or false."""

    imageRegistry: str | None
    """Registry of the images of controller, worker and runner, not of sidecars. Default: Docker Hub."""
    imageNamespace: str | None
    """Replaces everything before the last part of a repository, for mirrors that keep all images in one place. Only agents 0.60 or
    newer."""
    labels: Mapping[str, str] | None
    """Labels of all objects, including Jobs and pods. The labels of the selectors cannot be changed. Only agents 0.61.3 or newer."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of all objects, including Jobs but not pods. Only agents 0.61.3 or newer."""
    imagePullSecrets: Sequence[Any] | None
    """Pull secrets of both pods, `[{name: ...}]`."""
    podAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of both pods."""
    podLabels: Mapping[str, str] | None
    """Labels of both pods. The labels of the selectors cannot be changed."""
    podSecurityContext: Any
    """Kubernetes PodSecurityContext of both pods. The default runs as user and group 1000."""
    proxy: AgentJobProxyValues
    """HTTP proxy."""
    tls: AgentJobTlsValues
    """Certificate authorities and the client certificate."""


class AgentJobSecretReferenceValues(TypedDict, total=False):
    """An existing Secret in the release's namespace."""

    name: pulumi.Input[str] | None
    """Name of the Secret. Default: a Secret is created."""
    key: str
    """Key of the value in the Secret. Has no effect without `name`. Default: `token`."""


class AgentJobImageValues(TypedDict, total=False):
    """A container image; the reference is `[registry/]repository:tag`."""

    repository: str | None
    """Repository, without tag. Default: `scalr/agent`."""
    tag: str | None
    """Tag, or `tag@sha256:...` to pin a digest. Default: the agent version."""
    pullPolicy: Literal["Always", "IfNotPresent", "Never"]
    """Kubernetes field `imagePullPolicy`. Default: `IfNotPresent`."""


class AgentJobNetworkMirrorValues(TypedDict, total=False):
    """A provider network mirror."""

    url: Required[pulumi.Input[str] | None]
    """Base URL of the mirror, `https://.../`."""
    token: pulumi.Input[str] | None
    """Token for the mirror. If set, the list of mirrors becomes a Secret. Default: none."""
    include: Sequence[str]
    """Providers to download from the mirror; patterns are allowed. Default: all."""


class AgentJobControllerBudgetValues(TypedDict, total=False):
    """PodDisruptionBudget of the controller, created if `replicaCount` is above 1. Set only one of the two limits."""

    enabled: bool | None
    """Whether to create the budget. Default: `true`."""
    minAvailable: int | str | None
    """Controllers that must stay available, a number or a percentage. Set `null` to use `maxUnavailable`. Default: `1`."""
    maxUnavailable: int | str | None
    """Controllers that may be unavailable, a number or a percentage. With 0, none may be evicted."""


class AgentJobControllerValues(TypedDict, total=False):
    """Settings of the controller container only."""

    command: Sequence[str] | None
    """Command of the container. Default: the image's command. Only agents 1.2 or newer."""
    args: Sequence[str] | None
    """Arguments of the container. Default: the image's arguments. Only agents 1.2 or newer."""
    extraEnv: Sequence[Any] | None
    """Kubernetes EnvVar list, added after all other variables. `valueFrom` is supported."""
    extraEnvFrom: Sequence[Any] | None
    """ConfigMaps and Secrets whose keys become variables (Kubernetes field `envFrom`). Variables that are set by name take precedence."""
    securityContext: Any
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class AgentJobBinaryCacheValues(TypedDict, total=False):
    """The cache of binaries (OpenTofu, Terraform, ...), which is always enabled."""

    sizeLimit: str | float
    """Soft limit of the size, in Gi, Mi, G or M. Environment variable `SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB`. Default: `5Gi`. Only agents
    1.2 or newer."""
    thresholdDays: int | None
    """Days without use after which a binary may be removed. Environment variable `SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS`. Default: `10`.
    Only agents 1.2 or newer."""


class AgentJobProviderCacheValues(TypedDict, total=False):
    """The cache of providers. Its limits are checked and sent to the agent only if it is enabled."""

    enabled: bool | None
    """Whether to cache providers. Environment variable `SCALR_AGENT_PROVIDER_CACHE_ENABLED`. Default: `false`."""
    sizeLimit: str | float
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume. Environment variable
    `SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB`. Default: `40Gi`."""
    concurrency: int | None
    """Maximum number of concurrent downloads. Environment variable `SCALR_AGENT_PROVIDER_CACHE_CONCURRENCY`. Default: `10`. Only agents
    0.65 or newer."""
    dropKernelPages: bool | None
    """Whether to drop unpacked providers from the page cache, which counts as memory of the pod. Environment variable
    `SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES`. Default: `true`. Only agents 1.3 or newer."""


class AgentJobModuleCacheValues(TypedDict, total=False):
    """The cache of modules. Its limits are checked and sent to the agent only if it is enabled."""

    enabled: bool | None
    """Whether to cache modules. Environment variable `SCALR_AGENT_MODULE_CACHE_ENABLED`. Default: `false`."""
    sizeLimit: str | float
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume. Environment variable
    `SCALR_AGENT_MODULE_CACHE_SIZE_LIMIT_MB`. Default: `40Gi`."""
    concurrency: int | None
    """Maximum number of concurrent downloads. Environment variable `SCALR_AGENT_MODULE_CACHE_CONCURRENCY`. Default: `10`. Only agents 0.65
    or newer."""


class AgentJobAgentValues(TypedDict, total=False):
    """The controller, and what the task's worker shares with it."""

    priorityClassName: str | None
    """An existing PriorityClass for these pods. Not in the chart. Default: the cluster's default priority. Only agents 0.61.3 or newer."""
    runtimeClassName: str | None
    """An existing RuntimeClass for these pods, for instance of gVisor or Kata. Not in the chart. Default: the default runtime of the node.
    Only agents 0.61.3 or newer."""
    hostUsers: bool | None
    """`false` runs these pods in a user namespace of their own, so that their users mean nothing on the node (Kubernetes `hostUsers`).
    Their volumes must support id mapping, which NFS does not. Not in the chart. Default: `true`. Only agents 0.61.3 or newer."""
    hostAliases: Sequence[Any] | None
    """Kubernetes HostAlias list: further entries of `/etc/hosts`. Not in the chart. Only agents 0.61.3 or newer."""
    dnsPolicy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]
    """Where these pods look up names (Kubernetes field `dnsPolicy`). Not in the chart. Default: `ClusterFirst`. Only agents 0.61.3 or
    newer."""
    dnsConfig: Any
    """Name servers, search domains and options (Kubernetes PodDNSConfig), merged with what `dnsPolicy` gives. Not in the chart. Only agents
    0.61.3 or newer."""
    initContainers: Sequence[Any] | None
    """Containers that run, one after another, before the pod's own. Not in the chart. Only agents 0.61.3 or newer."""
    url: pulumi.Input[str] | None
    """URL of the Scalr account, `https://<account>.scalr.io`. If it is empty, there is a warning, and the agent uses the address in its
    token, which becomes wrong when the account is renamed. Environment variable `SCALR_URL`."""
    token: pulumi.Input[str] | None
    """Token of the agent pool. Becomes a Secret. In a stack file, set it under `secrets`. Environment variable `SCALR_AGENT_TOKEN`."""
    tokenExistingSecret: AgentJobSecretReferenceValues
    """An existing Secret with the token. Takes precedence over `token`."""
    image: AgentJobImageValues
    """Image of the controller, and of the worker unless `task.worker.image` is set."""
    debug: str | float | bool | None
    """`1` sets the log level to debug. Environment variable `SCALR_AGENT_DEBUG`. Default: `0`."""
    logFormat: Literal["plain", "dev", "json"]
    """Log format. Environment variable `SCALR_AGENT_LOG_FORMAT`. Default: `json`."""
    sentryDsn: pulumi.Input[str] | None
    """Sentry DSN to which the agent reports its errors. Default: none. Environment variable `SCALR_AGENT_SENTRY_DSN`. Only agents 0.65 or
    newer."""
    providerNetworkMirrors: Sequence[AgentJobNetworkMirrorValues] | None
    """Mirrors to download providers from, tried in this order before the origin registry. Environment variable
    `SCALR_AGENT_PROVIDER_NETWORK_MIRRORS`. Only agents 1.3 or newer."""
    extraEnv: Mapping[str, str | float | bool] | None
    """Environment variables of controller and worker."""
    labels: Mapping[str, str] | None
    """Labels of the Deployment. Take precedence over `global.labels`. Only agents 0.61.3 or newer."""
    annotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the Deployment. Take precedence over `global.annotations`. Only agents 0.61.3 or newer."""
    replicaCount: int | None
    """Number of controllers. Default: `1`."""
    minReadySeconds: int | None
    """Seconds that a controller must stay ready before a rollout counts it as available (Kubernetes `minReadySeconds`). Not in the chart.
    An agent with a wrong token is ready for some seconds before it exits; with 15, the deployment fails. Default: `0`."""
    podDisruptionBudget: AgentJobControllerBudgetValues
    """PodDisruptionBudget of the controller."""
    nodeSelector: Mapping[str, str] | None
    """Node selector of the controller's pod."""
    tolerations: Sequence[Any] | None
    """Tolerations of the controller's pod."""
    affinity: Any
    """Affinity of the controller's pod."""
    topologySpreadConstraints: Sequence[Any] | None
    """Topology spread constraints of the controller's pod."""
    resources: Any
    """Resources of the controller container. Older defaults: `{"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory":
    "256Mi", "cpu": "500m"}}` (agents 0.57 to 0.58), `{"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}}`
    (agents 0.59)."""
    podAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of the controller's pod. Take precedence over `global.podAnnotations`."""
    podLabels: Mapping[str, str] | None
    """Labels of the controller's pod. Take precedence over `global.podLabels`."""
    podSecurityContext: Any
    """PodSecurityContext of the controller's pod, merged key by key over `global.podSecurityContext`."""
    controller: AgentJobControllerValues
    """The controller container."""
    dataDir: str
    """Mount path of workspace data in controller and worker. Environment variable `SCALR_AGENT_DATA_DIR`. Default:
    `/var/lib/scalr-agent/data`."""
    cacheDir: str
    """Mount path of the cache in controller and worker. Must differ from `dataDir`. Environment variable `SCALR_AGENT_CACHE_DIR`. Default:
    `/var/lib/scalr-agent/cache`."""
    binaryCache: AgentJobBinaryCacheValues
    """Cache of binaries. Only agents 1.2 or newer."""
    providerCache: AgentJobProviderCacheValues
    """Cache of providers. Use it with a persistent cache volume."""
    moduleCache: AgentJobModuleCacheValues
    """Cache of modules. Use it with a persistent cache volume."""
    terminationGracePeriodSeconds: int | None
    """Seconds that the controller has to stop. Its shutdown timeouts are derived from it. `null`: 30, the default of Kubernetes.
    Environment variables `SCALR_AGENT_WORKER_DRAIN_TIMEOUT` and `SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT`. Default: `180`."""


class AgentJobJobValues(TypedDict, total=False):
    """The Kubernetes Job of a task."""

    basename: str | None
    """First part of Job names, before run and stage. Default: the release's full name. Only agents 0.61.3 or newer."""
    backoffLimit: int | None
    """How many times a Job starts another pod after one that ended without an error of its containers. A run that failed is never started
    again, and pods lost to a disruption do not count. `null`: 1. Default: `1`. Only agents 1.3 or newer."""
    activeDeadlineSeconds: int | None
    """Seconds from the start of its Job, including the wait for a node, after which Kubernetes ends a task; at least 1. Not in the chart.
    Default: no limit, so that a hanging run blocks the drain of its node forever, with a warning."""
    ttlSecondsAfterFinished: int | None
    """Seconds after which a finished Job and its pod, with their logs, are deleted. `null`: never. Default: `60`."""


class AgentJobTaskBudgetValues(TypedDict, total=False):
    """PodDisruptionBudget of task pods, without which a node drain kills runs. Not in the chart on every line."""

    enabled: bool | None
    """Whether to create the budget. Default: `true`."""
    minAvailable: int | str | None
    """Number of task pods that must stay, a whole number. The default exceeds any possible number, so that none is evicted. Default:
    `2147483647`."""
    maxUnavailable: int | str | None
    """Only 0 is allowed, which also means that none is evicted: Jobs have no scale from which Kubernetes could derive a number."""


class AgentJobBufferValues(TypedDict, total=False):
    """Placeholder pods that keep nodes ready: they are as large as a task and are preempted by tasks. Not in the chart."""

    replicas: int | None
    """Number of tasks to reserve room for. `null` leaves the number to an autoscaler. Default: none."""
    priorityClassName: str | None
    """An existing PriorityClass for the placeholders, lower than that of tasks. Default: one with priority -10 is created, which never
    preempts."""


class AgentJobWorkerImageValues(TypedDict, total=False):
    """Image of the worker. Empty fields are taken from `agent.image`."""

    repository: str | None
    """Repository, without tag. Only agents 0.57 to 0.59."""
    tag: str | None
    """Tag. Only agents 0.57 to 0.59."""
    pullPolicy: Literal["", "Always", "IfNotPresent", "Never"]
    """Kubernetes field `imagePullPolicy`. Only agents 0.57 to 0.59."""


class AgentJobWorkerValues(TypedDict, total=False):
    """The agent process that supervises the task."""

    image: AgentJobWorkerImageValues
    """Image. Empty fields are taken from `agent.image`. Only agents 0.57 to 0.59."""
    command: Sequence[str] | None
    """Command of the container. Default: the image's command. Only agents 1.2 or newer."""
    args: Sequence[str] | None
    """Arguments of the container. Default: the image's arguments. Only agents 1.2 or newer."""
    resources: Any
    """Resources of the worker container. Older defaults: `{"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1024Mi",
    "cpu": "2000m"}}` (agents 0.57 to 0.58)."""
    extraEnv: Mapping[str, str | float | bool] | None
    """Environment variables of the worker. Take precedence over `agent.extraEnv`."""
    extraVolumeMounts: Sequence[Any] | None
    """Additional mounts of volumes from `task.extraVolumes`, or of the task's own."""
    securityContext: Any
    """Kubernetes SecurityContext, merged with `allowPrivilegeEscalation: false` and `capabilities: {drop: [ALL]}`."""


class AgentJobRunnerImageValues(TypedDict, total=False):
    """Image of the runner."""

    repository: str | None
    """Repository, without tag. A custom image must have a user with ID 1000 and group ID 1000. Default: `scalr/runner`. Older defaults:
    `scalr/agent-runner` (agents 0.57 to 0.59)."""
    tag: str | None
    """Tag, or `tag@sha256:...` to pin a digest. Before agents 0.60 it may be empty, for the agent version; later runners have their own
    versions. Default: `0.2.0`. Older defaults: `""` (agents 0.57 to 0.59)."""
    pullPolicy: Literal["Always", "IfNotPresent", "Never"]
    """Kubernetes field `imagePullPolicy`. Default: `IfNotPresent`."""


class AgentJobRunnerValues(TypedDict, total=False):
    """The environment in which Terraform or OpenTofu runs."""

    image: AgentJobRunnerImageValues
    """Image."""
    resources: Any
    """Resources of the runner container, in which a run is executed. Older defaults: `{"requests": {"cpu": "500m", "memory": "512Mi"},
    "limits": {"cpu": "4000m", "memory": "2048Mi"}}` (agents 0.57 to 1.1)."""
    memorySoftLimitPercent: int | None
    """Percentage of the memory limit, 1 to 100, at which the agent stops a run, before the kernel kills it. Environment variable
    `SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT`. Default: `80`. Only agents 0.65 or newer."""
    memoryWarnPercent: int | None
    """Percentage of the soft limit, 1 to 100, at which the agent warns about the memory use of a run. Environment variable
    `SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT`. Default: `90`. Only agents 0.65 or newer."""
    extraEnv: Mapping[str, str | float | bool] | None
    """Environment variables of runs."""
    extraVolumeMounts: Sequence[Any] | None
    """Additional mounts of volumes from `task.extraVolumes`, or of the task's own."""
    securityContext: Any
    """Kubernetes SecurityContext of the runner."""


class AgentJobTaskValues(TypedDict, total=False):
    """The task: its Job, pod and containers."""

    priorityClassName: str | None
    """An existing PriorityClass for these pods. Not in the chart. Default: the cluster's default priority. Only agents 0.61.3 or newer."""
    runtimeClassName: str | None
    """An existing RuntimeClass for these pods, for instance of gVisor or Kata. Not in the chart. Default: the default runtime of the node.
    Only agents 0.61.3 or newer."""
    hostUsers: bool | None
    """`false` runs these pods in a user namespace of their own, so that their users mean nothing on the node (Kubernetes `hostUsers`).
    Their volumes must support id mapping, which NFS does not. Not in the chart. Default: `true`. Only agents 0.61.3 or newer."""
    hostAliases: Sequence[Any] | None
    """Kubernetes HostAlias list: further entries of `/etc/hosts`. Not in the chart. Only agents 0.61.3 or newer."""
    dnsPolicy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]
    """Where these pods look up names (Kubernetes field `dnsPolicy`). Not in the chart. Default: `ClusterFirst`. Only agents 0.61.3 or
    newer."""
    dnsConfig: Any
    """Name servers, search domains and options (Kubernetes PodDNSConfig), merged with what `dnsPolicy` gives. Not in the chart. Only agents
    0.61.3 or newer."""
    initContainers: Sequence[Any] | None
    """Containers that run, one after another, before the pod's own. Not in the chart. Only agents 0.61.3 or newer."""
    job: AgentJobJobValues
    """The Job."""
    jobLabels: Mapping[str, str] | None
    """Labels of Jobs. Take precedence over `global.labels`. Only agents 0.61.3 or newer."""
    jobAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of Jobs. Take precedence over `global.annotations`. Only agents 0.61.3 or newer."""
    startupTimeoutSeconds: int | None
    """Seconds that a task may take to start, including the time to add a node. Environment variable
    `SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS`. Default: `180`. Only agents 0.61.4 or newer."""
    podDisruptionBudget: AgentJobTaskBudgetValues
    """PodDisruptionBudget of task pods."""
    buffer: AgentJobBufferValues
    """Room reserved for future tasks."""
    nodeSelector: Mapping[str, str] | None
    """Node labels that task pods need."""
    tolerations: Sequence[Any] | None
    """Tolerations of task pods."""
    affinity: Any
    """Affinity of task pods."""
    topologySpreadConstraints: Sequence[Any] | None
    """Topology spread constraints of task pods. Not in the chart. Only agents 0.61.3 or newer."""
    podAnnotations: Mapping[str, pulumi.Input[str]] | None
    """Annotations of task pods. Take precedence over `global.podAnnotations` and over the four that prevent eviction by autoscalers."""
    podLabels: Mapping[str, str] | None
    """Labels of task pods. Take precedence over `global.podLabels`."""
    podSecurityContext: Any
    """PodSecurityContext of task pods, merged key by key over `global.podSecurityContext`."""
    allowMetadataService: bool | None
    """Whether runs may reach the cloud's metadata service. If false, a NetworkPolicy blocks it. Default: `false`."""
    allowNfs: bool | None
    """Whether runs may connect to NFS servers (ports 111 and 2049). If false, the same NetworkPolicy blocks these ports, which requires a
    network plugin with port ranges. Default: `false`."""
    terminationGracePeriodSeconds: int | None
    """Seconds that a run has to stop. The worker's shutdown timeout is set to the same value. `null`: 30, the default of Kubernetes.
    Environment variable `SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT`. Default: `360`."""
    extraVolumes: Sequence[Any] | None
    """Additional volumes of task pods. Reserved names: `sa-token`, `data-dir`, `cache-dir` and `tmp-dir`; with agents 0.61.4 or newer
    `worker` and `podinfo`; with a CA bundle `ca-bundle`, with a client certificate `client-cert`."""
    sidecars: Sequence[Any] | None
    """Additional containers of task pods, passed on unchanged: no image registry, hardening or variables are added. The names `runner` and
    `worker` are reserved."""
    worker: AgentJobWorkerValues
    """The worker container."""
    runner: AgentJobRunnerValues
    """The runner container."""


class AgentJobClaimValues(TypedDict, total=False):
    """A PersistentVolumeClaim: an existing one, or one that is created."""

    claimName: pulumi.Input[str] | None
    """Name of an existing claim. Default: a claim is created."""
    storageClassName: str | None
    """Storage class of the created claim. `-` means none, for static volumes. Default: the cluster's default class."""
    storage: str | float
    """Size of the created claim. Default: `4Gi`."""
    accessMode: Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]
    """Access mode of the created claim. Default: `ReadWriteOnce`."""
    subPath: str | None
    """Directory inside the volume, so that several releases can share a volume. Default: the root of the volume."""


class AgentJobDataValues(TypedDict, total=False):
    """Workspace data of a run."""

    enabled: bool | None
    """Whether to use a claim. Default: an emptyDir, which is deleted with the run's pod."""
    emptyDir: Any
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistentVolumeClaim: AgentJobClaimValues
    """The claim, used if `enabled` is true."""


class AgentJobCacheClaimValues(TypedDict, total=False):
    """The claim of the shared cache, which all task pods and the controllers mount."""

    claimName: pulumi.Input[str] | None
    """Name of an existing claim. Default: a claim is created."""
    storageClassName: str | None
    """Storage class of the created claim. `-` means none, for static volumes. Default: the cluster's default class."""
    storage: str | float
    """Size of the created claim. Default: `90Gi`."""
    accessMode: Literal["ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany"]
    """Access mode of the created claim. Several pods require ReadWriteMany; anything else is a warning. Default: `ReadWriteMany`."""
    subPath: str | None
    """Directory inside the volume, so that several releases can share a volume. Default: the root of the volume."""


class AgentJobPreparationImageValues(TypedDict, total=False):
    """Image of the pods that prepare nodes. It must contain a shell, `stat`, `chown`, `chmod` and `sleep`."""

    repository: str | None
    """Repository, without tag. Default: `busybox`. Only agents 1.2 or newer."""
    tag: str | None
    """Tag. Default: `1.37`. Only agents 1.2 or newer."""
    pullPolicy: Literal["Always", "IfNotPresent", "Never"]
    """Kubernetes field `imagePullPolicy`. Default: `IfNotPresent`. Only agents 1.2 or newer."""


class AgentJobPreparationValues(TypedDict, total=False):
    """A DaemonSet that makes the tasks' user the owner of the directory, on every node that tasks may use. Not in the chart."""

    enabled: bool | None
    """Whether to prepare the nodes. Kubernetes creates the directory for root, but tasks do not run as root. If false, change the owner
    yourself. Requires `persistence.cache.enabled` and `persistence.cache.hostPath.path`. Default: `false`. Only agents 1.2 or newer."""
    image: AgentJobPreparationImageValues
    """Image. Only agents 1.2 or newer."""
    resources: Any
    """Resources of the DaemonSet's containers. Only agents 1.2 or newer."""


class AgentJobHostPathValues(TypedDict, total=False):
    """A directory of each node."""

    path: str | None
    """Absolute path. Default: none; the cache is on the claim. Only agents 1.2 or newer."""
    type: Literal["", "Directory", "DirectoryOrCreate"]
    """Kubernetes field `hostPath.type`. Default: `DirectoryOrCreate`. Only agents 1.2 or newer."""
    preparation: AgentJobPreparationValues
    """Preparation of the directory on the nodes. Only agents 1.2 or newer."""


class AgentJobCacheValues(TypedDict, total=False):
    """The cache of binaries, providers and modules, which runs share."""

    enabled: bool | None
    """Whether to use a claim or `hostPath`. Default: an emptyDir, so that every run downloads everything."""
    emptyDir: Any
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistentVolumeClaim: AgentJobCacheClaimValues
    """The claim, used if `enabled` is true."""
    hostPath: AgentJobHostPathValues
    """A directory of each node for the cache of task pods, used if `enabled` is true. Takes precedence over the claim; controllers then use
    an emptyDir. Only agents 1.2 or newer."""


class AgentJobPersistenceValues(TypedDict, total=False):
    """Volumes of the task pods. The controllers mount the cache too."""

    data: AgentJobDataValues
    """Workspace data."""
    cache: AgentJobCacheValues
    """The shared cache."""


class AgentJobOtelValues(TypedDict, total=False):
    """Export of metrics and traces over OTLP."""

    enabled: bool | None
    """Whether to export. Requires `endpoint`. Default: `false`."""
    endpoint: pulumi.Input[str] | None
    """URL of the collector's gRPC endpoint. Environment variable `SCALR_AGENT_OTLP_ENDPOINT`. Default: `http://otel-collector:4317`."""
    metricsEnabled: bool | None
    """Whether to export metrics. Environment variable `SCALR_AGENT_OTLP_METRICS_ENABLED`. Default: `true`."""
    tracesEnabled: bool | None
    """Whether to export traces. Environment variable `SCALR_AGENT_OTLP_TRACES_ENABLED`. Default: `false`."""


_AgentJobValuesKeywords = TypedDict("_AgentJobValuesKeywords", {"global": AgentJobGlobalValues}, total=False)


class _AgentJobValuesAttributes(TypedDict, total=False):
    nameOverride: str | None
    """Replaces the chart's name in object names and in the label `app.kubernetes.io/name`. Default: the chart's name."""
    fullnameOverride: str | None
    """Replaces the whole base of the object names (`<release>-<chart>`). Default: derived from release and chart."""
    serviceAccount: AgentJobServiceAccountValues
    """The service account of the controller and of the task pods."""
    rbac: AgentJobRbacValues
    """The controller's permissions."""
    agent: AgentJobAgentValues
    """The controller, and what the task's worker shares with it."""
    task: AgentJobTaskValues
    """The task: the Job that the controller starts for every run."""
    persistence: AgentJobPersistenceValues
    """Volumes for workspace data and for the shared cache."""
    otel: AgentJobOtelValues
    """OpenTelemetry export of the controller and the worker."""


class AgentJobValues(_AgentJobValuesAttributes, _AgentJobValuesKeywords):
    """Values of `agent-job`: a controller Deployment that starts one Kubernetes Job per task."""
