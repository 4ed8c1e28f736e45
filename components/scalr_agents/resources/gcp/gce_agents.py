"""The `GceAgents` component."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pulumi
from pulumi_gcp import compute, secretmanager, serviceaccount

from scalr_agents.machines import CloudNames, Machine, documents, gcp
from scalr_agents.machines.gcp import GceArguments, GceSettings
from scalr_agents.machines.settings import Secrets
from scalr_agents.model.maps import is_set
from scalr_agents.resources import machine_group
from scalr_agents.resources.arguments.machines import GceAgentsArgs
from scalr_agents.resources.component import Validated, child, explained
from scalr_agents.resources.gcp import gce_firewall
from scalr_agents.resources.outputs import answered, as_output
from scalr_agents.resources.validation import with_text

_LONGEST_SHUTDOWN_SECONDS = 3600
_BUSY = 0.6
"""Target CPU utilization of the group."""
_ZONES = 3
"""Zones of a regional group. Google requires a surge of at least one machine per zone, or none."""
_START_SECONDS = 300
"""How long a new machine must be running before an old one is removed: it installs Docker and pulls the agent's image."""


class GceRequest(NamedTuple):
    """The validated settings of a group of machines."""

    machine: Machine
    settings: GceSettings
    secrets: Secrets


class GceAgents(Validated["GceRequest"]):
    """Agents on Compute Engine: a regional managed instance group of identical machines.

    The token is stored in Secret Manager. The machines read it with their own service account whenever the agent starts. Before a machine
    for runs is removed, it stops its agent and waits for its runs, for at most one hour, the limit of Compute Engine.
    """

    group_name: pulumi.Output[str]
    """Name of the managed instance group."""
    service_account_email: pulumi.Output[str]
    """Email of the service account of the machines, and of runs with `allow_metadata_service`."""
    secret_name: pulumi.Output[str]
    """Name of the secret with the agent's token and its secret variables, `projects/<project>/secrets/<name>`."""

    def __init__(self, name: str, args: GceAgentsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        given = machine_group.validated("GceAgents", name, GceArguments, "gcp", args)
        self.make(name, GceRequest(machine_group.described(name, "gcp", given), given, given), opts)

    def make(self, name: str, request: "GceRequest", opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:GceAgents", name, {}, opts)

        machine, settings, secrets = request
        settings = with_text(self, name, settings, GceSettings)  # the token is checked with the secret variables
        labels: dict[str, Any] = dict(settings.labels)
        account = self._account(name, settings, opts)
        secret, content = self._secret(name, machine, secrets, labels, opts)
        reader = secretmanager.SecretIamMember(
            f"{name}-secret-reader",
            secret_id=secret.id,
            role="roles/secretmanager.secretAccessor",
            member=pulumi.Output.concat("serviceAccount:", account),
            opts=child(self, opts),
        )
        network = gce_firewall.register(self, name, machine, settings, opts)
        template = compute.InstanceTemplate(
            f"{name}-template",
            region=settings.region,
            machine_type=settings.machine_type,
            disks=[_disk(settings)],
            network_interfaces=[{"subnetwork": network.subnetwork}],  # no access config, so no external address
            service_account={"email": account, "scopes": ["cloud-platform"]},
            shielded_instance_config={"enable_secure_boot": True, "enable_vtpm": True, "enable_integrity_monitoring": True},
            metadata={
                "user-data": secret.id.apply(lambda known: documents.cloud_init(machine, CloudNames(known))),
                "enable-oslogin": "TRUE",
                "block-project-ssh-keys": "TRUE",
                "scalr-agents-secret-version": content.version,  # so that a new token replaces the machines
            },
            scheduling=_scheduling(machine),
            tags=[network.tag],
            labels=labels,
            opts=child(self, opts),
        )
        group = self._group(name, machine, settings, template, [reader, content, *network.rules], opts)
        self.group_name, self.service_account_email, self.secret_name = group.name, account, secret.id
        self.publish()

    def _account(self, name: str, settings: GceSettings, opts: pulumi.ResourceOptions | None) -> pulumi.Output[str]:
        """The email of the machines' service account."""
        if is_set(settings.service_account):
            return as_output(settings.service_account)
        named = machine_group.short_name(name)
        commands = [
            f"gcloud iam service-accounts list --filter=email:{named}@ --format='value(email)'",
            "gcloud iam service-accounts delete <email>",
        ]
        account = serviceaccount.Account(
            f"{name}-service-account",
            account_id=named,
            display_name=f"Scalr agent {name}",
            opts=child(self, opts, hooks=explained(name, f"a service account {named}", *commands)),
        )
        return answered("gcp:serviceaccount/account:Account", account.email, "email")

    def _secret(
        self, name: str, machine: Machine, secrets: Secrets, labels: Mapping[str, Any], opts: pulumi.ResourceOptions | None
    ) -> tuple[secretmanager.Secret, secretmanager.SecretVersion]:
        """The secret and its content."""
        named = machine_group.in_cloud(name)
        secret = secretmanager.Secret(
            f"{name}-secret",
            secret_id=named,
            replication={"auto": {}},
            labels=labels,
            opts=child(self, opts, hooks=explained(name, f"a secret {named}", f"gcloud secrets delete {named}")),
        )
        content = secretmanager.SecretVersion(
            f"{name}-secret-version",
            secret=secret.id,
            secret_data=machine_group.secret_content(self, machine, secrets),
            opts=child(self, opts),
        )
        return secret, content

    def _group(
        self,
        name: str,
        machine: Machine,
        settings: GceSettings,
        template: compute.InstanceTemplate,
        needed: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None,
    ) -> compute.RegionInstanceGroupManager:
        """The managed instance group, and its autoscaler.

        A group of a fixed size has an autoscaler too: Google rejects resizing a group that has one, so a group could not become fixed.
        """
        # Setting or removing the user's account results in another group, because machines keep the account that they were started with.
        account = "given" if is_set(settings.service_account) else ""
        named = machine_group.short_name(name, account)
        command = "gcloud compute instance-groups managed {} {} --region={}"
        remove, release = (command.format(verb, named, settings.region) for verb in ("delete", "stop-autoscaling"))
        group = compute.RegionInstanceGroupManager(
            f"{name}-group",
            name=named,
            base_instance_name=name,
            region=settings.region,
            versions=[{"instance_template": template.self_link_unique}],
            update_policy={
                "type": "PROACTIVE" if machine.agent.on_change == "roll" else "OPPORTUNISTIC",
                "minimal_action": "REPLACE",
                "replacement_method": "SUBSTITUTE",
                "max_surge_fixed": _ZONES,
                "max_unavailable_fixed": 0,
                "min_ready_sec": _START_SECONDS,
                "instance_redistribution_type": "NONE",  # machines are never removed to balance zones
            },
            opts=child(
                self,
                opts,
                needed,
                ignore_changes=["name"],  # existing groups keep their names
                replacement_trigger=account or "own",
                delete_before_replace=False,  # the new group has another name, or is in another region
                custom_timeouts=machine_group.timeouts(machine),
                hooks=explained(name, f"an instance group {named}", remove, retry=lambda refused: _advise_refresh(name, refused)),
            ),
        )
        compute.RegionAutoscaler(
            f"{name}-scaling",
            name=named,
            region=settings.region,
            target=group.id,
            autoscaling_policy={
                "min_replicas": settings.min,
                "max_replicas": settings.max or settings.min,
                "cpu_utilization": {"target": _BUSY},
            },
            opts=child(
                self,
                opts,
                ignore_changes=["name"],
                delete_before_replace=False,
                hooks=explained(name, f"an autoscaler {named}", release),
            ),
        )
        return group


def _advise_refresh(name: str, refused: pulumi.ErrorHookArgs) -> bool:
    """Print what to do after a failed update: the provider stores the requested settings, not the actual ones."""
    if refused.failed_operation == "update":
        pulumi.log.error(f"{name}: the state may differ from the actual group. Run `pulumi refresh`, then `pulumi up` again")
    return False


def _disk(settings: GceSettings) -> compute.InstanceTemplateDiskArgs:
    key: Any = settings.volume.kms_key
    return compute.InstanceTemplateDiskArgs(
        boot=True,
        auto_delete=True,
        source_image=settings.machine_image or gcp.default_image(settings.machine_type),
        disk_size_gb=machine_group.gibibytes(settings.volume),
        disk_type=gcp.disk_type(settings.machine_type),
        disk_encryption_key=compute.InstanceTemplateDiskDiskEncryptionKeyArgs(kms_key_self_link=key) if is_set(key) else None,
    )


def _scheduling(machine: Machine) -> compute.InstanceTemplateSchedulingArgsDict:
    """How long Compute Engine waits for runs before it removes a machine."""
    seconds = min(machine.agent.drain_seconds + machine_group.STOP_MARGIN_SECONDS, _LONGEST_SHUTDOWN_SECONDS)
    if not machine.can_drain:
        return {"automatic_restart": True}
    return {"automatic_restart": True, "graceful_shutdown": {"enabled": True, "max_duration": {"seconds": seconds}}}
