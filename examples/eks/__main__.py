"""On EKS: an agent for runs with a cache on Amazon EFS and a role in AWS, and apart from it an agent for a VCS provider."""

import json

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
from scalr_agents import AgentCrds, AgentJob, AgentLocal, EfsCache, EfsClaim, EfsCsiDriver

NODE_POLICIES = ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly"]

config = pulumi.Config()
eks_cluster = config.require("cluster")
subnets = config.require("subnets").split(",")
url = config.require("url")

cluster = kubernetes.Provider(
    "cluster",
    context=config.require("context"),
    cluster_identifier=eks_cluster,
    enable_secret_mutable=True,
)
opts = pulumi.ResourceOptions(provider=cluster)


def trusted_by(service: str, *actions: str) -> str:
    """The trust policy of a role for a service of AWS."""
    statement = {"Effect": "Allow", "Action": actions, "Principal": {"Service": service}}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def nodes(pool: str, instance_type: str, largest: int) -> aws.eks.NodeGroup:
    """Nodes with the label and the taint `pool`, and a role of their own."""
    role = aws.iam.Role(f"{pool}-nodes", assume_role_policy=trusted_by("ec2.amazonaws.com", "sts:AssumeRole"))
    policies = [
        aws.iam.RolePolicyAttachment(f"{pool}-nodes-{policy}", role=role.name, policy_arn=f"arn:aws:iam::aws:policy/{policy}")
        for policy in NODE_POLICIES
    ]
    return aws.eks.NodeGroup(
        f"{pool}-nodes",
        cluster_name=eks_cluster,
        node_role_arn=role.arn,
        subnet_ids=subnets,
        instance_types=[instance_type],
        scaling_config={"min_size": 1, "desired_size": 1, "max_size": largest},
        labels={"pool": pool},
        taints=[{"key": "pool", "value": pool, "effect": "NO_SCHEDULE"}],
        opts=pulumi.ResourceOptions(depends_on=policies, ignore_changes=["scalingConfig.desiredSize"]),  # an autoscaler changes it
    )


def on(pool: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Node selector and tolerations of pods that run on the nodes of a pool."""
    return {"pool": pool}, [{"key": "pool", "operator": "Equal", "value": pool, "effect": "NoSchedule"}]


def namespace(name: str) -> kubernetes.core.v1.Namespace:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    return kubernetes.core.v1.Namespace(name, metadata={"name": name, "labels": labels}, opts=opts)


# Runs execute code that others have written. The VCS agent reads repositories. They share neither nodes nor a namespace.
runs_nodes, vcs_nodes = nodes("runs", "m6i.large", largest=5), nodes("vcs", "t3.medium", largest=1)
runs_namespace, vcs_namespace = namespace("scalr-runs"), namespace("scalr-vcs")

# The cache of the runs, and the agent's own part of it.
driver = EfsCsiDriver("efs-csi-driver", {"cluster_name": eks_cluster})  # remove it if the cluster already has the driver
cache = EfsCache("cache", {"eks_cluster": eks_cluster, "on_delete": "keep"})
claim = EfsClaim(
    "runs-cache",
    {"namespace": "scalr-runs", "release": "runs", "file_system_id": cache.file_system_id},
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
                "providerCache": {"enabled": True, "sizeLimit": "40Gi"},  # without this only binaries are cached
            },
            "task": {
                "nodeSelector": selector,
                "tolerations": tolerations,
                "job": {"activeDeadlineSeconds": 14400},  # a run that hangs ends after four hours, and its node can be drained
            },
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[AgentCrds("agent-crds", opts=opts), runs_namespace, runs_nodes, driver]),
)

# The role of the runs. EKS Pod Identity gives it to the agent's service account; the VCS agent has none.
role = aws.iam.Role("runs", assume_role_policy=trusted_by("pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession"))
aws.iam.RolePolicyAttachment(
    "runs-policy",
    role=role.name,
    policy_arn="arn:aws:iam::aws:policy/ReadOnlyAccess",  # enough for a plan; put in what your runs need
)
aws.eks.PodIdentityAssociation(
    "runs-identity",
    cluster_name=eks_cluster,
    namespace=runs.namespace,
    service_account=runs.service_account_name,
    role_arn=role.arn,
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

pulumi.export("fileSystemId", cache.file_system_id)
pulumi.export("roleArn", role.arn)
