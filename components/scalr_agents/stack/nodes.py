"""Agents on the nodes of others: runs and VCS providers that must not meet."""

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
    """Agents whose nodes should not be those of another."""
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
            f"the nodes of agent {one.name!r}, which has another role: what serves runs must share nothing with what reaches the VCS "
            "provider; give one of them other nodes",
        )
    elif found == "possible":
        yield warning(
            (*place(other.name), "nodes"),
            f"nothing keeps its pods from the nodes of agent {one.name!r}, which has another role; runs and VCS providers must share "
            f"nothing: set nodes.selector of both ({PREFIX}:agents.<name>.nodes)",
        )


def _selectors(agent: AnyAgent) -> list[Selector]:
    return [spec.get("nodeSelector", {}) for _, spec in pods(agent.objects)]


def overlap(some: Sequence[Selector], others: Sequence[Selector]) -> Overlap:
    """Whether pods of both may land on one node; `same` if the labels that one wants are all among those of the other."""
    found: Overlap = "apart"
    for one, other in product(some, others):
        if any(other.get(key, value) != value for key, value in one.items()):
            continue
        if one and other and (one.items() <= other.items() or other.items() <= one.items()):
            return "same"
        found = "possible"
    return found
