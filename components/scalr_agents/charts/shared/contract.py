"""The agent's side of the contract: names and paths that its images expect, shared by validation and manifests."""

CA_FILE = "/etc/ssl/certs/scalr-ca-bundle.crt"
"""Where a CA bundle is mounted in every container."""
TOKEN_KEY = "token"
"""Key of the agent token in a Secret of ours."""
SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where the worker looks for its service account's token."""

CLIENT_CERT_DIR = "/etc/scalr-agent/ssl"
"""Where the agent's own certificate is mounted, as `tls.crt` and `tls.key`."""
MIRRORS_VARIABLE = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"

CA_VOLUME = "ca-bundle"
CLIENT_CERT_VOLUME = "client-cert"
POD_INFO_VOLUME = "podinfo"
AGENT_VOLUME = "worker"
"""Volume out of the agent's image, for the runner."""
DATA_VOLUME = "data-dir"
CACHE_VOLUME = "cache-dir"
TMP_VOLUME = "tmp-dir"
TOKEN_VOLUME = "sa-token"

METADATA_WITH_DNS = "169.254.169.254/32"
"""Metadata service of AWS, GCP and Azure; GKE's Cloud DNS answers on its port 53."""
METADATA_IPV4 = (METADATA_WITH_DNS, "169.254.169.252/32", "168.63.129.16/32", "100.100.100.200/32")
"""Metadata services: beside the first one, GKE's where nodes redirect to it (no Dataplane V2), Azure's WireServer, Alibaba Cloud's."""
METADATA_IPV6 = ("fd00:ec2::254/128", "fd20:ce::254/128")
"""Metadata services over IPv6: AWS and GCP."""
NFS_PORTS = (111, 2049)
"""Portmapper and NFS."""

UNEVICTABLE_ANNOTATIONS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-evict": "true",
    "karpenter.sh/do-not-disrupt": "true",
    "autopilot.gke.io/priority": "high",
}
"""Keep autoscalers from removing a pod with a run in progress."""

SCALR_PREFIX = "SCALR_"
"""Variables of this prefix configure the agent itself; runs have no use for them."""

AGENT_JOB_VARIABLES: dict[str, str | None] = {
    "SCALR_URL": "agent.url",
    "SCALR_AGENT_TOKEN": "agent.token",
    "SCALR_AGENT_NAME": None,
    "SCALR_AGENT_DEBUG": "agent.debug",
    "SCALR_AGENT_LOG_FORMAT": "agent.logFormat",
    "SCALR_AGENT_DATA_DIR": "agent.dataDir",
    "SCALR_AGENT_CACHE_DIR": "agent.cacheDir",
    "SCALR_AGENT_DRIVER": None,
    "SCALR_AGENT_KUBERNETES_MODE": None,
    "SCALR_AGENT_KUBERNETES_TASK_STARTUP_TIMEOUT_SECONDS": "task.startupTimeoutSeconds",
    "SCALR_AGENT_WORKER_ON_STOP_ACTION": None,
    "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": "agent.terminationGracePeriodSeconds",
    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": "agent.terminationGracePeriodSeconds or task.terminationGracePeriodSeconds",
    "SCALR_AGENT_MEMORY_MONITOR_WARN_PERCENT": "task.runner.memoryWarnPercent",
    "SCALR_AGENT_MEMORY_MONITOR_SOFT_LIMIT_PERCENT": "task.runner.memorySoftLimitPercent",
    "SCALR_AGENT_SENTRY_DSN": "agent.sentryDsn",
    "SCALR_AGENT_PROVIDER_CACHE_ENABLED": "agent.providerCache.enabled",
    "SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB": "agent.providerCache.sizeLimit",
    "SCALR_AGENT_PROVIDER_CACHE_CONCURRENCY": "agent.providerCache.concurrency",
    "SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES": "agent.providerCache.dropKernelPages",
    "SCALR_AGENT_MODULE_CACHE_ENABLED": "agent.moduleCache.enabled",
    "SCALR_AGENT_MODULE_CACHE_SIZE_LIMIT_MB": "agent.moduleCache.sizeLimit",
    "SCALR_AGENT_MODULE_CACHE_CONCURRENCY": "agent.moduleCache.concurrency",
    "SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB": "agent.binaryCache.sizeLimit",
    "SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS": "agent.binaryCache.thresholdDays",
    MIRRORS_VARIABLE: "agent.providerNetworkMirrors",
    "SCALR_AGENT_OTLP_ENDPOINT": "otel.endpoint",
    "SCALR_AGENT_OTLP_METRICS_ENABLED": "otel.metricsEnabled",
    "SCALR_AGENT_OTLP_TRACES_ENABLED": "otel.tracesEnabled",
    "HTTP_PROXY": "global.proxy.httpProxy",
    "HTTPS_PROXY": "global.proxy.httpsProxy",
    "NO_PROXY": "global.proxy.noProxy",
    "SCALR_AGENT_CA_CERT": "global.tls.caBundle",
    "SSL_CERT_FILE": "global.tls.caBundle",
    "SCALR_AGENT_TLS_CERT_FILE": "global.tls.clientCert",
    "SCALR_AGENT_TLS_KEY_FILE": "global.tls.clientKey",
}
"""Every variable that agent-job sets, and the value that sets it, on versions that know it; `None` for what the contract fixes. Those that
some versions fix are in `scalr_agents.charts.agent_job.versions`."""

