"""The agent's side of the contract: names and paths that its images expect, shared by validation and manifests."""

CA_FILE = "/etc/ssl/certs/scalr-ca-bundle.crt"
"""Where a CA bundle is mounted in every container."""
TOKEN_KEY = "token"
"""Key of the agent token in a Secret of ours."""
SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where the worker looks for its service account's token."""

CA_VOLUME = "ca-bundle"
DATA_VOLUME = "data-dir"
CACHE_VOLUME = "cache-dir"
TMP_VOLUME = "tmp-dir"
TOKEN_VOLUME = "sa-token"

METADATA_IPV4 = "169.254.169.254/32"
"""Metadata service of AWS, GCP and Azure; GKE's Cloud DNS answers on its port 53."""
METADATA_IPV6 = ("fd00:ec2::254/128", "fd20:ce::254/128")
"""Metadata services over IPv6: AWS and GCP."""

UNEVICTABLE_ANNOTATIONS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-evict": "true",
    "karpenter.sh/do-not-disrupt": "true",
    "autopilot.gke.io/priority": "high",
}
"""Keep autoscalers from removing a pod with a run in progress."""

SCALR_PREFIX = "SCALR_"
"""Variables of this prefix configure the agent itself; runs have no use for them."""

AGENT_JOB_VARIABLES = {
    "SCALR_URL": "agent.url",
    "SCALR_AGENT_TOKEN": "agent.token",
    "SCALR_AGENT_NAME": None,
    "SCALR_AGENT_DEBUG": "agent.debug",
    "SCALR_AGENT_LOG_FORMAT": "agent.logFormat",
    "SCALR_AGENT_DATA_DIR": "agent.dataDir",
    "SCALR_AGENT_CACHE_DIR": "agent.cacheDir",
    "SCALR_AGENT_DRIVER": None,
    "SCALR_AGENT_KUBERNETES_MODE": None,
    "SCALR_AGENT_KUBERNETES_JOB_TEMPLATE": None,
    "SCALR_AGENT_WORKER_ON_STOP_ACTION": None,
    "SCALR_AGENT_WORKER_DRAIN_TIMEOUT": "agent.terminationGracePeriodSeconds",
    "SCALR_AGENT_WORKER_GRACE_SHUTDOWN_TIMEOUT": "agent.terminationGracePeriodSeconds or task.terminationGracePeriodSeconds",
    "SCALR_AGENT_CONTAINER_TASK_SCHEDULING_TIMEOUT": None,
    "SCALR_AGENT_DISCONNECT_ON_STOP": None,
    "SCALR_AGENT_PROVIDER_CACHE_ENABLED": "agent.providerCache.enabled",
    "SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB": "agent.providerCache.sizeLimit",
    "SCALR_AGENT_MODULE_CACHE_ENABLED": "agent.moduleCache.enabled",
    "SCALR_AGENT_MODULE_CACHE_SIZE_LIMIT_MB": "agent.moduleCache.sizeLimit",
    "SCALR_AGENT_OTLP_ENDPOINT": "otel.endpoint",
    "SCALR_AGENT_OTLP_METRICS_ENABLED": "otel.metricsEnabled",
    "SCALR_AGENT_OTLP_TRACES_ENABLED": "otel.tracesEnabled",
    "HTTP_PROXY": "global.proxy.httpProxy",
    "HTTPS_PROXY": "global.proxy.httpsProxy",
    "NO_PROXY": "global.proxy.noProxy",
    "SCALR_AGENT_CA_CERT": "global.tls.caBundle",
    "SSL_CERT_FILE": "global.tls.caBundle",
}
"""Every variable that agent-job sets, and the value that sets it; `None` for what the contract fixes."""
