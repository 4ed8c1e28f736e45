"""The kind `agent-job`."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from scalr_agents.charts.agent_job.checks import check
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.kinds import Kind, Modern
from scalr_agents.model.merge import lookup
from scalr_agents.model.release import Names, Naming


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
        buffer=f"{full}-buffer",
        buffer_priority=f"{namespace}.{full}-buffer",
    )


def _current_names(full: str, namespace: str, service_account: str, naming: Naming) -> Names:
    """The names of the current chart are ours but for those of cluster-scoped objects."""
    cluster = f"{namespace}.{full}" if naming == "scoped" else f"{namespace}-{full}"
    return _names(full, namespace, service_account, "scoped")._replace(
        task_template=f"{full}-task-template",
        client_cert_secret=f"{full}-client-cert",
        cluster_role=f"{cluster}-clusterrole",
        cluster_role_binding=f"{cluster}-clusterrole-binding",
        cache_preparation=f"{full}-cache-preparation",
    )


@cache
def _keys() -> dict[str, frozenset[str]]:
    """The keys of the values, and of each section."""
    fields = {field.alias or name: field.annotation for name, field in AgentJobValues.model_fields.items()}
    return {
        key: frozenset(field.alias or name for name, field in getattr(section, "model_fields", {}).items())
        for key, section in fields.items()
    }


def _unfamiliar(values: Mapping[str, Any]) -> bool:
    """Whether values have a key that is not of the present shape: those of the alpha all show within two levels."""
    known = _keys()
    return isinstance(lookup(values, "agent", "tokenExistingSecret"), str) or any(
        key not in known or (isinstance(content, Mapping) and not content.keys() <= known[key]) for key, content in values.items()
    )


def _modernize(values: Mapping[str, Any]) -> Modern:
    if not _unfamiliar(values):
        return values, [], []
    from scalr_agents.helm import alpha

    return alpha.modernize(values)


KIND = Kind(
    model=AgentJobValues,
    check=check,
    names={"legacy": _names, "current": _current_names},
    modernize=_modernize,
    common=lambda values: (values.global_.labels, values.global_.annotations),
)
