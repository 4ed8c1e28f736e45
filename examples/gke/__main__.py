"""On GKE: an agent for runs with a cache on Filestore and rights in Google Cloud, and apart from it an agent for a VCS provider."""

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
from scalr_agents import AgentCrds, AgentJob, AgentLocal, FilestoreCache, FilestoreClaim

config = pulumi.Config()
project = pulumi.Config("gcp").require("project")
gke_cluster, location = config.require("cluster"), config.require("location")
url = config.require("url")

cluster = kubernetes.Provider(
    "cluster",
    context=config.require("context"),
    cluster_identifier=config.require("context"),
    enable_secret_mutable=True,
)
opts = pulumi.ResourceOptions(provider=cluster)


def nodes(pool: str, machine_type: str, largest: int) -> gcp.container.NodePool:
    """Nodes with the label and the taint `pool`, and a service account of their own that may write logs and metrics."""
    account = gcp.serviceaccount.Account(f"{pool}-nodes", account_id=f"scalr-{pool}-nodes")
    logging = gcp.projects.IAMMember(
        f"{pool}-nodes-logging", project=project, role="roles/container.defaultNodeServiceAccount", member=account.member
    )
    return gcp.container.NodePool(
        f"{pool}-nodes",
        cluster=gke_cluster,
        location=location,
        autoscaling={"total_min_node_count": 1, "total_max_node_count": largest},
        node_config={
            "machine_type": machine_type,
            "service_account": account.email,
            "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "workload_metadata_config": {"mode": "GKE_METADATA"},  # pods get their own identity, not that of the node
            "labels": {"pool": pool},
            "taints": [{"key": "pool", "value": pool, "effect": "NO_SCHEDULE"}],
        },
        opts=pulumi.ResourceOptions(depends_on=[logging]),
    )


def on(pool: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Node selector and tolerations of pods that run on the nodes of a pool."""
    return {"pool": pool}, [{"key": "pool", "operator": "Equal", "value": pool, "effect": "NoSchedule"}]


def namespace(name: str) -> kubernetes.core.v1.Namespace:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    return kubernetes.core.v1.Namespace(name, metadata={"name": name, "labels": labels}, opts=opts)


# Runs execute code that others have written. The VCS agent reads repositories. They share neither nodes nor a namespace.
runs_nodes, vcs_nodes = nodes("runs", "e2-standard-4", largest=5), nodes("vcs", "e2-medium", largest=1)
runs_namespace, vcs_namespace = namespace("scalr-runs"), namespace("scalr-vcs")

# The cache of the runs: one instance for a namespace, and one volume and claim for the instance.
cache = FilestoreCache(
    "cache",
    {
        "tier": "BASIC_HDD",
        "location": config.require("zone"),
        "capacity": "1Ti",
        "network": config.require("network"),
        "export_options": [{"ip_ranges": [config.require("nodes")]}],  # without it, every host of the network may write
        "on_delete": "keep",
    },
)
claim = FilestoreClaim(
    "runs-cache",
    {
        "namespace": "scalr-runs",
        "release": "runs",
        "instance_id": cache.instance_id,
        "ip_address": cache.ip_address,
        "share_name": cache.share_name,
        "capacity": cache.capacity,
        "protocol": cache.protocol,
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[runs_namespace]),
)

selector, tolerations = on("runs")
runs = AgentJob(
    "runs",
    {
        "namespace": "scalr-runs",
        "agent_version": "0.57.0",
        "url": url,
        "token": config.require_secret("token"),
        "claim_name": claim.claim_name,
        "values": {
            "agent": {
                "minReadySeconds": 15,  # an agent with a wrong token is ready for a few seconds before it gives up
                "nodeSelector": selector,
                "tolerations": tolerations,
                "providerCache": {"enabled": True, "sizeLimit": "800Gi"},  # a soft limit: leave room in the volume
            },
            "task": {
                "nodeSelector": selector,
                "tolerations": tolerations,
                "allowMetadataService": True,  # workload identity provides credentials through GKE's metadata server
                "job": {"activeDeadlineSeconds": 14400},  # a run that hangs ends after four hours, and its node can be drained
            },
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[AgentCrds("agent-crds", opts=opts), runs_namespace, runs_nodes]),
)

# What runs may do in Google Cloud, granted to the agent's Kubernetes service account itself. The VCS agent is granted nothing.
pool = f"projects/{config.require('projectNumber')}/locations/global/workloadIdentityPools/{project}.svc.id.goog"
gcp.projects.IAMMember(
    "runs-viewer",
    project=project,
    role="roles/viewer",  # enough for a plan; put in what your runs need
    member=pulumi.Output.format(
        "principal://iam.googleapis.com/{0}/subject/ns/{1}/sa/{2}", pool, runs.namespace, runs.service_account_name
    ),
)

selector, tolerations = on("vcs")
AgentLocal(
    "vcs",
    {
        "namespace": "scalr-vcs",
        "agent_version": "0.59.0",
        "url": url,
        "token": config.require_secret("vcsToken"),  # of a pool for VCS providers
        "values": {"nodeSelector": selector, "tolerations": tolerations},
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[vcs_namespace, vcs_nodes]),
)

pulumi.export("instanceId", cache.instance_id)
