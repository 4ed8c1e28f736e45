"""Names of the objects of `agent-job`."""

from dataclasses import dataclass
from typing import cast

from scalr_agents.model.names import Identity, Names
from scalr_agents.model.release import Release


@dataclass(frozen=True, kw_only=True)
class JobNames(Names):
    """The names of agent-job."""

    task_template: str = ""
    cluster_role: str = ""
    cluster_role_binding: str = ""
    controller_budget: str = ""
    task_budget: str = ""
    buffer: str = ""
    buffer_priority: str = ""
    cache_preparation: str = ""
    pre_pull: str = ""


def of(release: Release) -> JobNames:
    """The names of a release of this chart."""
    return cast("JobNames", release.names)


def legacy(identity: Identity) -> JobNames:
    full, scoped = identity.full_name, identity.scoped
    cluster = f"{identity.namespace}.{full}" if scoped else full
    return _names(
        identity,
        cluster,
        deployment=full if scoped else "scalr-agent",
        task_template=f"{full}-task" if scoped else "scalr-agent-task",
        network_policy=f"{full}-network-policy" if scoped else f"{full}-task-network-policy",
        controller_budget=full if scoped else f"{full}-agent",
    )


def current(identity: Identity) -> JobNames:
    """The names on the current line. They equal the chart's, except for cluster-scoped objects."""
    full = identity.full_name
    cluster = f"{identity.namespace}.{full}" if identity.scoped else f"{identity.namespace}-{full}"
    return _names(
        identity,
        cluster,
        deployment=full,
        task_template=f"{full}-task-template",
        network_policy=f"{full}-network-policy",
        controller_budget=full,
        client_cert_secret=f"{full}-client-cert",
        cache_preparation=f"{full}-cache-preparation",
    )


def _names(identity: Identity, cluster: str, **more: str) -> JobNames:
    full = identity.full_name
    return JobNames(
        service_account=identity.service_account,
        token_secret=full,
        env_secret=f"{full}-env",
        ca_bundle_secret=f"{full}-ca-bundle",
        data_claim=f"{full}-data",
        cache_claim=f"{full}-cache",
        ingress_policy=f"{full}-ingress-network-policy",
        controller_policy=f"{full}-controller-network-policy",
        role=f"{full}-role",
        role_binding=f"{full}-role-binding",
        cluster_role=f"{cluster}-clusterrole",
        cluster_role_binding=f"{cluster}-clusterrole-binding",
        task_budget=f"{full}-task",
        buffer=f"{full}-buffer",
        buffer_priority=f"{identity.namespace}.{full}-buffer",
        pre_pull=f"{full}-pre-pull",
        **more,
    )
