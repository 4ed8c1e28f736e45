"""An agent pool in Scalr with its tokens, and the agent that uses it, in one program: nobody copies a token."""

import pulumi
import pulumi_kubernetes as kubernetes
import pulumi_scalr as scalr
from scalr_agents import AgentCrds, AgentJob

config = pulumi.Config()
hostname = pulumi.Config("scalr").require("hostname")

# Workspaces of these environments may select the pool.
environments = [scalr.get_environment(name=name) for name in config.require("environments").split(",")]
pool = scalr.AgentPool("payments", name="payments", environments=[environment.id for environment in environments])

# All tokens of the pool that are valid. The agent uses the last one; while it changes from one to the next, both are valid.
tokens = [
    scalr.AgentPoolToken(f"payments-{name}", agent_pool_id=pool.id, description=f"{name}, from {pulumi.get_project()}")
    for name in config.require("tokens").split(",")
]

cluster = kubernetes.Provider(
    "cluster",
    context=config.require("context"),
    cluster_identifier=config.require("context"),
    enable_secret_mutable=True,
)
opts = pulumi.ResourceOptions(provider=cluster)
namespace = kubernetes.core.v1.Namespace(
    "scalr-payments",
    metadata={"name": "scalr-payments", "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
    opts=opts,
)

AgentJob(
    "payments",
    {
        "namespace": "scalr-payments",
        "agent_version": "0.57.0",
        "url": f"https://{hostname}",
        "token": tokens[-1].token,
        "values": {
            "agent": {"minReadySeconds": 15},  # an agent with a wrong token is ready for a few seconds before it gives up
            "task": {"job": {"activeDeadlineSeconds": 14400}},  # a run that hangs ends after four hours, and its node can be drained
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[AgentCrds("agent-crds", opts=opts), namespace]),
)

pulumi.export("pool", pool.id)
