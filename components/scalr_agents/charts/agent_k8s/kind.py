"""The kind `agent-k8s`."""

from scalr_agents.charts.agent_k8s.checks import check
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.kinds import Kind
from scalr_agents.model.release import Names, Naming


def _names(full: str, namespace: str, service_account: str, _: Naming) -> Names:
    """All names carry the full name, and cluster-scoped ones the namespace as well, so that releases never collide."""
    return Names(
        deployment=f"{full}-controller",
        worker=f"{full}-worker",
        service_account=service_account,
        token_secret=full,
        env_secret=f"{full}-env",
        role=f"{full}-role",
        role_binding=f"{full}-role-binding",
        network_policy=f"{full}-network-policy",
        data_claim=f"{full}-data",
        persistent_volume=f"{namespace}.{full}-data",
        storage_class=f"{namespace}.{full}-efs",
    )


def _chart_names(names: Names, base: str) -> Names:
    """The chart's literals: two releases collide in a namespace, and with EFS in a cluster."""
    return names._replace(
        token_secret=base,
        role="agent-k8s-role",
        role_binding="agent-k8s-role-binding",
        network_policy="agent-k8s-network-policy",
        data_claim="agent-k8s-efs-claim",
        persistent_volume="agent-k8s-efs-pv",
        storage_class="agent-k8s-efs-sc",
    )


KIND = Kind(model=AgentK8sValues, check=check, names={"legacy": _names, "current": _names}, chart_names=_chart_names)
