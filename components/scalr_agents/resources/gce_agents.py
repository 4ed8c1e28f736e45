"""The `GceAgents` component."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NotRequired, TypedDict

import pulumi
import pulumi_gcp as gcp

from scalr_agents.machines import CloudNames, Machine, checks, documents, instance_types
from scalr_agents.machines.settings import GceSettings, Secrets
from scalr_agents.model.fields import is_set
from scalr_agents.model.findings import Finding
from scalr_agents.model.spelling import in_programs
from scalr_agents.resources import literals, machine_group
from scalr_agents.resources.component import Validated
from scalr_agents.resources.machine_group import MachinePackageArgs, MachineVolumeArgs
from scalr_agents.resources.options import as_output, child
from scalr_agents.resources.validation import validate

_LONGEST_SHUTDOWN_SECONDS = 3600
_BUSY = 0.6
"""Use of the CPUs that the group aims at, where it may grow."""
_ZONES = 3
"""Zones of a regional group. Google wants as many new machines at a time, or none."""
_LONGEST_SHORT_NAME = 20


class GceAgentsArgs(TypedDict):
    """Arguments of `GceAgents`."""

    token: pulumi.Input[str]
    """Token of the agent pool."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables of the agent, of one line each."""
    url: NotRequired[str]
    """Address of the account, `https://<account>.scalr.io`."""
    region: str
    """Region of the group."""
    subnetwork: pulumi.Input[str]
    """Subnetwork: its name, or its full path where the VPC is shared. It needs Cloud NAT or a proxy."""
    machine_type: str
    """Machine type."""
    min: NotRequired[int]
    """Machines at least. Default: 1."""
    max: NotRequired[int]
    """Machines at most. Default: as many as `min`. In between the number follows the use of the CPUs."""
    role: NotRequired[literals.Role]
    """`runs` (default) or `vcs`."""
    agent_version: NotRequired[str]
    """Version of the agent. Default: the newest that this package was compared with."""
    concurrency: NotRequired[int]
    """Runs at a time on one machine, 1 to 5. Default: 5."""
    memory_per_run: NotRequired[str]
    """Memory that a run may take, as a quantity. Default: `512Mi`."""
    image: NotRequired[str]
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version."""
    image_registry: NotRequired[str]
    """Registry to pull the agent's image from."""
    env: NotRequired[Mapping[str, str]]
    """Further environment variables of the agent. Everybody on the machine can read them."""
    root: NotRequired[bool]
    """Run the agent as root. Default: false."""
    task_image: NotRequired[str]
    """Complete reference of an image for runs, based on Scalr's own."""
    ca_bundle: NotRequired[str]
    """Certificate authorities to trust instead of the public ones, PEM."""
    ca_scope: NotRequired[literals.CaScope]
    """Who trusts them: `global` (default) or `tasks`."""
    http_proxy: NotRequired[str]
    """URL of the proxy for http requests."""
    https_proxy: NotRequired[str]
    """URL of the proxy for https requests."""
    no_proxy: NotRequired[Sequence[str]]
    """Hosts, domains and networks to reach directly."""
    otel_endpoint: NotRequired[str]
    """The OpenTelemetry collector's gRPC endpoint."""
    otel_metrics: NotRequired[bool]
    """Export metrics. Default: true."""
    otel_traces: NotRequired[bool]
    """Export traces. Default: false."""
    runtime: NotRequired[literals.Runtime]
    """`docker` (default), or `package`, which Scalr has deprecated."""
    package: NotRequired[MachinePackageArgs]
    """Where the package comes from."""
    allow_metadata_service: NotRequired[bool]
    """Let runs be the machine: they reach its service account, which reads the agent's token, too. Default: false."""
    drain_seconds: NotRequired[int]
    """The longest time that a run may take, 30 to 3600. So long a machine that has to go waits for its runs. Default: 3600."""
    on_change: NotRequired[literals.OnChange]
    """`roll` (default) replaces the machines when something about them changes, `keep` leaves them."""
    machine_image: NotRequired[str]
    """Image of the machines, which has cloud-init. Default: Ubuntu 22.04 LTS."""
    volume: NotRequired[MachineVolumeArgs]
    """The boot disk, encrypted in any case."""
    service_account: NotRequired[pulumi.Input[str]]
    """Email of an existing service account, which may be the identity of runs. Default: one is made that can read one secret."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Labels of everything that Google lets one label."""


