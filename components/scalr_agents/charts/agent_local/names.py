"""Names of the objects of `agent-local`."""

from dataclasses import dataclass, replace
from typing import cast

from scalr_agents.model.names import Identity, Names
from scalr_agents.model.release import Release


@dataclass(frozen=True, kw_only=True)
class LocalNames(Names):
    """The names of agent-local."""

    deprecated_cache_claim: str = ""
    """Name of the cache's claim if deprecated values enable it."""


def of(release: Release) -> LocalNames:
    """The names of a release of this chart."""
    return cast("LocalNames", release.names)


def current(identity: Identity) -> LocalNames:
    """The names. All contain the full name, as in the chart, where only the claim of the deprecated values has no suffix."""
    full = identity.full_name
    return LocalNames(
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


def legacy(identity: Identity) -> LocalNames:
    names = current(identity)
    return names if identity.scoped else replace(names, network_policy=f"{identity.full_name}-task-network-policy")
