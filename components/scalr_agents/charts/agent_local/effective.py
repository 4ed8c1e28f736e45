"""The volumes as they are meant: of the values at the top of `persistence`, or of those under `data` and `cache` that replace them."""

from scalr_agents.charts.agent_local.values.persistence import Cache, Data, Persistence
from scalr_agents.model.fields import is_set


def is_deprecated(persistence: Persistence) -> bool:
    """Whether the older values count: all that is said about the cache's claim is then taken from them."""
    return persistence.enabled or is_set(persistence.persistent_volume_claim.claim_name)


def path(persistence: Persistence) -> str:
    """Where the values stand that count."""
    return "persistence" if is_deprecated(persistence) else "persistence.cache"


def data(persistence: Persistence) -> Data:
    """Workspace data, whichever values describe it."""
    return persistence.data.model_copy(update={"empty_dir": persistence.empty_dir or persistence.data.empty_dir})


def cache(persistence: Persistence) -> Cache:
    """The cache, whichever values describe it."""
    given = persistence.cache
    return Cache.model_construct(
        enabled=given.enabled or persistence.enabled,
        empty_dir=persistence.empty_dir or given.empty_dir,
        persistent_volume_claim=persistence.persistent_volume_claim if is_deprecated(persistence) else given.persistent_volume_claim,
    )
