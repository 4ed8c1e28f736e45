"""Agents on the nodes of others: runs and VCS providers that must not meet, and workers that write into one directory."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Literal

from scalr_agents.stack.agents import StackAgent
from scalr_agents.stack.checks import pods
from scalr_agents.stack.model import PREFIX, AgentEntry
from scalr_agents.values import Finding

Selector = Mapping[str, str]
Overlap = Literal["apart", "possible", "same"]


def check(entries: Mapping[str, AgentEntry], agents: Sequence[StackAgent]) -> Iterator[Finding]:
    """Agents whose nodes should not be those of another."""
    by_role: dict[str, list[StackAgent]] = {"runs": [], "vcs": []}
    for agent in agents:
        by_role[entries[agent.name].role].append(agent)
    for one, other in product(by_role["runs"], by_role["vcs"]):
        yield from _roles(one, other)
    for one, other in combinations([agent for agent in agents if entries[agent.name].kind == "agent-k8s"], 2):
        yield from _directories(one, other)


def _roles(one: StackAgent, other: StackAgent) -> Iterator[Finding]:
    overlap = _overlap(_selectors(one), _selectors(other))
    if overlap == "same":
        yield Finding(
            "error",
            f"{other.place}.nodes",
            f"the nodes of agent {one.name!r}, which has another role: what serves runs must share nothing with what reaches the VCS "
            "provider; give one of them other nodes",
        )
    elif overlap == "possible":
        yield Finding(
            "warning",
            f"{other.place}.nodes",
            f"nothing keeps its pods from the nodes of agent {one.name!r}, which has another role; runs and VCS providers must share "
            f"nothing: set nodes.selector of both ({PREFIX}:agents.<name>.nodes)",
        )


def _directories(one: StackAgent, other: StackAgent) -> Iterator[Finding]:
    """Two DaemonSets that keep the data of their runs in one directory of the same nodes."""
    for (directory, here), (same, there) in product(_data_homes(one), _data_homes(other)):
        if directory == same and _overlap([here], [there]) != "apart":
            yield Finding(
                "error",
                other.place,
                f"its workers keep their data in {directory} of their nodes, and so do those of agent {one.name!r} on the same nodes; "
                "give one of them another agent.data_home",
            )


def _selectors(agent: StackAgent) -> list[Selector]:
    return [spec.get("nodeSelector", {}) for _, spec in pods(agent.objects)]


def _data_homes(agent: StackAgent) -> Iterator[tuple[str, Selector]]:
    for manifest in agent.objects:
        if manifest["kind"] == "DaemonSet":
            spec = manifest["spec"]["template"]["spec"]
            yield from ((volume["hostPath"]["path"], spec.get("nodeSelector", {})) for volume in spec["volumes"] if "hostPath" in volume)


def _overlap(some: Sequence[Selector], others: Sequence[Selector]) -> Overlap:
    """Whether pods of both may land on one node; `same` if the labels that one wants are all among those of the other."""
    found: Overlap = "apart"
    for one, other in product(some, others):
        if any(other.get(key, value) != value for key, value in one.items()):
            continue
        if one and other and (one.items() <= other.items() or other.items() <= one.items()):
            return "same"
        found = "possible"
    return found
