"""The effective volumes: from the deprecated values at the top of `persistence`, or from `data` and `cache`, which replace them."""

from scalr_agents.charts.agent_local.values.persistence import Cache, Data, Persistence
from scalr_agents.charts.shared import contract
from scalr_agents.model.forms import is_set
from scalr_agents.model.release import CACHE_VOLUME


def is_deprecated(persistence: Persistence) -> bool:
    """Whether the deprecated values apply: the cache's claim is then taken from them only."""
    return persistence.enabled or is_set(persistence.persistent_volume_claim.claim_name)


def path(persistence: Persistence) -> str:
    """Path of the values that apply."""
    return "persistence" if is_deprecated(persistence) else "persistence.cache"


def data(persistence: Persistence) -> Data:
    """The effective volume of workspace data."""
    return persistence.data.model_copy(update={"empty_dir": persistence.empty_dir or persistence.data.empty_dir})


def cache(persistence: Persistence) -> Cache:
    """The effective cache volume."""
    given = persistence.cache
    return Cache.model_construct(
        enabled=given.enabled or persistence.enabled,
        empty_dir=persistence.empty_dir or given.empty_dir,
        persistent_volume_claim=persistence.persistent_volume_claim if is_deprecated(persistence) else given.persistent_volume_claim,
    )


def created(persistence: Persistence) -> dict[str, Data | Cache]:
    """The volumes on claims that are created, by the name of the volume."""
    every: dict[str, Data | Cache] = {contract.DATA_VOLUME: data(persistence), CACHE_VOLUME: cache(persistence)}
    return {name: volume for name, volume in every.items() if volume.enabled and not is_set(volume.persistent_volume_claim.claim_name)}
