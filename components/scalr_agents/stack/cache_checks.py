"""What only agents and their caches together can show: pods that cannot write, limits beyond the volume, agents in one directory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents import contract
from scalr_agents.stack.agents import StackAgent
from scalr_agents.stack.cache_model import CacheEntry, EfsEntry, FilestoreEntry, StorageClassEntry
from scalr_agents.stack.caches import Caches, Claim
from scalr_agents.stack.checks import pods
from scalr_agents.values import Finding, quantities
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.merge import lookup

_MEBIBYTE = 1024 * 1024


def check(caches: Caches, agents: Sequence[StackAgent], claims: Sequence[Claim]) -> Iterator[Finding]:
    """Caches that do not fit the agents that mount them."""
    for claim in claims:
        users = [agent for agent in agents if claim.is_mounted_by(agent.checked)]
        for agent in users:
            match claim.content:
                case EfsEntry(uid=owner):
                    yield from _strangers(agent, claim, owner)
                case FilestoreEntry():
                    yield from _groupless(agent)
                case StorageClassEntry():
                    pass
        if claim.size is not None:
            yield from _overfull(claim, claim.size, users)
    yield from _roommates(caches, agents)


def _roommates(caches: Caches, agents: Sequence[StackAgent]) -> Iterator[Finding]:
    """Agents that mount one directory of a claim that exists."""
    directories: dict[tuple[str, ...], StackAgent] = {}
    for agent in agents:
        name = caches.agents[agent.name].cache
        claim = caches.entries.get(name, CacheEntry()).claim
        sub_path = agent.checked.values.persistence.cache.persistent_volume_claim.sub_path
        other = directories.setdefault((agent.checked.release.namespace, claim, sub_path), agent)
        if claim and other is not agent:
            yield Finding(
                "warning",
                f"{agent.place}.cache",
                f"shares its directory of cache {name!r} with agent {other.name!r}, and runs of one execute what the other has cached; "
                "give each a directory in values.persistence.cache.persistentVolumeClaim.subPath",
            )


def _groupless(agent: StackAgent) -> Iterator[Finding]:
    """Pods to whose group the kubelet cannot give the volume, because they do not say which it is."""
    for pod, spec in pods(agent.objects):
        if lookup(spec, "securityContext", "fsGroup") is None:
            message = f"its {pod} have no fsGroup, and a Filestore share belongs to root: permission denied; set podSecurityContext.fsGroup"
            yield Finding("warning", f"{agent.place}.cache", message)


def _strangers(agent: StackAgent, claim: Claim, owner: int) -> Iterator[Finding]:
    for pod, spec in pods(agent.objects):
        users = sorted(_users(spec) - {owner})
        if users:
            yield Finding(
                "error",
                f"{agent.place}.cache",
                f"its {pod} run as user {' and '.join(map(str, users))}, but all files of the cache belong to user {owner}; "
                f"set {claim.place}.efs.uid, or change the agent's securityContext",
            )


def _users(spec: Mapping[str, Any]) -> set[int]:
    """The users of the containers that mount the cache, as far as the pod says who they are."""
    mounting = [
        container
        for container in spec["containers"]
        if any(mount.get("name") == contract.CACHE_VOLUME for mount in container.get("volumeMounts", ()))
    ]
    pod = lookup(spec, "securityContext", "runAsUser")
    users = [container.get("securityContext", {}).get("runAsUser", pod) for container in mounting]
    return {user for user in users if isinstance(user, int)}


def _overfull(claim: Claim, size: str, users: Sequence[StackAgent]) -> Iterator[Finding]:
    megabytes = sum(_megabytes(agent.checked.values) for agent in users)
    if megabytes * _MEBIBYTE > quantities.parse(size):
        limits = ", ".join(f"{_megabytes(agent.checked.values)} MB of {agent.name}" for agent in users)
        yield Finding(
            "warning",
            claim.place,
            f"holds {size}, but its agents' caches may grow to {megabytes} MB ({limits}): it is full before an agent clears anything; "
            "lower agent.providerCache.sizeLimit or agent.moduleCache.sizeLimit",
        )


def _megabytes(values: AgentJobValues) -> int:
    caches = (values.agent.provider_cache, values.agent.module_cache)
    return sum(quantities.megabytes(cache.size_limit) for cache in caches if cache.enabled)
