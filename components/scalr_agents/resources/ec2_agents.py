"""The `Ec2Agents` component."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from scalr_agents.machines import CloudNames, Machine, checks, documents, policies, units
from scalr_agents.machines.settings import UBUNTU_ON_EC2, Ec2Settings, Secrets
from scalr_agents.model.findings import Finding
from scalr_agents.model.spelling import in_programs
from scalr_agents.resources import literals, machine_group
from scalr_agents.resources.component import Validated
from scalr_agents.resources.machine_group import MachinePackageArgs, MachineVolumeArgs
from scalr_agents.resources.options import child, optional
from scalr_agents.resources.validation import validate

_LONGEST_HOOK_SECONDS = 7200
_BUSY_PERCENT = 60
"""Use of the CPUs that the group aims at, where it may grow."""
_EVERYWHERE = {"ipv4": {"cidr_ipv4": "0.0.0.0/0"}, "ipv6": {"cidr_ipv6": "::/0"}}


class Ec2AgentsArgs(TypedDict):
    """Arguments of `Ec2Agents`."""

    token: pulumi.Input[str]
    """Token of the agent pool."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables of the agent. Values have one line."""
    url: NotRequired[str]
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    subnets: Sequence[pulumi.Input[str]]
    """IDs of private subnets, all in one VPC, with a NAT gateway or a proxy. The machines run in their zones."""
    instance_type: str
    """Instance type."""
    min: NotRequired[int]
    """Minimum number of machines. Default: 1."""
    max: NotRequired[int]
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    role: NotRequired[literals.Role]
    """What the agent serves: `runs` (default), or `vcs` for a private VCS provider."""
    agent_version: NotRequired[str]
    """Version of the agent. Default: the newest that this package was compared with."""
    concurrency: NotRequired[int]
    """Maximum number of concurrent runs on one machine, 1 to 5. Default: 5."""
    memory_per_run: NotRequired[str]
    """Memory limit of each run, as a quantity. Default: `512Mi`."""
    image: NotRequired[str]
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version."""
    image_registry: NotRequired[str]
    """Registry to pull the agent's image from."""
    env: NotRequired[Mapping[str, str]]
    """Further environment variables of the agent. Every user of the machine can read them."""
    root: NotRequired[bool]
    """Run the agent as root. Default: false."""
    task_image: NotRequired[str]
    """Complete reference of an image for runs, based on Scalr's own."""
    ca_bundle: NotRequired[str]
    """Certificate authorities to trust instead of the public ones, in PEM."""
    ca_scope: NotRequired[literals.CaScope]
    """Who trusts `ca_bundle`: `global` (default) is the machine, the agent and its runs; `tasks` is only the runs."""
    http_proxy: NotRequired[str]
    """URL of the proxy for HTTP requests."""
    https_proxy: NotRequired[str]
    """URL of the proxy for HTTPS requests."""
    no_proxy: NotRequired[Sequence[str]]
    """Hosts, domains and networks to reach without the proxy."""
    otel_endpoint: NotRequired[str]
    """gRPC endpoint of the OpenTelemetry collector."""
    otel_metrics: NotRequired[bool]
    """Export metrics. Default: true."""
    otel_traces: NotRequired[bool]
    """Export traces. Default: false."""
    runtime: NotRequired[literals.Runtime]
    """`docker` (default), or `package`, the deprecated package of Scalr."""
    package: NotRequired[MachinePackageArgs]
    """Repository of the package."""
    allow_metadata_service: NotRequired[bool]
    """Allow runs to use the machine's role. The role can read the agent's token. Default: false."""
    drain_seconds: NotRequired[int]
    """Maximum duration of a run, in seconds, 30 to 7200. A machine that is being removed waits this long for its runs. Default: 3600."""
    on_change: NotRequired[literals.OnChange]
    """`roll` (default) replaces the machines when something about them changes, `keep` leaves them."""
    architecture: NotRequired[literals.Architecture]
    """Architecture of the default image: `x86_64` (default) or `arm64`."""
    ami: NotRequired[str]
    """ID of the machines' image. It must have cloud-init."""
    ami_parameter: NotRequired[str]
    """SSM parameter with the ID of an image. Machines read it when they start. Default: the public parameter of Ubuntu 22.04."""
    volume: NotRequired[MachineVolumeArgs]
    """Root volume of the machines. It is always encrypted. Its key also encrypts the secret."""
    security_groups: NotRequired[Sequence[pulumi.Input[str]]]
    """IDs of existing security groups. Default: a new group without ingress rules."""
    policies: NotRequired[Sequence[pulumi.Input[str]]]
    """ARNs of policies for the machines' role: what runs may do in AWS. Runs can use them only with `allow_metadata_service`."""
    ssm: NotRequired[bool]
    """Allow logins through SSM Session Manager. Default: false."""
    spot: NotRequired[bool]
    """Use Spot instances. AWS can reclaim them with two minutes' notice. Default: false."""
    tags: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tags of all AWS resources that support them."""


class WantedEc2(NamedTuple):
    """A group of machines, validated."""

    machine: Machine
    settings: Ec2Settings
    secrets: Secrets


class _Arguments(machine_group.Arguments, Ec2Settings):
    pass


class Ec2Agents(Validated["WantedEc2"]):
    """Agents on EC2: an Auto Scaling group of identical machines.

    The token is stored in AWS Secrets Manager. The machines read it with their own role whenever the agent starts. Before a machine for
    runs is removed (a smaller group, a change, a rebalance), it stops its agent and waits for its runs.
    """

    group_name: pulumi.Output[str]
    """Name of the Auto Scaling group."""
    role_arn: pulumi.Output[str]
    """ARN of the role of the machines, and of runs with `allow_metadata_service`."""
    secret_arn: pulumi.Output[str]
    """ARN of the secret with the agent's token and its secret variables."""

    def __init__(self, name: str, args: Ec2AgentsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = validate("Ec2Agents", name, _Arguments, args, lambda given: _check(name, given))
        self.make(name, WantedEc2(machine_group.described(name, "aws", given), given, given), opts)

    def make(self, name: str, wanted: "WantedEc2", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:Ec2Agents", name, {}, opts)

        machine, settings, secrets = wanted
        group = machine_group.in_cloud(name)
        tags: dict[str, Any] = {"Name": group, **settings.tags}
        subnets: list[Any] = list(settings.subnets)
        secret = aws.secretsmanager.Secret(
            f"{name}-secret",
            description=f"Variables of Scalr agent {name}",
            kms_key_id=optional(settings.volume.kms_key),
            recovery_window_in_days=7,
            tags=tags,
            opts=child(self, opts),
        )
        content = aws.secretsmanager.SecretVersion(
            f"{name}-secret-version",
            secret_id=secret.id,
            secret_string=machine_group.secret_content(machine, secrets),
            opts=child(self, opts),
        )
        role, allowed = self._role(name, machine, settings, secret.arn, group, tags, opts)
        profile = aws.iam.InstanceProfile(f"{name}-profile", role=role.name, tags=tags, opts=child(self, opts))
        groups, rules = self._security_groups(name, machine, settings, tags, opts)
        template = aws.ec2.LaunchTemplate(
            f"{name}-launch-template",
            image_id=settings.ami or f"resolve:ssm:{_parameter(settings)}",
            instance_type=settings.instance_type,
            iam_instance_profile={"arn": profile.arn},
            user_data=secret.arn.apply(lambda arn: _user_data(machine, CloudNames(arn, group))),
            metadata_options=aws.ec2.LaunchTemplateMetadataOptionsArgs(
                http_endpoint="enabled",
                http_tokens="required",
                # A container is one hop away: with 1 only the machine itself gets an answer.
                http_put_response_hop_limit=2 if machine.agent.allow_metadata_service else 1,
            ),
            block_device_mappings=[
                aws.ec2.LaunchTemplateBlockDeviceMappingArgs(device_name=self._root_device(settings), ebs=_disk(settings))
            ],
            network_interfaces=[
                aws.ec2.LaunchTemplateNetworkInterfaceArgs(device_index=0, associate_public_ip_address="false", security_groups=groups)
            ],
            instance_market_options=aws.ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="spot") if settings.spot else None,
            # The version of the secret makes a new token a change of the machines.
            tag_specifications=[
                aws.ec2.LaunchTemplateTagSpecificationArgs(
                    resource_type="instance", tags={**tags, "scalr-agents:secret-version": content.version_id}
                ),
                aws.ec2.LaunchTemplateTagSpecificationArgs(resource_type="volume", tags=tags),
            ],
            update_default_version=True,
            tags=tags,
            opts=child(self, opts),
        )
        machines = aws.autoscaling.Group(
            f"{name}-group",
            name=group,
            min_size=settings.min,
            max_size=settings.max or max(settings.min, 1),
            vpc_zone_identifiers=subnets,
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            health_check_type="EC2",
            capacity_rebalance=settings.spot,
            instance_refresh=_REFRESH if machine.agent.on_change == "roll" else None,
            tags=[aws.autoscaling.GroupTagArgs(key=key, value=value, propagate_at_launch=False) for key, value in tags.items()],
            opts=child(self, opts, [*allowed, *rules, content], custom_timeouts=machine_group.deletion(machine)),
        )
        if machine.can_drain:
            aws.autoscaling.LifecycleHook(
                f"{name}-drain",
                name=units.HOOK,
                autoscaling_group_name=machines.name,
                lifecycle_transition="autoscaling:EC2_INSTANCE_TERMINATING",
                heartbeat_timeout=min(machine.agent.drain_seconds + machine_group.STOP_MARGIN_SECONDS, _LONGEST_HOOK_SECONDS),
                default_result="CONTINUE",
                opts=child(self, opts, retain_on_delete=True),  # deleted with the group; without it, a removal would not wait for runs
            )
        if settings.max is not None and settings.max > settings.min:
            aws.autoscaling.Policy(
                f"{name}-scaling",
                autoscaling_group_name=machines.name,
                policy_type="TargetTrackingScaling",
                target_tracking_configuration={
                    "predefined_metric_specification": {"predefined_metric_type": "ASGAverageCPUUtilization"},
                    "target_value": _BUSY_PERCENT,
                },
                opts=child(self, opts),
            )
        self.group_name, self.role_arn, self.secret_arn = machines.name, role.arn, secret.arn
        self.publish()

    def _role(
        self,
        name: str,
        machine: Machine,
        settings: Ec2Settings,
        secret_arn: pulumi.Output[str],
        group: str,
        tags: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None,
    ) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
        """The machines' role, and what it may do."""
        role = aws.iam.Role(f"{name}-role", assume_role_policy=policies.trust(), tags=tags, opts=child(self, opts))
        known = pulumi.Output.all(secret_arn, settings.volume.kms_key)
        own = aws.iam.RolePolicy(
            f"{name}-role-policy",
            role=role.id,
            policy=known.apply(lambda arns: policies.machine(arns[0], group, arns[1], drains=machine.can_drain)),
            opts=child(self, opts),
        )
        wanted: dict[str, Any] = {f"{name}-policy-{index}": arn for index, arn in enumerate(settings.policies)}
        if settings.ssm:
            partition = aws.get_partition_output(opts=pulumi.InvokeOutputOptions(parent=self)).partition
            wanted[f"{name}-policy-ssm"] = pulumi.Output.concat("arn:", partition, ":iam::aws:", policies.SSM_POLICY)
        others = [aws.iam.RolePolicyAttachment(key, role=role.name, policy_arn=arn, opts=child(self, opts)) for key, arn in wanted.items()]
        return role, [own, *others]

    def _security_groups(
        self, name: str, machine: Machine, settings: Ec2Settings, tags: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> tuple[list[Any], list[pulumi.Resource]]:
        """The user's security groups, or a new one without ingress and with the egress that an agent needs."""
        if settings.security_groups:
            return list(settings.security_groups), []
        first: Any = settings.subnets[0]
        subnet = aws.ec2.get_subnet_output(id=first, opts=pulumi.InvokeOutputOptions(parent=self))
        group = aws.ec2.SecurityGroup(
            f"{name}-security-group",
            description=f"Scalr agent {name}: nothing in, HTTPS out",
            vpc_id=subnet.vpc_id,
            tags=tags,
            opts=child(self, opts),
        )
        rules = [
            aws.vpc.SecurityGroupEgressRule(
                f"{name}-egress-{port}-{family}",
                security_group_id=group.id,
                ip_protocol="tcp",
                from_port=port,
                to_port=port,
                cidr_ipv4=where.get("cidr_ipv4"),
                cidr_ipv6=where.get("cidr_ipv6"),
                tags=tags,
                opts=child(self, opts),
            )
            for port in machine_group.ports(machine)
            for family, where in _EVERYWHERE.items()
        ]
        return [group.id], list(rules)

    def _root_device(self, settings: Ec2Settings) -> pulumi.Output[str]:
        """The device name of the image's root volume. Size and encryption refer to it."""
        invoke = pulumi.InvokeOutputOptions(parent=self)
        image: Any = settings.ami or aws.ssm.get_parameter_output(name=_parameter(settings), opts=invoke).insecure_value
        return aws.ec2.get_ami_output(filters=[{"name": "image-id", "values": [image]}], opts=invoke).root_device_name


def _check(name: str, given: _Arguments) -> Iterator[Finding]:
    yield from machine_group.check(machine_group.described(name, "aws", given), given)
    yield from checks.ec2(given, given, in_programs)


def _parameter(settings: Ec2Settings) -> str:
    architecture = {"x86_64": "amd64", "arm64": "arm64"}[settings.architecture]
    return settings.ami_parameter or UBUNTU_ON_EC2.format(architecture=architecture)


def _user_data(machine: Machine, names: CloudNames) -> str:
    return base64.b64encode(documents.packed(documents.cloud_init(machine, names))).decode()


def _disk(settings: Ec2Settings) -> aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs:
    return aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
        volume_size=machine_group.gibibytes(settings.volume),
        volume_type="gp3",
        encrypted="true",
        kms_key_id=optional(settings.volume.kms_key),
        delete_on_termination="true",
    )


_REFRESH: aws.autoscaling.GroupInstanceRefreshArgsDict = {
    "strategy": "Rolling",
    # A new machine starts before an old one is removed.
    "preferences": {"min_healthy_percentage": 100, "max_healthy_percentage": 110, "skip_matching": True},
}
