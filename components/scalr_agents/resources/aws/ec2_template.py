"""The launch template of machines on EC2."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pulumi
from pulumi_aws import ec2, ssm

from scalr_agents.machines import Machine
from scalr_agents.machines.aws import UBUNTU_ON_EC2, Ec2Settings
from scalr_agents.resources import machine_group
from scalr_agents.resources.component import child, explained
from scalr_agents.resources.outputs import optional

_LONGEST_NAME = 125


class Parts(NamedTuple):
    """Values of other resources that the template refers to."""

    profile_arn: pulumi.Output[str]
    user_data: pulumi.Output[str]
    security_groups: list[Any]
    secret_version: pulumi.Output[str]


def register(
    owner: pulumi.ComponentResource,
    name: str,
    machine: Machine,
    settings: Ec2Settings,
    parts: Parts,
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> ec2.LaunchTemplate:
    """Register the template of the machines `name` as a child of `owner`."""
    named = machine_group.fixed_name(name, _LONGEST_NAME)
    remove = f"aws ec2 delete-launch-template --launch-template-name {named}"
    one_type = settings.spot and not settings.other_instance_types  # for several types, the group requests Spot capacity
    return ec2.LaunchTemplate(
        f"{name}-launch-template",
        name=named,
        image_id=settings.ami or f"resolve:ssm:{_parameter(settings)}",
        instance_type=settings.instance_type,
        iam_instance_profile={"arn": parts.profile_arn},
        user_data=parts.user_data,
        metadata_options=ec2.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled",
            http_tokens="required",
            # A container is one hop further away: with a limit of 1, only the machine itself gets a response.
            http_put_response_hop_limit=2 if machine.agent.allow_metadata_service else 1,
        ),
        block_device_mappings=[ec2.LaunchTemplateBlockDeviceMappingArgs(device_name=_root_device(owner, settings), ebs=_disk(settings))],
        network_interfaces=[
            ec2.LaunchTemplateNetworkInterfaceArgs(
                device_index=0, associate_public_ip_address="false", security_groups=parts.security_groups
            )
        ],
        instance_market_options=ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="spot") if one_type else None,
        # The version of the secret is a tag, so that a new token replaces the machines.
        tag_specifications=[
            ec2.LaunchTemplateTagSpecificationArgs(
                resource_type="instance", tags={**tags, "scalr-agents:secret-version": parts.secret_version}
            ),
            ec2.LaunchTemplateTagSpecificationArgs(resource_type="volume", tags=tags),
        ],
        update_default_version=True,
        tags=tags,
        opts=child(
            owner,
            opts,
            ignore_changes=["name"],  # existing templates keep their names
            hooks=explained(name, f"a launch template {named}", remove),
        ),
    )


def _parameter(settings: Ec2Settings) -> str:
    architecture = {"x86_64": "amd64", "arm64": "arm64"}[settings.architecture]
    return settings.ami_parameter or UBUNTU_ON_EC2.format(architecture=architecture)


def _root_device(owner: pulumi.Resource, settings: Ec2Settings) -> pulumi.Output[str]:
    """The device name of the image's root volume. Size and encryption refer to it."""
    invoke = pulumi.InvokeOutputOptions(parent=owner)
    image: Any = settings.ami or ssm.get_parameter_output(name=_parameter(settings), opts=invoke).insecure_value
    # Machines still start from images that AWS has deprecated.
    found = ec2.get_ami_output(filters=[{"name": "image-id", "values": [image]}], include_deprecated=True, opts=invoke)
    return found.root_device_name


def _disk(settings: Ec2Settings) -> ec2.LaunchTemplateBlockDeviceMappingEbsArgs:
    return ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
        volume_size=machine_group.gibibytes(settings.volume),
        volume_type="gp3",
        encrypted="true",
        kms_key_id=optional(settings.volume.kms_key),
        delete_on_termination="true",
    )
