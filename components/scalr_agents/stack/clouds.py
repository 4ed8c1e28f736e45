"""The cloud that a stack's cluster runs in, as far as the stack shows it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model.clouds import AWS_REGIONS, Cloud
from scalr_agents.model.findings import Finding, nearest, warning
from scalr_agents.stack.source import Source

if TYPE_CHECKING:
    from scalr_agents.stack.cache_model import CacheEntry

_REGION = "aws:region"
_CONTEXTS: Mapping[str, Cloud] = {"arn:aws": "aws", "gke_": "gcp"}
"""How contexts begin that the tools of a cloud name."""
_IDENTITIES: Mapping[str, Cloud] = {"eks.amazonaws.com": "aws", "azure.workload.identity": "azure", "iam.gke.io": "gcp"}
"""Domains of the annotations that give a service account an identity."""


def of(context: str, caches: "Mapping[str, CacheEntry]", agents: Sequence[AnyAgent]) -> Cloud | None:
    """The cloud of the context, of the caches, and of the agents' identities and policies. `None` if there is no sign, or they disagree.

    The region or project of a provider is no sign: it may be that of machines.
    """
    found = {*_of_stack(context, caches), *(cloud for agent in agents for cloud in _of_agent(agent))}
    return found.pop() if len(found) == 1 else None


def region(source: Source) -> Iterator[Finding]:
    """A warning on a region of AWS that does not exist, as far as is known."""
    given = source.others.get(_REGION)
    if isinstance(given, str) and given not in AWS_REGIONS:
        yield warning((_REGION,), f"not a known AWS region; {nearest(given, AWS_REGIONS)}")


def _of_stack(context: str, caches: "Mapping[str, CacheEntry]") -> Iterator[Cloud]:
    yield from (cloud for beginning, cloud in _CONTEXTS.items() if context.startswith(beginning))
    yield from (kind.cloud for cache in caches.values() if (kind := cache.content) and kind.cloud)


def _of_agent(agent: AnyAgent) -> Iterator[Cloud]:
    domains = {key.partition("/")[0] for key in agent.values.service_account.annotations}
    yield from (cloud for domain, cloud in _IDENTITIES.items() if domain in domains)
    if agent.inputs.egress and agent.inputs.egress.enforced_by == "gke":
        yield "gcp"
