"""The kind `agent-job`."""

from scalr_agents.release import Names, Naming
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.agent_job.checks import check
from scalr_agents.values.kinds import Differences, Kind


def _service_account(values: AgentJobValues, full: str) -> str:
    return values.service_account.name or (full if values.service_account.create else "default")


def _names(full: str, namespace: str, service_account: str, naming: Naming) -> Names:
    """`scoped` names carry the full name, and cluster-scoped ones the namespace as well, so that releases never collide.

    `chart` gives the chart's own names with its literals, for taking over a Helm release; two such releases collide in a namespace.
    """
    scoped = naming == "scoped"
    cluster = f"{namespace}.{full}" if scoped else full
    return Names(
        deployment=full if scoped else "scalr-agent",
        task_template=f"{full}-task" if scoped else "scalr-agent-task",
        service_account=service_account,
        token_secret=full,
        env_secret=f"{full}-env",
        ca_bundle_secret=f"{full}-ca-bundle",
        data_claim=f"{full}-data",
        cache_claim=f"{full}-cache",
        role=f"{full}-role",
        role_binding=f"{full}-role-binding",
        cluster_role=f"{cluster}-clusterrole",
        cluster_role_binding=f"{cluster}-clusterrole-binding",
        network_policy=f"{full}-network-policy" if scoped else f"{full}-task-network-policy",
        controller_budget=full if scoped else f"{full}-agent",
        task_budget=f"{full}-task",
    )


KIND = Kind(
    model=AgentJobValues,
    check=check,
    service_account=_service_account,
    names=_names,
    differences={"legacy": Differences()},
)
