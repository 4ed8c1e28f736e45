"""Names of the objects of `agent-k8s`."""

from dataclasses import dataclass
from typing import cast

from scalr_agents.model.names import Identity, Names
from scalr_agents.model.release import Release


@dataclass(frozen=True, kw_only=True)
class K8sNames(Names):
    """The names of agent-k8s."""

    worker: str = ""
    worker_policy: str = ""
    """Name of the policy of the workers' pods, if egress is restricted."""
    persistent_volume: str = ""
    storage_class: str = ""


def of(release: Release) -> K8sNames:
    """The names of a release of this chart."""
    return cast("K8sNames", release.names)


def names(identity: Identity) -> K8sNames:
    """The names. The chart's own are literals, so that two of its releases conflict in a namespace, and with EFS in a cluster."""
    full, scoped = identity.full_name, identity.scoped
    first = full if scoped else "agent-k8s"
    return K8sNames(
        deployment=f"{full}-controller",
        worker=f"{full}-worker",
        service_account=identity.service_account,
        token_secret=full if scoped else identity.base_name,
        env_secret=f"{full}-env",
        role=f"{first}-role",
        role_binding=f"{first}-role-binding",
        network_policy=f"{first}-network-policy",
        ingress_policy=f"{full}-ingress-network-policy",
        controller_policy=f"{full}-controller-network-policy",
        worker_policy=f"{full}-worker-network-policy",
        data_claim=f"{full}-data" if scoped else "agent-k8s-efs-claim",
        persistent_volume=f"{identity.namespace}.{full}-data" if scoped else "agent-k8s-efs-pv",
        storage_class=f"{identity.namespace}.{full}-efs" if scoped else "agent-k8s-efs-sc",
    )
