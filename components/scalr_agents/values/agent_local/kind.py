"""The kind `agent-local`."""

from scalr_agents.release import Names, Naming
from scalr_agents.values.agent_local import AgentLocalValues
from scalr_agents.values.agent_local.checks import check
from scalr_agents.values.kinds import Differences, Kind


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


_LEGACY = Differences(
    defaults={"image": {"repository": "scalr/agent-runner"}},
    absent=(
        "agent.providerNetworkMirrors",
        "agent.tls",
        "extraVolumes",
        "extraVolumeMounts",
        "persistence.data.enabled",
        "persistence.data.persistentVolumeClaim",
        "persistence.cache.enabled",
        "persistence.cache.persistentVolumeClaim",
    ),
    names=_legacy_names,
)

KIND = Kind(
    model=AgentLocalValues,
    check=check,
    names=_names,
    differences={"legacy": _LEGACY, "current": Differences()},
)
