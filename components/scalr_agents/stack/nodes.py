"""Checks of agents' nodes: agents for runs and for VCS providers that share them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import pods
from scalr_agents.model.findings import Finding, error, warning
from scalr_agents.stack.model import AgentEntry, place

Selector = Mapping[str, str]
_Labels = frozenset[tuple[str, str]]
Overlap = Literal["apart", "possible", "same"]


def check(entries: Mapping[str, AgentEntry], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """A finding for each agent of a VCS provider that shares nodes with agents for runs, or may. It names the first of the worst."""
    by_role: dict[str, list[AnyAgent]] = {"runs": [], "vcs": []}
    for agent in agents:
        by_role[entries[agent.name].role].append(agent)
    if not by_role["vcs"]:
        return
    nodes = _Nodes(by_role["runs"])
    for agent in by_role["vcs"]:
        for found, _, other in sorted(nodes.met(agent), key=lambda met: (met[0] != "same", met[1]))[:1]:
            yield _finding(found, other, agent)


def _finding(found: Overlap, one: AnyAgent, other: AnyAgent) -> Finding:
    at = (*place(other.name), "nodes")
    if found == "same":
        return error(
            at,
            f"the same nodes as those of agent {one.name!r}, which has another role; agents for runs must not share nodes with agents that "
            "reach a VCS provider: select other nodes for one of them",
        )
    return warning(
        at,
        f"its pods may run on the nodes of agent {one.name!r}, which has another role; agents for runs must not share nodes with "
        "agents that reach a VCS provider: in nodes.selector of both, set the same label key with different values",
    )


def _selectors(agent: AnyAgent) -> list[Selector]:
    return [spec.get("nodeSelector", {}) for _, spec in pods(agent.objects)]


class _Nodes:
    """The nodes of agents by the labels that their pods require, so that nobody compares each agent with each other one."""

    def __init__(self, agents: Sequence[AnyAgent]) -> None:
        self._agents = agents
        self._by_keys = defaultdict[frozenset[str], dict[_Labels, int]](dict)
        """Positions of the first agents with some labels, by the keys of these."""
        for position, agent in enumerate(agents):
            for selector in _selectors(agent):
                self._by_keys[frozenset(selector)].setdefault(frozenset(selector.items()), position)
        self._parts: dict[tuple[frozenset[str], frozenset[str]], dict[_Labels, int]] = {}

    def met(self, agent: AnyAgent) -> Iterator[tuple[Overlap, int, AnyAgent]]:
        """The first agents whose pods may run on a node with those of another one, with their positions; as `overlap` says it."""
        for selector in _selectors(agent):
            for keys in self._by_keys:
                common = keys.intersection(selector)
                position = self._with(keys, common).get(_part(selector.items(), common))
                if position is not None:
                    same = bool(common) and common in (keys, selector.keys())
                    yield "same" if same else "possible", position, self._agents[position]

    def _with(self, keys: frozenset[str], common: frozenset[str]) -> Mapping[_Labels, int]:
        """The first agents with labels of some keys, by those of their labels that have one of the common keys."""
        if (keys, common) not in self._parts:
            parts = self._parts[keys, common] = {}
            for labels, position in self._by_keys[keys].items():
                parts.setdefault(_part(labels, common), position)
        return self._parts[keys, common]


def _part(labels: Iterable[tuple[str, str]], keys: frozenset[str]) -> _Labels:
    return frozenset(label for label in labels if label[0] in keys)


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
