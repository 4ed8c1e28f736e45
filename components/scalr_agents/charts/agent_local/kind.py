"""The kind `agent-local`."""

from scalr_agents.charts.agent_local.checks import check
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.kinds import Kind
from scalr_agents.model.release import Names, Naming


def _names(full: str, _namespace: str, service_account: str, naming: Naming) -> Names:
    """All names carry the full name, and so do the chart's own; only the claim of its deprecated values has no suffix there."""
    return Names(
        deployment=full,
        service_account=service_account,
        token_secret=f"{full}-token",
        env_secret=f"{full}-env",
        ca_bundle_secret=f"{full}-ca-bundle",
        client_cert_secret=f"{full}-client-cert",
        data_claim=f"{full}-data",
        cache_claim=f"{full}-cache",
        deprecated_cache_claim=f"{full}-cache" if naming == "scoped" else full,
        network_policy=f"{full}-network-policy",
    )


def _legacy_names(full: str, namespace: str, service_account: str, naming: Naming) -> Names:
    names = _names(full, namespace, service_account, naming)
    return names if naming == "scoped" else names._replace(network_policy=f"{full}-task-network-policy")


KIND = Kind(model=AgentLocalValues, check=check, names={"legacy": _legacy_names, "current": _names})
