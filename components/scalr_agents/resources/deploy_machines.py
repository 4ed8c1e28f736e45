"""Registers the machines of a stack. The SDK of a cloud is imported only if the stack has a machine on that cloud."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pulumi

from scalr_agents.machines.settings import Secrets
from scalr_agents.stack.machines import StackMachine

if TYPE_CHECKING:
    from scalr_agents.resources.aws.ec2_agents import Ec2Agents
    from scalr_agents.resources.gcp.gce_agents import GceAgents


def deploy(machines: Iterable[StackMachine]) -> dict[str, dict[str, pulumi.Output[str]]]:
    """Register the groups of machines, and return their outputs by name. Hosts of the user need no resources."""
    made = {each.name: _group(each) for each in machines}
    return {name: group.summary() for name, group in made.items() if group}


def _group(each: StackMachine) -> "Ec2Agents | GceAgents | None":
    if each.entry.ec2:
        from scalr_agents.resources.aws.ec2_agents import Ec2Agents, Ec2Request

        return Ec2Agents.of(each.name, Ec2Request(each.machine, each.entry.ec2, _secrets(each)))
    if each.entry.gce:
        from scalr_agents.resources.gcp.gce_agents import GceAgents, GceRequest

        return GceAgents.of(each.name, GceRequest(each.machine, each.entry.gce, _secrets(each)))
    return None


def _secrets(each: StackMachine) -> Secrets:
    return Secrets.model_construct(token=each.secrets.token, secret_env=each.secrets.env)
