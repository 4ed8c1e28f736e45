"""The `Ec2Agents` component."""

import base64
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import pulumi
from pulumi_aws import autoscaling, cloudwatch, ec2

from scalr_agents.machines import CloudNames, Machine, documents, units
from scalr_agents.machines.aws import Ec2Arguments, Ec2Settings, machine_policy
from scalr_agents.machines.settings import Secrets
from scalr_agents.resources import machine_group
from scalr_agents.resources.arguments.machines import Ec2AgentsArgs
from scalr_agents.resources.aws import ec2_identity, ec2_secret, ec2_security_group, ec2_template
from scalr_agents.resources.component import Validated, child, explained
from scalr_agents.resources.outputs import answered
from scalr_agents.resources.validation import with_text

_LONGEST_HOOK_SECONDS = 7200
_LONGEST_GROUP = 255
_BUSY_PERCENT = 60
"""Target CPU utilization, in percent, if the group can scale."""
_BUSY = re.compile(r"instance refresh cancel: timeout|InstanceRefreshInProgress|instance refresh: .*context deadline exceeded")
"""Errors of the provider while an earlier instance refresh is in progress."""


class Ec2Request(NamedTuple):
    """The validated settings of a group of machines."""

    machine: Machine
    settings: Ec2Settings
    secrets: Secrets


