"""The volumes of data and cache of controllers and tasks, and the claims behind them."""

from scalr_agents.charts.agent_job.values.persistence import Cache, Persistence
from scalr_agents.charts.shared.manifests import volumes
from scalr_agents.charts.shared.manifests.volumes import claim, directory
from scalr_agents.charts.shared.volumes import Volume
from scalr_agents.model.forms import is_set
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import Release


def claims(persistence: Persistence, release: Release) -> dict[str, Manifest]:
    """The claims made for a release."""
    made: dict[str, tuple[Volume, str]] = {
        "data": (persistence.data, release.names.data_claim),
        "cache": (persistence.cache, release.names.cache_claim),
    }
    return {
        f"{component}-claim": claim(release.metadata(name, component), volume.persistent_volume_claim)
        for component, (volume, name) in made.items()
        if volume.enabled and not is_set(volume.persistent_volume_claim.claim_name) and not _on_node(volume)
    }


def _on_node(volume: Volume) -> bool:
    return isinstance(volume, Cache) and bool(volume.host_path.path)


def without_node(cache: Cache) -> Cache:
    """The cache for pods that use nothing of the node."""
    return cache.model_copy(update={"enabled": False}) if _on_node(cache) else cache


def cache_directory(cache: Cache, *parts: str) -> str:
    """A directory of the cache. On a claim, which may hold other things, the cache is in `cache`."""
    return directory(cache, *(["cache"] if cache.enabled else []), *parts)


def cache_volume(name: str, cache: Cache, made: str) -> Manifest:
    """The cache on the node, on its claim, existing or made, or in an emptyDir."""
    if cache.enabled and cache.host_path.path:
        return {"name": name, "hostPath": present({"path": cache.host_path.path, "type": cache.host_path.type})}
    return volumes.volume(name, cache, made)
