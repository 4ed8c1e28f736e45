"""Checks on agents together with their caches: pods that cannot write, cache limits larger than the volume."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.caches.filestore import FilestoreSettings
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding, dotted, error, warning
from scalr_agents.model.merge import lookup
from scalr_agents.stack.cache_model import EfsEntry, StorageClassEntry
from scalr_agents.stack.caches import Claim, users_of_claims
from scalr_agents.stack.checks import pods
from scalr_agents.stack.model import place

_MEBIBYTE = 1024 * 1024


def check(agents: Sequence[AnyAgent], claims: Sequence[Claim]) -> Iterator[Finding]:
    """Caches that do not fit the agents that mount them."""
    mounting = users_of_claims(agents)
    for claim in claims:
        users = mounting.get(claim.key, [])
        for agent in users:
            match claim.content:
                case EfsEntry(uid=owner):
                    yield from _other_users(agent, claim, owner)
                case FilestoreSettings():
                    yield from _missing_group(agent)
                case StorageClassEntry():
                    pass
        if claim.size is not None:
            yield from _overfull(claim, claim.size, users)


def _missing_group(agent: AnyAgent) -> Iterator[Finding]:
    """Pods without an fsGroup: the kubelet cannot give the volume to their group."""
    for pod, spec in pods(agent.objects):
        if lookup(spec, "securityContext", "fsGroup") is None:
            message = f"its {pod} have no fsGroup and cannot write to the share, which belongs to root; set podSecurityContext.fsGroup"
            yield warning((*place(agent.name), "cache"), message)


def _other_users(agent: AnyAgent, claim: Claim, owner: int) -> Iterator[Finding]:
    for pod, spec in pods(agent.objects):
        users = sorted(_users(spec) - {owner})
        if users:
            yield error(
                (*place(agent.name), "cache"),
                f"its {pod} run as user {' and '.join(map(str, users))}, but all files of the cache belong to user {owner}; "
                f"set {dotted(claim.place)}.efs.uid, or change the agent's securityContext",
            )


def _users(spec: Mapping[str, Any]) -> set[int]:
    """The user ids of the containers that mount the cache, as far as the pod sets them."""
    mounting = [
        container
        for container in spec["containers"]
        if any(mount.get("name") == contract.CACHE_VOLUME for mount in container.get("volumeMounts", ()))
    ]
    pod = lookup(spec, "securityContext", "runAsUser")
    users = [container.get("securityContext", {}).get("runAsUser", pod) for container in mounting]
    return {user for user in users if isinstance(user, int)}


def _overfull(claim: Claim, size: str, users: Sequence[AnyAgent]) -> Iterator[Finding]:
    megabytes = sum(_megabytes(agent.values) for agent in users)
    if megabytes * _MEBIBYTE > quantities.parse(size):
        limits = ", ".join(f"{_megabytes(agent.values)} MB of {agent.name}" for agent in users)
        yield warning(
            claim.place,
            f"holds {size}, but its agents' caches may grow to {megabytes} MB ({limits}) and fill it before an agent clears its cache; "
            "lower agent.providerCache.sizeLimit or agent.moduleCache.sizeLimit",
        )


def _megabytes(values: Any) -> int:
    """The size that an agent's caches may grow to, in MB. 0 for a chart whose values have no limits."""
    if not isinstance(values, AgentJobValues):
        return 0
    caches = (values.agent.provider_cache, values.agent.module_cache)
    return sum(quantities.megabytes(cache.size_limit) for cache in caches if cache.enabled)