RUNNER_PATHS = ("/opt/workdir", "/opt/data", "/opt/providers", "/tmp", "/opt/plugin-cache")
"""Where the runner's own volumes are on all versions."""

AGENT_K8S_VARIABLES: dict[str, str | None] = {
    "SCALR_URL": "agent.url",
    "SCALR_AGENT_TOKEN": "agent.token",
    "SCALR_AGENT_NAME": None,
    "SCALR_AGENT_KUBERNETES_MODE": None,
    "SCALR_AGENT_KUBERNETES_EFS_CLAIM_NAME": "efsVolumeHandle",
    "SCALR_AGENT_DATA_DIR": "agent.data_home",
    "SCALR_AGENT_LOG_FORMAT": "agent.log_format",
    "SCALR_AGENT_DEBUG": "agent.debug",
    "SCALR_AGENT_WORKER_ON_STOP_ACTION": "agent.worker_on_stop_action",
    "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": "agent.worker_drain_timeout",
    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": "agent.grace_shutdown_timeout",
    "SCALR_AGENT_DISCONNECT_ON_STOP": "agent.disconnect_on_stop",
    "SCALR_AGENT_CA_CERT": "agent.ca_cert",
    "SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT": "agent.container_task_scheduling_timeout",
    "SCALR_AGENT_CONTAINER_TASK_ACQUIRE_TIMEOUT": "agent.container_task_acquire_timeout",
    "SCALR_AGENT_CONTAINER_TASK_CPU_REQUEST": "agent.container_task_cpu_request",
    "SCALR_AGENT_CONTAINER_TASK_CPU_LIMIT": "agent.container_task_cpu_limit",
    "SCALR_AGENT_CONTAINER_TASK_MEM_REQUEST": "agent.container_task_mem_request",
    "SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT": "agent.container_task_mem_limit",
    "SCALR_AGENT_CONTAINER_TASK_CA_CERT": "agent.container_task_ca_cert",
    "SCALR_AGENT_CONTAINER_TASK_IMAGE_MODE": "agent.container_task_image_mode",
    "SCALR_AGENT_CONTAINER_TASK_IMAGE": "agent.container_task_image",
    "SCALR_AGENT_CONTAINER_TASK_IMAGE_REGISTRY": "agent.container_task_image_registry",
    "SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB": "agent.gc_plugins_global_size_limit",
    "SCALR_AGENT_KUBERNETES_AUTOMOUNT_SERVICE_ACCOUNT_TOKEN": "agent.automount_service_account_token",
    "SCALR_AGENT_KUBERNETES_TASK_LABELS": "agent.kubernetes_task_labels",
    "SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS": "agent.kubernetes_task_annotations",
    "SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR": "workerNodeSelector",
    "SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS": "workerTolerations",
}
"""Every variable that agent-k8s sets, and the value that sets it, on versions that know it; `None` for what the contract fixes."""
