"""Agents that can act as each other, because they share a namespace or a service account.

An agent that starts pods may start them under any service account of its namespace, and with any Secret. So whatever one agent of a
namespace may do, all of them may do.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests.external_secrets import External
from scalr_agents.model.findings import Finding, warning
from scalr_agents.model.forms import is_deferred, is_set
from scalr_agents.stack.model import AgentEntry, place

_OF_ALL = "default"
"""The service account that every namespace has. It is not expected to have a cloud identity."""


class _Domain(NamedTuple):
    """What sets an agent apart from others."""

    identity: Hashable
    token: Hashable
    role: str

    def differences(self, other: "_Domain") -> list[str]:
        return [key for key, own, theirs in zip(self._fields, self, other, strict=True) if own != theirs]


def check(entries: Mapping[str, AgentEntry], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """A warning for each agent that can act as an earlier one, or the other way round, but should not. It names the first of these."""
    if len({agent.release.namespace for agent in agents}) == len(agents):
        return
    earlier = defaultdict[str, list[tuple[AnyAgent, _Domain]]](list)
    for agent in agents:
        domain = _domain(agent, entries[agent.name].role)
        others = earlier[agent.release.namespace]
        met = ((other, domain.differences(theirs)) for other, theirs in others if theirs != domain)
        found = next(((other, words) for other, words in met if _can_act(agent, other, words)), None)
        if found:
            yield _finding(agent, *found)
        others.append((agent, domain))


def _domain(agent: AnyAgent, role: str) -> _Domain:
    values = agent.values
    annotations = values.service_account.annotations
    existing = getattr(values.agent.token_existing_secret, "name", values.agent.token_existing_secret)
    return _Domain(
        identity=frozenset((name, _comparable(value)) for name, value in annotations.items()),
        token=("Secret", _comparable(existing)) if is_set(existing) else _comparable(values.agent.token),
        role=role,
    )


def _comparable(value: object) -> Hashable:
    """A value that is not known here, such as an encrypted token, differs from every other. One from a store is the same as itself."""
    if isinstance(value, External):
        return value
    return ("unknown", id(value)) if is_deferred(value) else str(value)


def _can_act(agent: AnyAgent, other: AnyAgent, differences: Sequence[str]) -> bool:
    if agent.runs or other.runs:
        return True
    return "role" in differences or _shared_account(agent, other) != ""


def _shared_account(agent: AnyAgent, other: AnyAgent) -> str:
    one, two = (each.release.names.service_account for each in (agent, other))
    return one if one == two != _OF_ALL else ""


def _finding(agent: AnyAgent, other: AnyAgent, differences: Sequence[str]) -> Finding:
    namespace, account = agent.release.namespace, _shared_account(agent, other)
    shares = f"shares service account {account!r}" if account else f"shares namespace {namespace!r}"
    what = f"{shares} with agent {other.name!r}, which has another {' and another '.join(differences)}: "
    reason = "agents may start pods there under any service account and with any Secret, so each can act as the other; "
    if not (agent.runs or other.runs):
        reason = "each has the permissions of the other; " if account else ""
    unknown = is_deferred(agent.values.agent.token) or is_deferred(other.values.agent.token)
    unless = ", unless both tokens belong to one agent pool" if unknown and differences == ["token"] else ""
    return warning((*place(agent.name), "namespace"), f"{what}{reason}give each its own namespace{unless}")
