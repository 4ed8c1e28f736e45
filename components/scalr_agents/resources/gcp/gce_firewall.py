"""The subnetwork of machines on Compute Engine, and their firewall rules."""

from typing import Any, NamedTuple

import pulumi
from pulumi_gcp import compute

from scalr_agents.machines import Machine, gcp
from scalr_agents.machines.gcp import GceSettings
from scalr_agents.resources import machine_group
from scalr_agents.resources.component import child, explained
from scalr_agents.resources.outputs import as_output, parsed


class Network(NamedTuple):
    """The network of the machines."""

    subnetwork: pulumi.Output[str]
    """Its URL."""
    tag: str
    """The network tag of the machines, which selects them in the rules."""
    rules: list[pulumi.Resource]


def register(
    owner: pulumi.ComponentResource, name: str, machine: Machine, settings: GceSettings, opts: pulumi.ResourceOptions | None
) -> Network:
    """Look up the subnetwork, and register the egress rules that an agent needs. Google Cloud denies ingress by default."""
    where = parsed(as_output(settings.subnetwork), lambda given: gcp.subnetwork(given, settings.region))
    subnetwork = compute.get_subnetwork_output(
        name=where.apply(lambda found: found.name),
        region=where.apply(lambda found: found.region),
        project=where.apply(lambda found: found.project),
        opts=pulumi.InvokeOutputOptions(parent=owner),
    )
    tag = machine_group.short_name(name)
    ports = [str(port) for port in machine_group.ports(machine, settings.egress_ports)]
    rules: dict[str, dict[str, Any]] = {
        "egress": {"allows": [{"protocol": "tcp", "ports": ports}], "priority": 1000},
        "egress-denied": {"denies": [{"protocol": "all"}], "priority": 65000},
    }
    return Network(
        subnetwork.self_link,
        tag,
        [
            compute.Firewall(
                f"{name}-{rule}",
                name=f"{tag}-{rule}",
                network=subnetwork.network,
                project=subnetwork.project,
                direction="EGRESS",
                destination_ranges=["0.0.0.0/0"],
                target_tags=[tag],
                **what,
                opts=child(
                    owner,
                    opts,
                    ignore_changes=["name"],  # existing rules keep their names
                    delete_before_replace=True,
                    hooks=explained(name, f"a firewall rule {tag}-{rule}", f"gcloud compute firewall-rules delete {tag}-{rule}"),
                ),
            )
            for rule, what in rules.items()
        ],
    )
