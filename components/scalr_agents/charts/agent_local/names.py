"""Names of the objects of `agent-local`."""

from scalr_agents.model.names import Identity, Names


def current(identity: Identity) -> Names:
    """The names. All contain the full name, as in the chart, where only the claim of the deprecated values has no suffix."""
    full = identity.full_name
    return Names(
        deployment=full,
        service_account=identity.service_account,
        token_secret=f"{full}-token",
        env_secret=f"{full}-env",
        ca_bundle_secret=f"{full}-ca-bundle",
        client_cert_secret=f"{full}-client-cert",
        data_claim=f"{full}-data",
        cache_claim=f"{full}-cache",
        deprecated_cache_claim=f"{full}-cache" if identity.scoped else full,
        network_policy=f"{full}-network-policy",
        ingress_policy=f"{full}-ingress-network-policy",
    )


def legacy(identity: Identity) -> Names:
    names = current(identity)
    return names if identity.scoped else names._replace(network_policy=f"{identity.full_name}-task-network-policy")
