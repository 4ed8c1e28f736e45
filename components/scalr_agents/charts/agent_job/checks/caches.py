"""Cross-checks of the caches: limits, and the volumes that they must fit."""

from collections.abc import Mapping

from scalr_agents.charts.agent_job.manifests import Job
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.agent_job.values.caches import CacheLimit
from scalr_agents.model import checks, quantities
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import is_set


def _limits(limits: Mapping[str, CacheLimit], volume_path: str, volume: object) -> Findings:
    """Sizes of the enabled caches: suffixes that the agent accepts, and enough room on the volume for all of them."""
    megabytes = 0
    if not any(limit.enabled for limit in limits.values()):
        return
    for path, limit in limits.items():
        if not limit.enabled:
            continue
        try:
            megabytes += quantities.megabytes(limit.size_limit)
        except ValueError as problem:
            yield error(f"{path}.sizeLimit", str(problem))
    if quantities.is_quantity(volume) and megabytes * quantities.MEBIBYTE > quantities.parse(str(volume)):
        enabled = " and ".join(f"{path}.sizeLimit" for path, limit in limits.items() if limit.enabled)
        yield warning(
            enabled.partition(" and ")[0],
            f"caches may grow to {megabytes} MB ({enabled}), but the size of their volume ({volume_path}) is {volume}: "
            "it fills up before the agent removes anything, and the pod is evicted; lower the limits or enlarge the volume",
        )


def megabytes(agent: Job) -> int:
    """The size that the enabled caches may grow to, in MB."""
    caches = (agent.values.agent.provider_cache, agent.values.agent.module_cache)
    return sum(quantities.megabytes(cache.size_limit) for cache in caches if cache.enabled)


def check(values: AgentJobValues) -> Findings:
    """All findings on the cache."""
    agent, cache = values.agent, values.persistence.cache
    claim = cache.persistent_volume_claim
    try:
        quantities.megabytes(agent.binary_cache.size_limit)
    except ValueError as problem:
        yield error("agent.binaryCache.sizeLimit", str(problem))
    if cache.host_path.path:
        if not cache.enabled:
            yield warning("persistence.cache.hostPath.path", "has no effect: persistence.cache.enabled is false")
        elif is_set(claim.claim_name):
            yield warning(
                "persistence.cache.persistentVolumeClaim.claimName",
                "has no effect: persistence.cache.hostPath.path is set and takes precedence",
            )
        return
    limits = {"agent.providerCache": agent.provider_cache, "agent.moduleCache": agent.module_cache}
    if not cache.enabled:
        yield from _limits(limits, "persistence.cache.emptyDir.sizeLimit", cache.empty_dir.get("sizeLimit"))
        return
    existing = is_set(claim.claim_name)
    yield from _limits(limits, "persistence.cache.persistentVolumeClaim.storage", None if existing else claim.storage)
    if not existing:
        yield from checks.shared_cache("persistence.cache.persistentVolumeClaim.accessMode", claim.access_mode)
