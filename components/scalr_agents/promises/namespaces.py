"""Agents with a namespace each.

Agents of a namespace can act as each other, so those for runs and those for VCS providers must not share one. The role of an agent is in
the stack file, but in none of its resources: a policy cannot tell roles apart, and reports every namespace with two agents.
"""

from collections.abc import Iterator, Sequence

from scalr_agents.model.merge import lookup
from scalr_agents.model.release import INSTANCE
from scalr_agents.promises.resources import Resource, Violation, violation


def violations(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    first: dict[str, tuple[str, str, str]] = {}
    workloads = [each for each in resources if each.kind and each.type.startswith("kubernetes:apps/v1:")]
    for agent, resource in sorted({_agent(each): each for each in workloads}.items()):
        namespace, _, name = agent
        other = first.setdefault(namespace, agent)
        if namespace and namespace not in excepted and agent != other:
            problem = f"agent {name!r} shares namespace {namespace!r} with agent {other[-1]!r}, so that each can act as the other"
            yield violation(resource, problem, "Give each agent a namespace of its own, or list this one in exceptNamespaces")


def _agent(resource: Resource) -> tuple[str, str, str]:
    """Namespace, kind and name of the agent that a workload belongs to."""
    return resource.namespace, resource.kind, str(lookup(resource.metadata, "labels", INSTANCE))
