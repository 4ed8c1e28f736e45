"""The role of machines on EC2, and what it may do."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pulumi
import pulumi_aws as aws

from scalr_agents.machines import policies
from scalr_agents.machines.settings import Ec2Settings
from scalr_agents.model.forms import is_deferred
from scalr_agents.resources import machine_group
from scalr_agents.resources.answers import answered
from scalr_agents.resources.interrupted import explained
from scalr_agents.resources.options import child, optional

_LONGEST_ROLE, _LONGEST_PROFILE = 64, 128


class Identity(NamedTuple):
    """A role, and the profile by which machines have it."""

    role: aws.iam.Role
    profile: aws.iam.InstanceProfile
    allowed: list[pulumi.Resource]
    """What gives the role its rights."""


def register(
    owner: pulumi.ComponentResource,
    name: str,
    settings: Ec2Settings,
    policy: pulumi.Output[str],
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> Identity:
    """Register the role of the machines `name` with a policy and those of the settings, as children of their component."""
    # Path and name cannot change in place. With another path comes another name, so that the new role can exist beside the old one.
    named = machine_group.fixed_name(name, _LONGEST_ROLE, settings.role_path)
    profile_name = machine_group.fixed_name(name, _LONGEST_PROFILE, settings.role_path)
    role = aws.iam.Role(
        f"{name}-role",
        name=named,
        path=settings.role_path or None,
        permissions_boundary=optional(settings.permissions_boundary),
        assume_role_policy=policies.trust(),
        force_detach_policies=True,  # others may attach policies, too
        tags=tags,
        opts=child(
            owner,
            opts,
            ignore_changes=["name"],  # existing roles keep theirs
            delete_before_replace=False,
            hooks=explained(name, f"a role {named}", f"aws iam delete-role --role-name {named}"),
        ),
    )
    own = aws.iam.RolePolicy(
        f"{name}-role-policy",
        name="agent",
        role=role.id,
        policy=policy,
        opts=child(owner, opts, ignore_changes=["name"], delete_before_replace=False),
    )
    profile = aws.iam.InstanceProfile(
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
    owner: pulumi.ComponentResource, name: str, settings: Ec2Settings, role: aws.iam.Role, opts: pulumi.ResourceOptions | None
) -> list[pulumi.Resource]:
    """The policies of the settings. Each is named after its ARN, so that none is detached when the list changes.

    Outputs have no value yet that could name them: a list with an output is attached as a whole, and no other policy can be.
    """
    known: dict[str, Any] = {str(arn): arn for arn in settings.policies if not is_deferred(arn)}
    attached = [
        aws.iam.RolePolicyAttachment(
            f"{name}-policy-{re.sub('[:/]+', '-', arn)}",
            role=role.name,
            policy_arn=arn,
            # What they were called before. With another role, machines that still have the old one keep its policies.
            opts=child(owner, opts, aliases=[pulumi.Alias(name=f"{name}-policy-{index}")], delete_before_replace=False),
        )
        for index, arn in enumerate(known)
    ]
    if settings.ssm:
        found = aws.get_partition_output(opts=pulumi.InvokeOutputOptions(parent=owner))
        partition = answered("aws:index/getPartition:getPartition", found.partition, "partition")
        managed = pulumi.Output.concat("arn:", partition, ":iam::aws:", policies.SSM_POLICY)
        attached.append(
            aws.iam.RolePolicyAttachment(
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
        aws.iam.RolePolicyAttachmentsExclusive(
            f"{name}-policies", role_name=role.name, policy_arns=every, opts=child(owner, opts, attached)
        ),
    ]
