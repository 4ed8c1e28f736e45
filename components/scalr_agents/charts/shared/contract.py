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
DATA_VOLUME = "data-dir"

LINK_LOCAL = "169.254.0.0/16"
"""Where most metadata services listen, and on port 53 the DNS of clouds and nodes: which addresses differs between clouds and clusters."""
POD_IDENTITY = "169.254.170.23/32"
"""EKS Pod Identity, on port 80: it gives each pod the credentials of its own account, so that it stays open."""
_LINK_LOCAL_SERVICES = ("169.254.169.254", "169.254.169.252", "169.254.0.23", "169.254.42.42")
"""AWS, Azure, GCP and others; GKE on nodes without Dataplane V2, which redirect to it; Tencent Cloud; Scaleway."""
_IPV4_SERVICES = ("168.63.129.16", "100.100.100.200", "100.96.0.96")
"""Azure WireServer, Alibaba Cloud, Volcengine."""
_IPV6_SERVICES = ("fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42")
"""AWS, GCP, Oracle Cloud, Scaleway."""
METADATA_SERVICES = (*_LINK_LOCAL_SERVICES, *_IPV4_SERVICES, *_IPV6_SERVICES)
"""Addresses of metadata services, which give runs the credentials of their node."""
METADATA_IPV4 = (LINK_LOCAL, *(f"{address}/32" for address in _IPV4_SERVICES))
"""What is closed because of them, over IPv4."""
METADATA_IPV6 = tuple(f"{address}/128" for address in _IPV6_SERVICES)
"""What is closed because of them, over IPv6."""
METADATA = (*METADATA_IPV4, *METADATA_IPV6)
"""All that is closed because of metadata services, but for DNS and EKS Pod Identity."""
NFS_PORTS = (111, 2049)
"""Ports of the portmapper and of NFS."""

DISK = "ephemeral-storage"
"""The resource of a container that is the disk of its node."""

UNEVICTABLE_ANNOTATIONS = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-evict": "true",
    "karpenter.sh/do-not-disrupt": "true",
    "autopilot.gke.io/priority": "high",
}
"""Keep autoscalers from removing a pod with a run in progress."""

IDLE = ("buffer", "pre-pull")
"""Components of pods that only wait, without which an agent works."""
BESIDE_RUNS = (*IDLE, "cache-preparation")
"""Components of pods that neither start runs nor execute them."""

SCALR_PREFIX = "SCALR_"
"""Prefix of variables that configure the agent itself; runs do not need them."""
