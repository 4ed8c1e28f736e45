"""One agent in its own namespace, on a cluster that the program selects explicitly."""

# pulumi install
# pulumi stack init dev
# pulumi config set context kind-kind
# pulumi config set url https://acme.scalr.io
# pulumi config set --secret token      (asks for the token of the agent pool)
# pulumi up

import pulumi
import pulumi_kubernetes as kubernetes
from scalr_agents import AgentCrds, AgentJob

config = pulumi.Config()

# With a mutable Secret, a new token is an update in place. Otherwise the Secret is deleted and created again while pods use it.
# Without the identifier, a changed address or certificate authority in the kubeconfig would replace everything.
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

# The definitions stay when this stack is destroyed. Other stacks may install them too.
crds = AgentCrds("agent-crds", opts=opts)

payments = AgentJob(
    "payments",
    {
        "namespace": "scalr-payments",
        "agent_version": "0.57.0",
        "url": config.require("url"),
        "token": config.require_secret("token"),
        "values": {
            "agent": {"minReadySeconds": 15},  # an agent with a wrong token is ready for a few seconds before it gives up
            "task": {
                "job": {"activeDeadlineSeconds": 14400},  # a run that hangs ends after four hours, and its node can be drained
                "runner": {"resources": {"limits": {"memory": "4096Mi"}}},
            },
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[crds, namespace]),
)

# The account to grant a cloud role to, and the labels for logs and policies to select.
pulumi.export("serviceAccountName", payments.service_account_name)
pulumi.export("taskPodSelector", payments.task_pod_selector)
