"""Agents with a namespace each.

Agents of a namespace can act as each other, so those of different trust domains must not share one. Trust domains are in no resource: a
policy reports every namespace with two agents.
"""

from collections.abc import Iterator, Sequence

from scalr_agents.model.merge import lookup
from scalr_agents.model.release import INSTANCE
from scalr_agents.promises.resources import Resource, Violation, text, violation


def violations(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    first: dict[tuple[str, str], tuple[str, ...]] = {}
    workloads = [each for each in resources if each.kind and each.type.startswith("kubernetes:apps/v1:")]
    for agent, resource in sorted({_agent(each): each for each in workloads}.items()):
        cluster, namespace, _, name = agent
        if not namespace or not name or namespace in excepted:
            continue
        other = first.setdefault((cluster, namespace), agent)
        if agent != other:
            problem = f"agent {name!r} shares namespace {namespace!r} with agent {other[-1]!r}, so that each can act as the other"
            yield violation(resource, problem, "Give each agent a namespace of its own, or list this one in exceptNamespaces")


def _agent(resource: Resource) -> tuple[str, str, str, str]:
    """Cluster, namespace, kind and name of the agent that a workload belongs to. What is not known yet is empty."""
    return resource.provider, resource.namespace, resource.kind, text(lookup(resource.metadata, "labels", INSTANCE))
