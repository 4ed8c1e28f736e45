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

RUNNER_PATHS = ("/opt/workdir", "/opt/data", "/opt/providers", "/tmp", "/opt/plugin-cache")
"""Where the runner's own volumes are on all versions."""