class Ec2Agents(Validated["Ec2Request"]):
    """Agents on EC2: an Auto Scaling group of identical machines.

    The token is stored in AWS Secrets Manager. The machines read it with their own role whenever the agent starts. Before a machine for
    runs is removed (a smaller group, a change, a rebalance), it stops its agent and waits for its runs. If one of `policies` is an output,
    the role has exactly these policies: others are detached.
    """

    group_name: pulumi.Output[str]
    """Name of the Auto Scaling group."""
    role_arn: pulumi.Output[str]
    """ARN of the role of the machines, and of runs with `allow_metadata_service`."""
    secret_arn: pulumi.Output[str]
    """ARN of the secret with the agent's token and its secret variables."""

    def __init__(self, name: str, args: Ec2AgentsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = machine_group.validated("Ec2Agents", name, Ec2Arguments, "aws", args)
        self.make(name, Ec2Request(machine_group.described(name, "aws", given), given, given), opts)

    def make(self, name: str, request: "Ec2Request", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:Ec2Agents", name, {}, opts)

        machine, settings, secrets = request
        settings = with_text(self, name, settings, Ec2Settings)  # the token is checked with the secret variables
        tags: dict[str, Any] = {"Name": machine_group.in_cloud(name), **settings.tags}
        variables = machine_group.secret_content(self, machine, secrets)
        secret, content = ec2_secret.register(self, name, variables, settings.volume.kms_key, tags, opts)
        logs = self._log_group(name, settings, tags, opts)
        group_name, log_group = _group_name(name, settings), machine_group.in_cloud(name) if logs else ""
        names = answered("aws:secretsmanager/secret:Secret", secret.arn, "arn").apply(lambda arn: CloudNames(arn, group_name, log_group))
        policy = pulumi.Output.all(names, secret.kms_key_id).apply(lambda known: _policy(*known))
        identity = ec2_identity.register(self, name, settings, policy, tags, opts)
        groups, rules = ec2_security_group.register(self, name, machine, settings, tags, opts)
        user_data = names.apply(lambda known: _user_data(machine, known))
        template = ec2_template.register(
            self, name, machine, settings, ec2_template.Parts(identity.profile.arn, user_data, groups, content.version_id), tags, opts
        )
        group = self._group(name, machine, settings, template, tags, [*identity.allowed, *rules, content, *logs], opts)
        autoscaling.LifecycleHook(
            f"{name}-drain",
            autoscaling_group_name=group.name,
            **_hook(machine),
            # Deleted with the group: without the hook, a removal would not wait for runs.
            opts=child(self, opts, retain_on_delete=True),
        )
        if settings.max is not None and settings.max > settings.min:
            autoscaling.Policy(
                f"{name}-scaling",
                name="cpu",
                autoscaling_group_name=group.name,
                policy_type="TargetTrackingScaling",
                target_tracking_configuration={
                    "predefined_metric_specification": {"predefined_metric_type": "ASGAverageCPUUtilization"},
                    "target_value": _BUSY_PERCENT,
                },
                opts=child(self, opts, ignore_changes=["name"]),  # existing policies keep their names
            )
        self.group_name, self.role_arn, self.secret_arn = group.name, identity.role.arn, secret.arn
        self.publish()

    def _log_group(
        self, name: str, settings: Ec2Settings, tags: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> list[pulumi.Resource]:
        """The log group of the agents, if logs are sent to CloudWatch."""
        if settings.log_retention_days is None:
            return []
        named = machine_group.in_cloud(name)
        hooks = explained(name, f"a log group {named}", f"aws logs delete-log-group --log-group-name {named}")
        return [
            cloudwatch.LogGroup(
                f"{name}-logs",
                name=named,
                retention_in_days=settings.log_retention_days,
                tags=tags,
                opts=child(self, opts, hooks=hooks),
            )
        ]

    def _group(
        self,
        name: str,
        machine: Machine,
        settings: Ec2Settings,
        template: ec2.LaunchTemplate,
        tags: Mapping[str, Any],
        needed: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None,
    ) -> autoscaling.Group:
        """The Auto Scaling group. It is created with its hook, so that the hook exists before the first machine."""
        group_name = _group_name(name, settings)
        subnets, version = cast("list[Any]", settings.subnets), template.latest_version.apply(str)
        remove = f"aws autoscaling delete-auto-scaling-group --force-delete --auto-scaling-group-name {group_name}"
        return autoscaling.Group(
            f"{name}-group",
            name=group_name,
            min_size=settings.min,
            max_size=settings.max or max(settings.min, 1),
            vpc_zone_identifiers=subnets,
            max_instance_lifetime=settings.max_instance_lifetime,
            **_machines(settings, template.id, version),
            health_check_type="EC2",
            capacity_rebalance=settings.spot,
            initial_lifecycle_hooks=[autoscaling.GroupInitialLifecycleHookArgs(**_hook(machine))],
            # Do not wait for machines: the group is in the state at once, and updates do not wait for an exact number of machines.
            wait_for_capacity_timeout="0",
            instance_refresh=_REFRESH if machine.agent.on_change == "roll" else None,
            tags=[autoscaling.GroupTagArgs(key=key, value=value, propagate_at_launch=False) for key, value in tags.items()],
            opts=child(
                self,
                opts,
                needed,
                ignore_changes=["initialLifecycleHooks"],
                delete_before_replace=False,
                custom_timeouts=machine_group.timeouts(machine),
                hooks=explained(name, f"an Auto Scaling group {group_name}", remove, retry=_while_draining(name, machine)),
            ),
        )


def _policy(names: CloudNames, key: str | None) -> str:
    return machine_policy(names.secret, names.group, key or "", names.log_group)


def _user_data(machine: Machine, names: CloudNames) -> str:
    return base64.b64encode(documents.cloud_init(machine, names).encode()).decode()


def _hook(machine: Machine) -> dict[str, Any]:
    """The lifecycle hook that delays the removal of a machine until its agent has stopped.

    It is the same for both roles, because a group can have machines of both roles during a change.
    """
    return {
        "name": units.HOOK,
        "lifecycle_transition": "autoscaling:EC2_INSTANCE_TERMINATING",
        "heartbeat_timeout": min(machine.agent.drain_seconds + machine_group.STOP_MARGIN_SECONDS, _LONGEST_HOOK_SECONDS),
        "default_result": "CONTINUE",
    }


def _group_name(name: str, settings: Ec2Settings) -> str:
    """The name of the Auto Scaling group.

    Another role path results in another group: machines keep their role, which must exist until they are removed.
    """
    return machine_group.fixed_name(name, _LONGEST_GROUP, settings.role_path)


def _machines(settings: Ec2Settings, template: pulumi.Output[str], version: pulumi.Output[str]) -> dict[str, Any]:
    """The launch template of the group, with several instance types if they are set."""
    if not settings.other_instance_types:
        return {"launch_template": {"id": template, "version": version}}
    overrides = [{"instance_type": kind} for kind in (settings.instance_type, *settings.other_instance_types)]
    used = {"launch_template_specification": {"launch_template_id": template, "version": version}, "overrides": overrides}
    spot = {"on_demand_percentage_above_base_capacity": 0, "spot_allocation_strategy": "price-capacity-optimized"}
    return {"mixed_instances_policy": {"launch_template": used, "instances_distribution": spot}}


def _while_draining(name: str, machine: Machine) -> Callable[[pulumi.ErrorHookArgs], bool]:
    """Retry while an earlier change waits for runs: AWS allows one change at a time, and the provider waits for only 15 minutes."""
    longest = machine_group.replacement_seconds(machine)
    began: float | None = None

    def retry(refused: pulumi.ErrorHookArgs) -> bool:
        nonlocal began
        if not _BUSY.search(refused.errors[0]):
            return False
        now = time.monotonic()
        began = now if began is None else began
        pulumi.log.warn(f"{name}: an earlier change still waits for runs; waiting for it, at most {longest // 60} minutes")
        return now - began < longest

    return retry


_REFRESH: autoscaling.GroupInstanceRefreshArgsDict = {
    "strategy": "Rolling",
    # A new machine starts before an old one is removed.
    "preferences": {"min_healthy_percentage": 100, "max_healthy_percentage": 110, "skip_matching": True},
}
