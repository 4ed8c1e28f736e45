"""An agent on EKS whose runs share a cache on Amazon EFS and have a role in AWS."""

# The cluster must exist, with the add-on eks-pod-identity-agent; this program creates everything else.
#
# pulumi install
# pulumi stack init prod
# pulumi config set aws:region eu-west-1
# pulumi config set cluster prod        (name of the EKS cluster)
# pulumi config set context prod        (its context in the kubeconfig)
# pulumi config set url https://acme.scalr.io
# pulumi config set --secret token      (asks for the token of the agent pool)
# pulumi up

import json

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
from scalr_agents import AgentCrds, AgentJob, EfsCache, EfsClaim, EfsCsiDriver, names

NAMESPACE, RELEASE = "scalr-payments", "payments"

config = pulumi.Config()
eks_cluster = config.require("cluster")

cluster = kubernetes.Provider(
    "cluster",
    context=config.require("context"),
    cluster_identifier=eks_cluster,
    enable_secret_mutable=True,
)
opts = pulumi.ResourceOptions(provider=cluster)

namespace = kubernetes.core.v1.Namespace(
    NAMESPACE,
    metadata={"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
    opts=opts,
)
crds = AgentCrds("agent-crds", opts=opts)

# Once per cluster. Remove this if the cluster already has the driver.
driver = EfsCsiDriver("efs-csi-driver", {"cluster_name": eks_cluster})

# The VPC, a subnet of every zone and the cluster's security group are looked up, so the cluster must exist before a preview.
# If nodes have another security group, list it in "clients".
cache = EfsCache("cache", {"eks_cluster": eks_cluster, "on_delete": "keep"})

# The agent's own part of the file system. Every agent needs its own claim, on the same or on another file system.
claim = EfsClaim(
    "payments-cache",
    {"namespace": NAMESPACE, "release": RELEASE, "file_system_id": cache.file_system_id},
    pulumi.ResourceOptions(provider=cluster, depends_on=[namespace]),
)

# The trust policy of the role for the runs. With the ARN of the cluster's OIDC provider (`pulumi config set oidcProviderArn ...`) this is
# IRSA: the role trusts the service account, whose name is known before it exists. Without, it is EKS Pod Identity: the role
# trusts EKS, and an association names the account.
oidc_provider = config.get("oidcProviderArn")
if oidc_provider:
    issuer = oidc_provider.partition("oidc-provider/")[2]
    account = names("agent-job", RELEASE, NAMESPACE).service_account
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": oidc_provider},
        "Condition": {
            "StringEquals": {
                f"{issuer}:aud": "sts.amazonaws.com",
                f"{issuer}:sub": f"system:serviceaccount:{NAMESPACE}:{account}",
            }
        },
    }
else:
    trust = {
        "Effect": "Allow",
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Principal": {"Service": "pods.eks.amazonaws.com"},
    }
role = aws.iam.Role("payments-runs", assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
aws.iam.RolePolicyAttachment(
    "payments-runs-policy",
    role=role.name,
    policy_arn="arn:aws:iam::aws:policy/ReadOnlyAccess",  # enough for a plan; put in what your runs need
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
        "service_account_annotations": {"eks.amazonaws.com/role-arn": role.arn} if oidc_provider else {},
        "values": {
            "agent": {
                "minReadySeconds": 15,
                "providerCache": {"enabled": True, "sizeLimit": "40Gi"},  # without this only binaries are cached
            },
            "task": {"job": {"activeDeadlineSeconds": 14400}},  # a run that hangs ends after four hours, and its node can be drained
        },
    },
    pulumi.ResourceOptions(provider=cluster, depends_on=[crds, namespace, driver]),
)

if not oidc_provider:
    aws.eks.PodIdentityAssociation(
        "payments-runs-identity",
        cluster_name=eks_cluster,
        namespace=payments.namespace,
        service_account=payments.service_account_name,
        role_arn=role.arn,
    )

# Note the id before a destroy: the file system is kept, and you need the id to use it again.
pulumi.export("fileSystemId", cache.file_system_id)
pulumi.export("roleArn", role.arn)
