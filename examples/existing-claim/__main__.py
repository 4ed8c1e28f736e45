"""An agent whose runs share a cache on a PersistentVolumeClaim that exists: see README.md."""

import pulumi
import pulumi_kubernetes as kubernetes
from scalr_agents import AgentCrds, AgentJob

config = pulumi.Config()
namespace = config.require("namespace")

cluster = kubernetes.Provider(
    "cluster",
    context=config.require("context"),
    cluster_identifier=config.require("context"),
    enable_secret_mutable=True,
)
opts = pulumi.ResourceOptions(provider=cluster)
crds = AgentCrds("agent-crds", opts=opts)

payments = AgentJob(
    "payments",
    {
        "namespace": namespace,  # that of the claim: pods mount only claims of their own namespace
        "agent_version": "0.57.0",
        "url": config.require("url"),
        "token": config.require_secret("token"),
        "claim_name": config.require("claim"),
        "values": {
            "agent": {
                "minReadySeconds": 15,  # an agent with a wrong token is ready for a few seconds before it gives up
                "providerCache": {"enabled": True, "sizeLimit": "40Gi"},  # a soft limit, below the size of the volume
            },
            "task": {"job": {"activeDeadlineSeconds": 14400}},  # a run that hangs ends after four hours, and its node can be drained
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[crds]),
)

pulumi.export("serviceAccountName", payments.service_account_name)
