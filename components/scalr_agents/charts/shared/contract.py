"""The contract with the agent: names and paths that its images expect. Validation and manifests use them."""

CA_FILE = "/etc/ssl/certs/scalr-ca-bundle.crt"
"""Mount path of the CA bundle in every container."""
TOKEN_KEY = "token"
"""Key of the agent token in the Secret that we create."""
SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where the worker reads its service account token."""

CLIENT_CERT_DIR = "/etc/scalr-agent/ssl"
"""Mount path of the agent's client certificate, `tls.crt` and `tls.key`."""
MIRRORS_VARIABLE = "SCALR_AGENT_PROVIDER_NETWORK_MIRRORS"

CA_VOLUME = "ca-bundle"
CLIENT_CERT_VOLUME = "client-cert"
POD_INFO_VOLUME = "podinfo"
AGENT_VOLUME = "worker"
"""Volume with files from the agent's image, for the runner."""
DATA_VOLUME = "data-dir"
CACHE_VOLUME = "cache-dir"
TMP_VOLUME = "tmp-dir"
TOKEN_VOLUME = "sa-token"

METADATA_WITH_DNS = "169.254.169.254/32"
"""Metadata service of AWS, GCP and Azure. GKE's Cloud DNS listens on its port 53."""
METADATA_IPV4 = (METADATA_WITH_DNS, "169.254.169.252/32", "168.63.129.16/32", "100.100.100.200/32")
"""Metadata services: the above, GKE's on nodes without Dataplane V2 (which redirect to it), Azure WireServer, Alibaba Cloud."""
METADATA_IPV6 = ("fd00:ec2::254/128", "fd20:ce::254/128")
"""Metadata services over IPv6: AWS and GCP."""
METADATA = (*METADATA_IPV4, *METADATA_IPV6)
"""All metadata services."""
NFS_PORTS = (111, 2049)
"""Ports of the portmapper and of NFS."""

UNEVICTABLE_ANNOTATIONS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-evict": "true",
    "karpenter.sh/do-not-disrupt": "true",
    "autopilot.gke.io/priority": "high",
}
"""Keep autoscalers from removing a pod with a run in progress."""

SCALR_PREFIX = "SCALR_"
"""Prefix of variables that configure the agent itself; runs do not need them."""

RUNNER_PATHS = ("/opt/workdir", "/opt/data", "/opt/providers", "/tmp", "/opt/plugin-cache")
"""Mount paths of the runner's own volumes in all versions."""
