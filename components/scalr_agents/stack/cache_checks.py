"""Checks on agents together with their caches: pods that cannot write, cache limits larger than the volume."""

from collections.abc import Iterator, Sequence
from typing import Any

from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding, dotted, warning
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
            for pod, spec in pods(agent.objects):
                for finding in claim.content.problems_of_pod(spec, pod, dotted(claim.place)):
                    yield finding.under((*place(agent.name), "cache"))
        if (size := claim.content.size()) is not None:
            yield from _overfull(claim, size, users)


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
