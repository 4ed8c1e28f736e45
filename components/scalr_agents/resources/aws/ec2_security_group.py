"""The security group of machines on EC2."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi_aws import ec2, vpc

from scalr_agents.machines import Machine
from scalr_agents.machines.aws import Ec2Settings
from scalr_agents.resources import machine_group
from scalr_agents.resources.component import child, explained

_EVERYWHERE = {"ipv4": {"cidr_ipv4": "0.0.0.0/0"}, "ipv6": {"cidr_ipv6": "::/0"}}
_LONGEST_NAME = 255
_KEPT_SECONDS = 90
"""How long to try the deletion if machines are not replaced and keep the group. The provider first tries for a minute."""


def register(
    owner: pulumi.ComponentResource,
    name: str,
    machine: Machine,
    settings: Ec2Settings,
    tags: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[list[Any], list[pulumi.Resource]]:
    """The user's security groups, or a new one with the egress that an agent needs and without ingress; and the rules to wait for.

    Running machines keep the group that they were started with, so a group never changes: other ports result in another group, and the
    old one is deleted with its rules after the last of these machines is removed.
    """
    if settings.security_groups:
        return list(settings.security_groups), []
    first: Any = settings.subnets[0]
    subnet = ec2.get_subnet_output(id=first, opts=pulumi.InvokeOutputOptions(parent=owner))
    ports = machine_group.ports(machine, settings.egress_ports)
    opened = "-".join(map(str, ports))
    named = machine_group.fixed_name(f"{name}-{opened}", _LONGEST_NAME)
    look = f"aws ec2 describe-security-groups --filters Name=group-name,Values={named} --query 'SecurityGroups[].GroupId'"
    group = ec2.SecurityGroup(
        f"{name}-security-group",
        name=named,
        description=f"Scalr agent {name}: nothing in, HTTPS out",
        vpc_id=subnet.vpc_id,
        tags=tags,
        opts=child(
            owner,
            opts,
            ignore_changes=["name"],  # existing groups keep their names
            replacement_trigger=opened,
            delete_before_replace=False,
            custom_timeouts=pulumi.CustomTimeouts(delete=f"{_removal_seconds(machine, settings)}s"),
            hooks=explained(name, f"a security group {named}", look, "aws ec2 delete-security-group --group-id <id>"),
        ),
    )
    rules = [
        vpc.SecurityGroupEgressRule(
            f"{name}-egress-{port}-{family}",
            security_group_id=group.id,
            ip_protocol="tcp",
            from_port=port,
            to_port=port,
            cidr_ipv4=where.get("cidr_ipv4"),
            cidr_ipv6=where.get("cidr_ipv6"),
            tags=tags,
            opts=child(owner, opts, deleted_with=group),
        )
        for port in ports
        for family, where in _EVERYWHERE.items()
    ]
    return [group.id], list(rules)


def _removal_seconds(machine: Machine, settings: Ec2Settings) -> int:
    """Maximum time until the last machine with the group is removed. Machines are replaced one after another."""
    if machine.agent.on_change == "keep":
        return _KEPT_SECONDS
    return machine_group.replacement_seconds(machine) * max(settings.min, settings.max or 1)
