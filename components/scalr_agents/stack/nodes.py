"""Checks of agents' nodes: tolerations that Kubernetes refuses, and agents for runs and for VCS providers that share nodes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.model.fields import is_deferred, is_label_key, is_label_value
from scalr_agents.model.findings import Finding, Path, error, warning
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


def tolerations(place: Path, given: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Errors for tolerations that are right field by field, with which the API server refuses every pod."""
    for index, each in enumerate(given):
        if any(map(is_deferred, each.values())):
            continue
        here = (*place, index)
        key, operator, value = (each.get(word) or "" for word in ("key", "operator", "value"))
        if not key and operator != "Exists":
            yield error((*here, "key"), "missing; set it, or set operator: Exists to tolerate every taint")
        elif key and not is_label_key(key):
            yield error((*here, "key"), "not the key of a taint, for instance pool or acme.example/pool")
        if operator == "Exists" and value:
            yield error((*here, "value"), "not allowed with operator: Exists, which tolerates every value; remove one of them")
        elif operator in ("", "Equal") and not is_label_value(value):
            yield error((*here, "value"), "not the value of a taint: use at most 63 letters, digits, '-', '_' and '.'")
        if each.get("tolerationSeconds") is not None and each.get("effect") != "NoExecute":
            yield error((*here, "tolerationSeconds"), "requires effect: NoExecute; pods that run are not evicted for other effects")


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