class WantedGce(NamedTuple):
    """A group of machines, validated."""

    machine: Machine
    settings: GceSettings
    secrets: Secrets


class _Arguments(machine_group.Arguments, GceSettings):
    pass


class GceAgents(Validated["WantedGce"]):
    """Agents on Compute Engine: a regional managed instance group of machines that are all alike.

    The token is a secret of Secret Manager, which the machines read with their own service account whenever the agent starts. A machine
    for runs that has to go stops its agent first and waits for its runs, an hour at most, which is all that Google gives.
    """

    group_name: pulumi.Output[str]
    """Name of the managed instance group."""
    service_account_email: pulumi.Output[str]
    """Service account of the machines, and of runs with `allow_metadata_service`."""
    secret_name: pulumi.Output[str]
    """The secret with the agent's token and its secret variables, `projects/<project>/secrets/<name>`."""

    def __init__(self, name: str, args: GceAgentsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = validate("GceAgents", name, _Arguments, args, lambda given: _check(name, given))
        self.make(name, WantedGce(machine_group.described(name, "gcp", given), given, given), opts)

    def make(self, name: str, wanted: "WantedGce", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:GceAgents", name, {}, opts)

        machine, settings, secrets = wanted
        labels: dict[str, Any] = dict(settings.labels)
        account = self._account(name, settings, opts)
        secret = gcp.secretmanager.Secret(
            f"{name}-secret",
            secret_id=machine_group.in_cloud(name),
            replication={"auto": {}},
            labels=labels,
            opts=child(self, opts),
        )
        content = gcp.secretmanager.SecretVersion(
            f"{name}-secret-version",
            secret=secret.id,
            secret_data=machine_group.secret_content(machine, secrets),
            opts=child(self, opts),
        )
        reader = gcp.secretmanager.SecretIamMember(
            f"{name}-secret-reader",
            secret_id=secret.id,
            role="roles/secretmanager.secretAccessor",
            member=pulumi.Output.concat("serviceAccount:", account),
            opts=child(self, opts),
        )
        tag, firewall = self._firewall(name, machine, settings, opts)
        template = gcp.compute.InstanceTemplate(
            f"{name}-template",
            machine_type=settings.machine_type,
            disks=[_disk(settings)],
            network_interfaces=[_interface(settings)],  # without an access config it has no address outside
            service_account={"email": account, "scopes": ["cloud-platform"]},
            shielded_instance_config={"enable_secure_boot": True, "enable_vtpm": True, "enable_integrity_monitoring": True},
            metadata={
                "user-data": secret.id.apply(lambda known: documents.cloud_init(machine, CloudNames(known))),
                "enable-oslogin": "TRUE",
                "block-project-ssh-keys": "TRUE",
                "scalr-agents-secret-version": content.version,  # makes a new token a change of the machines
            },
            scheduling=_scheduling(machine),
            tags=[tag],
            labels=labels,
            opts=child(self, opts),
        )
        scaled = settings.max is not None and settings.max > settings.min
        group = gcp.compute.RegionInstanceGroupManager(
            f"{name}-group",
            base_instance_name=name,
            region=settings.region,
            versions=[{"instance_template": template.self_link_unique}],
            target_size=None if scaled else settings.min,
            update_policy={
                "type": "PROACTIVE" if machine.agent.on_change == "roll" else "OPPORTUNISTIC",
                "minimal_action": "REPLACE",
                "replacement_method": "SUBSTITUTE",
                "max_surge_fixed": _ZONES,
                "max_unavailable_fixed": 0,
                "instance_redistribution_type": "NONE",  # no machine goes because the zones are uneven
            },
            opts=child(self, opts, [reader, content, *firewall], custom_timeouts=machine_group.deletion(machine)),
        )
        if scaled:
            gcp.compute.RegionAutoscaler(
                f"{name}-scaling",
                region=settings.region,
                target=group.id,
                autoscaling_policy={
                    "min_replicas": settings.min,
                    "max_replicas": settings.max or settings.min,
                    "cpu_utilization": {"target": _BUSY},
                },
                opts=child(self, opts),
            )
        self.group_name, self.service_account_email, self.secret_name = group.name, account, secret.id
        self.publish()

    def _account(self, name: str, settings: GceSettings, opts: pulumi.ResourceOptions | None) -> pulumi.Output[str]:
        """The email of the machines' service account."""
        if is_set(settings.service_account):
            return as_output(settings.service_account)
        account = gcp.serviceaccount.Account(
            f"{name}-service-account", account_id=_short(name), display_name=f"Scalr agent {name}", opts=child(self, opts)
        )
        return account.email

    def _firewall(
        self, name: str, machine: Machine, settings: GceSettings, opts: pulumi.ResourceOptions | None
    ) -> tuple[str, list[pulumi.Resource]]:
        """The network tag of the machines, and rules that let out what an agent needs. Google lets nothing in by itself."""
        tag = _short(name)
        invoke = pulumi.InvokeOutputOptions(parent=self)
        which: dict[str, Any] = (
            {"name": settings.subnetwork, "region": settings.region}
            if _is_name(settings.subnetwork)
            else {"self_link": settings.subnetwork}
        )
        subnetwork = gcp.compute.get_subnetwork_output(**which, opts=invoke)
        common: dict[str, Any] = {
            "network": subnetwork.network,
            "project": subnetwork.project,
            "direction": "EGRESS",
            "destination_ranges": ["0.0.0.0/0"],
            "target_tags": [tag],
        }
        allowed = gcp.compute.Firewall(
            f"{name}-egress",
            allows=[{"protocol": "tcp", "ports": [str(port) for port in machine_group.ports(machine)]}],
            priority=1000,
            **common,
            opts=child(self, opts),
        )
        denied = gcp.compute.Firewall(
            f"{name}-egress-denied", denies=[{"protocol": "all"}], priority=65000, **common, opts=child(self, opts)
        )
        return tag, [allowed, denied]


def _check(name: str, given: _Arguments) -> Iterator[Finding]:
    yield from machine_group.check(machine_group.described(name, "gcp", given), given)
    yield from checks.gce(given, given, in_programs)


def _is_name(subnetwork: object) -> bool:
    return isinstance(subnetwork, str) and "/" not in subnetwork


def _short(name: str) -> str:
    """A name of at most 30 characters that no other stack's machines have: of a service account, and of a network tag."""
    return f"{name[:_LONGEST_SHORT_NAME]}-{hashlib.sha256(machine_group.in_cloud(name).encode()).hexdigest()[:8]}"


def _disk(settings: GceSettings) -> gcp.compute.InstanceTemplateDiskArgs:
    key: Any = settings.volume.kms_key
    return gcp.compute.InstanceTemplateDiskArgs(
        boot=True,
        auto_delete=True,
        source_image=settings.machine_image,
        disk_size_gb=machine_group.gibibytes(settings.volume),
        disk_type=instance_types.gce_disk_type(settings.machine_type),
        disk_encryption_key=gcp.compute.InstanceTemplateDiskDiskEncryptionKeyArgs(kms_key_self_link=key) if is_set(key) else None,
    )


def _interface(settings: GceSettings) -> gcp.compute.InstanceTemplateNetworkInterfaceArgs:
    subnetwork: Any = settings.subnetwork
    return gcp.compute.InstanceTemplateNetworkInterfaceArgs(subnetwork=subnetwork)


def _scheduling(machine: Machine) -> gcp.compute.InstanceTemplateSchedulingArgs:
    """How long Google waits for runs when a machine has to go."""
    seconds = min(machine.agent.drain_seconds + machine_group.STOP_MARGIN_SECONDS, _LONGEST_SHUTDOWN_SECONDS)
    longest = gcp.compute.InstanceTemplateSchedulingGracefulShutdownMaxDurationArgs(seconds=seconds)
    waits = gcp.compute.InstanceTemplateSchedulingGracefulShutdownArgs(enabled=True, max_duration=longest)
    return gcp.compute.InstanceTemplateSchedulingArgs(automatic_restart=True, graceful_shutdown=waits if machine.can_drain else None)
