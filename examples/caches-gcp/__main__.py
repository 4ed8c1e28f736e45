"""An agent on GKE whose runs share a cache on Google Filestore and have a service account of Google Cloud."""

# The cluster must exist, with workload identity and the Filestore CSI driver:
#
# gcloud services enable file.googleapis.com
# gcloud container clusters update prod --location=europe-west1 --workload-pool=acme-infra.svc.id.goog
# gcloud container clusters update prod --location=europe-west1 --update-addons=GcpFilestoreCsiDriver=ENABLED
#
# pulumi install
# pulumi stack init prod
# pulumi config set gcp:project acme-infra
# pulumi config set zone europe-west1-b (where most of the nodes of task pods are)
# pulumi config set network default     (VPC network of the cluster)
# pulumi config set nodes 10.132.0.0/20 (addresses of the cluster's nodes)
# pulumi config set context prod        (its context in the kubeconfig)
# pulumi config set url https://acme.scalr.io
# pulumi config set --secret token      (asks for the token of the agent pool)
# pulumi up

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes
from scalr_agents import AgentCrds, AgentJob, FilestoreCache, FilestoreClaim, names

NAMESPACE, RELEASE = "scalr-payments", "payments"

config = pulumi.Config()
project = pulumi.Config("gcp").require("project")

cluster = kubernetes.Provider(
    "cluster",
    context=config.require("context"),
    cluster_identifier=config.require("context"),
    enable_secret_mutable=True,
)
opts = pulumi.ResourceOptions(provider=cluster)

namespace = kubernetes.core.v1.Namespace(
    NAMESPACE,
    metadata={"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
    opts=opts,
)
crds = AgentCrds("agent-crds", opts=opts)

# One instance for each namespace, and one volume and claim for each instance.
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
    "shared-cache",
    {
        "namespace": NAMESPACE,
        "release": "shared",  # the claim is called shared-cache
        "instance_id": cache.instance_id,
        "ip_address": cache.ip_address,
        "share_name": cache.share_name,
        "capacity": cache.capacity,
        "protocol": cache.protocol,
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[namespace]),
)

# Runs act as this account of Google Cloud. The Kubernetes account that may do so is named before it exists.
runs = gcp.serviceaccount.Account("payments-runs", account_id="scalr-payments-runs", display_name="Runs of Scalr agent payments")
account = names("agent-job", RELEASE, NAMESPACE).service_account
identity = gcp.serviceaccount.IAMMember(
    "payments-runs-identity",
    service_account_id=runs.name,
    role="roles/iam.workloadIdentityUser",
    member=f"serviceAccount:{project}.svc.id.goog[{NAMESPACE}/{account}]",
)
gcp.projects.IAMMember(
    "payments-runs-viewer",
    project=project,
    role="roles/viewer",  # enough for a plan; put in what your runs need
    member=runs.member,
)

payments = AgentJob(
    "payments",
    {
        "namespace": NAMESPACE,
        "agent_version": "0.57.0",
        "release": RELEASE,
        "url": config.require("url"),
        "token": config.require_secret("token"),
        "claim_name": claim.claim_name,
        "service_account_annotations": {"iam.gke.io/gcp-service-account": runs.email},
        "values": {
            "agent": {
                "minReadySeconds": 15,
                "providerCache": {"enabled": True, "sizeLimit": "800Gi"},  # a soft limit: leave room in the volume
            },
            # A directory of its own, so that more agents of this namespace can mount the same claim.
            "persistence": {"cache": {"persistentVolumeClaim": {"subPath": RELEASE}}},
            "task": {
                "allowMetadataService": True,  # workload identity provides credentials through GKE's metadata server
                "job": {"activeDeadlineSeconds": 14400},  # a run that hangs ends after four hours, and its node can be drained
            },
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[crds, namespace, identity]),
)

# Note the id before a destroy: the instance is kept, and you need the id to use it again.
pulumi.export("instanceId", cache.instance_id)
pulumi.export("serviceAccountName", payments.service_account_name)
