"""Checks of agents' nodes: agents for runs and for VCS providers that share them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model.findings import Finding, error, warning
from scalr_agents.stack.checks import pods
from scalr_agents.stack.model import PREFIX, AgentEntry, place

Selector = Mapping[str, str]
Overlap = Literal["apart", "possible", "same"]


def check(entries: Mapping[str, AgentEntry], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """Findings for agents of different roles that share nodes, or may share them."""
    by_role: dict[str, list[AnyAgent]] = {"runs": [], "vcs": []}
    for agent in agents:
        by_role[entries[agent.name].role].append(agent)
    for one, other in product(by_role["runs"], by_role["vcs"]):
        yield from _roles(one, other)


def _roles(one: AnyAgent, other: AnyAgent) -> Iterator[Finding]:
    found = overlap(_selectors(one), _selectors(other))
    if found == "same":
        yield error(
            (*place(other.name), "nodes"),
            f"the same nodes as those of agent {one.name!r}, which has another role; agents for runs must not share nodes with agents that "
            "reach a VCS provider: select other nodes for one of them",
        )
    elif found == "possible":
        yield warning(
            (*place(other.name), "nodes"),
            f"its pods may run on the nodes of agent {one.name!r}, which has another role; agents for runs must not share nodes with "
            f"agents that reach a VCS provider: set nodes.selector of both ({PREFIX}:agents.<name>.nodes)",
        )


def _selectors(agent: AnyAgent) -> list[Selector]:
    return [spec.get("nodeSelector", {}) for _, spec in pods(agent.objects)]


def overlap(some: Sequence[Selector], others: Sequence[Selector]) -> Overlap:
    """Whether pods of both may run on one node; `same` if the labels that one requires include all those of the other."""
    found: Overlap = "apart"
    for one, other in product(some, others):
        if any(other.get(key, value) != value for key, value in one.items()):
            continue
        if one and other and (one.items() <= other.items() or other.items() <= one.items()):
            return "same"
        found = "possible"
    return found
