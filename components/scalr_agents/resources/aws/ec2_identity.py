"""The role of machines on EC2, and its policies."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pulumi
from pulumi_aws import iam
from pulumi_aws.get_partition import get_partition_output

from scalr_agents.machines.aws import SSM_POLICY, Ec2Settings, trust_policy
from scalr_agents.model.maps import is_deferred
from scalr_agents.resources import machine_group
from scalr_agents.resources.component import child, explained
from scalr_agents.resources.outputs import answered, optional

_LONGEST_ROLE, _LONGEST_PROFILE = 64, 128


class Identity(NamedTuple):
    """A role, and its instance profile."""

    role: iam.Role
    profile: iam.InstanceProfile
    allowed: list[pulumi.Resource]
    """The policies and attachments of the role."""


def register(
    owner: pulumi.ComponentResource,
    name: str,
    settings: Ec2Settings,
    policy: pulumi.Output[str],
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> Identity:
    """Register the role of the machines `name` with `policy` and the policies of the settings, as children of `owner`."""
    # Path and name cannot change in place. Another path results in another name, so that both roles can exist during a change.
    named = machine_group.fixed_name(name, _LONGEST_ROLE, settings.role_path)
    profile_name = machine_group.fixed_name(name, _LONGEST_PROFILE, settings.role_path)
    role = iam.Role(
        f"{name}-role",
        name=named,
        path=settings.role_path or None,
        permissions_boundary=optional(settings.permissions_boundary),
        assume_role_policy=trust_policy(),
        force_detach_policies=True,  # others may have attached policies
        tags=tags,
        opts=child(
            owner,
            opts,
            ignore_changes=["name"],  # existing roles keep their names
            delete_before_replace=False,
            hooks=explained(name, f"a role {named}", f"aws iam delete-role --role-name {named}"),
        ),
    )
    own = iam.RolePolicy(
        f"{name}-role-policy",
        name="agent",
        role=role.id,
        policy=policy,
        opts=child(owner, opts, ignore_changes=["name"], delete_before_replace=False),
    )
    profile = iam.InstanceProfile(
        f"{name}-profile",
        name=profile_name,
        path=settings.role_path or None,
        role=role.name,
        tags=tags,
        opts=child(
            owner,
            opts,
            ignore_changes=["name"],
            delete_before_replace=False,
            hooks=explained(
                name, f"an instance profile {profile_name}", f"aws iam delete-instance-profile --instance-profile-name {profile_name}"
            ),
        ),
    )
    return Identity(role, profile, [own, *_attached(owner, name, settings, role, opts)])


def _attached(
    owner: pulumi.ComponentResource, name: str, settings: Ec2Settings, role: iam.Role, opts: pulumi.ResourceOptions | None
) -> list[pulumi.Resource]:
    """The attached policies of the settings. Each is named after its ARN, so that none is detached when the list changes.

    The value of an output is not known yet. A list with an output is attached as a whole, which detaches all other policies.
    """
    known: dict[str, Any] = {str(arn): arn for arn in settings.policies if not is_deferred(arn)}
    attached = [
        iam.RolePolicyAttachment(
            f"{name}-policy-{re.sub('[:/]+', '-', arn)}",
            role=role.name,
            policy_arn=arn,
            # Earlier names. The old role keeps its policies while machines still use it.
            opts=child(owner, opts, aliases=[pulumi.Alias(name=f"{name}-policy-{index}")], delete_before_replace=False),
        )
        for index, arn in enumerate(known)
    ]
    if settings.ssm:
        found = get_partition_output(opts=pulumi.InvokeOutputOptions(parent=owner))
        partition = answered("aws:index/getPartition:getPartition", found.partition, "partition")
        managed = pulumi.Output.concat("arn:", partition, ":iam::aws:", SSM_POLICY)
        attached.append(
            iam.RolePolicyAttachment(
                f"{name}-policy-ssm", role=role.name, policy_arn=managed, opts=child(owner, opts, delete_before_replace=False)
            )
        )
        known["ssm"] = managed
    if not any(map(is_deferred, settings.policies)):
        return list(attached)
    later = [arn for arn in settings.policies if is_deferred(arn)]
    every: list[Any] = [*known.values(), *later]
    return [
        *attached,
        iam.RolePolicyAttachmentsExclusive(f"{name}-policies", role_name=role.name, policy_arns=every, opts=child(owner, opts, attached)),
    ]
