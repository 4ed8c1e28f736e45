"""The `EfsCsiDriver` component."""

import json
from typing import Any

import pulumi
from pulumi_aws import eks, iam
from pulumi_aws.get_partition import get_partition_output

from scalr_agents.caches.efs import EfsCsiDriverSettings
from scalr_agents.model.maps import is_set
from scalr_agents.resources.arguments.caches import EfsCsiDriverArgs
from scalr_agents.resources.component import Component, child
from scalr_agents.resources.outputs import answered, as_output
from scalr_agents.resources.validation import validate, with_text

ADDON = "aws-efs-csi-driver"
SERVICE_ACCOUNT = "efs-csi-controller-sa"
_MANAGED_POLICY = "policy/service-role/AmazonEFSCSIDriverPolicy"


class EfsCsiDriver(Component):
    """The EFS CSI driver of an EKS cluster, as an add-on whose role comes from EKS Pod Identity. Create it once per cluster.

    Mounting needs only the driver. It uses the role to create access points for StorageClasses.
    """

    role_arn: pulumi.Output[str]
    """ARN of the role of the driver's controller."""
    addon_arn: pulumi.Output[str]
    """ARN of the add-on. Resources that use it wait until the add-on is active."""

    def __init__(self, name: str, args: EfsCsiDriverArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        settings = validate("EfsCsiDriver", name, EfsCsiDriverSettings, args)
        super().__init__("scalr-agents:index:EfsCsiDriver", name, {}, opts)
        settings = with_text(self, name, settings)

        tags: dict[str, Any] = dict(settings.tags)
        attached: list[pulumi.Resource] = []
        if is_set(settings.role_arn):
            self.role_arn = as_output(settings.role_arn)
        else:
            role = iam.Role(f"{name}-role", assume_role_policy=trust_policy(), tags=tags, opts=child(self, opts))
            found = get_partition_output(opts=pulumi.InvokeOutputOptions(parent=self))
            partition = answered("aws:index/getPartition:getPartition", found.partition, "partition")
            attached.append(
                iam.RolePolicyAttachment(
                    f"{name}-role-policy",
                    role=role.name,
                    policy_arn=pulumi.Output.concat("arn:", partition, ":iam::aws:", _MANAGED_POLICY),
                    opts=child(self, opts),
                )
            )
            self.role_arn = role.arn
        addon = eks.Addon(
            f"{name}-addon",
            cluster_name=as_output(settings.cluster_name),
            addon_name=ADDON,
            addon_version=settings.addon_version or None,
            pod_identity_associations=[{"role_arn": self.role_arn, "service_account": SERVICE_ACCOUNT}],
            tags=tags,
            opts=child(self, opts, attached),
        )
        self.addon_arn = addon.arn
        self.publish()


def trust_policy() -> str:
    """The policy that allows EKS Pod Identity to assume the role for the associated pods."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
