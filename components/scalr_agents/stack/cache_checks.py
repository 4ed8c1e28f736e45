"""Checks on agents together with their caches: pods that cannot write, cache limits larger than the volume."""

from collections.abc import Iterator, Sequence

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import pods
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding, dotted, warning
from scalr_agents.stack.caches import Claim, users_of_claims
from scalr_agents.stack.model import place


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
    limited = {agent.name: agent.cache_megabytes for agent in users}
    megabytes = sum(limited.values())
    if megabytes * quantities.MEBIBYTE > quantities.parse(size):
        limits = ", ".join(f"{limit} MB of {agent}" for agent, limit in limited.items())
        yield warning(
            claim.place,
            f"holds {size}, but its agents' caches may grow to {megabytes} MB ({limits}) and fill it before an agent clears its cache; "
            "lower agent.providerCache.sizeLimit or agent.moduleCache.sizeLimit",
        )
