"""Agents that meet: they own the same object, run on the same nodes, mount the same directory, or can act as each other.

An agent that starts pods may start them under any service account of its namespace, and with any Secret. So whatever one agent of a
namespace may do, all of them may do.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from scalr_agents.charts.shared.agent import Agent, AnyAgent
from scalr_agents.charts.shared.external_secrets import External
from scalr_agents.charts.shared.pods import containers, pods
from scalr_agents.model.findings import Finding, error, warning
from scalr_agents.model.manifests import Manifest, key_of
from scalr_agents.model.maps import is_deferred, is_set, lookup
from scalr_agents.stack.model import AgentEntry, place

if TYPE_CHECKING:
    from scalr_agents.stack.caches import Claim

Selector = Mapping[str, str]
_Labels = frozenset[tuple[str, str]]
Overlap = Literal["possible", "same"]
"""Whether pods may run on the nodes of others; `same` if the labels that one requires include all those of the other."""
Directory = tuple[str, ...]
Volume = tuple[str, str] | None
"""Namespace and name of a claim, or `None` for the disk of a node."""

_NO_DIRECTORIES = ("Socket", "CharDevice", "BlockDevice")
_ACCOUNT_OF_ALL = "default"
"""The service account that every namespace has. It is not expected to have a cloud identity."""


def collisions(everything: "Iterable[tuple[AnyAgent | Claim, Iterable[Manifest]]]") -> Iterator[Finding]:
    """Errors for agents and caches that own the same object, and for agents whose workloads select the same pods."""
    owners: dict[tuple[str, ...], AnyAgent | Claim] = {}
    for one, objects in everything:
        releases = [one.release] if isinstance(one, Agent) else []
        selected = [("pods of", release.namespace, release.base_name, release.name) for release in releases]
        for owned in [*selected, *map(key_of, objects)]:
            other = owners.setdefault(owned, one)
            if other is not one:
                same_release = isinstance(one, Agent) and isinstance(other, Agent) and one.release.name == other.release.name
                yield error(
                    place(one.name) if isinstance(one, Agent) else one.place,
                    f"owns {_listed(owned)}, and so does {_called(other)}; "
                    + ("set another `release` for one of them" if same_release else "give one of them another name"),
                )
                break


def _called(owner: "AnyAgent | Claim") -> str:
    return f"agent {owner.name!r}" if isinstance(owner, Agent) else f"cache {owner.cache!r}"


def _listed(owned: tuple[str, ...]) -> str:
    if owned[0] == "pods of":
        return f"the pods of release {owned[3]!r} in namespace {owned[1]!r}"
    kind, namespace, name = owned
    return f"{kind} {name!r} in namespace {namespace!r}" if namespace else f"{kind} {name!r}"


def shared_nodes(entries: Mapping[str, AgentEntry], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """A finding for each agent of a VCS provider that shares nodes with agents for runs, or may. It names the first of the worst."""
    by_role: dict[str, list[AnyAgent]] = {"runs": [], "vcs": []}
    for agent in agents:
        by_role[entries[agent.name].role].append(agent)
    if not by_role["vcs"]:
        return
    nodes = _Nodes(by_role["runs"])
    for agent in by_role["vcs"]:
        for found, _, other in sorted(nodes.met(agent), key=lambda met: (met[0] != "same", met[1]))[:1]:
            yield _on_shared_nodes(found, other, agent)


def _on_shared_nodes(found: Overlap, one: AnyAgent, other: AnyAgent) -> Finding:
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
        """The first agents whose pods may run on a node with those of another one, with their positions."""
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


class Mount(NamedTuple):
    """A directory that a container mounts."""

    volume: Volume
    directory: Directory
    writable: bool
    nodes: Selector


def shared_directories(agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """A finding for each agent and volume with a directory that an earlier agent mounts too; only the first of these agents is named."""
    users = defaultdict[Volume, list[tuple[AnyAgent, list[Mount]]]](list)
    for agent in agents:
        mounted = defaultdict[Volume, list[Mount]](list)
        for mount in mounts(agent):
            mounted[mount.volume].append(mount)
        for volume, own in mounted.items():
            found = (_in_shared_directory(agent, other, volume, *pair) for other, theirs in users[volume] for pair in _meeting(own, theirs))
            yield from islice(found, 1)
            users[volume].append((agent, own))


def mounts(agent: AnyAgent) -> Iterator[Mount]:
    """The directories of claims and nodes that an agent's pods mount, as far as they are known."""
    for _, spec in pods(agent.objects):
        volumes = {
            volume["name"]: volume for volume in spec.get("volumes", ()) if "persistentVolumeClaim" in volume or "hostPath" in volume
        }
        for container in containers(spec) if volumes else ():
            for mount in (mount for mount in container.get("volumeMounts", ()) if mount.get("name") in volumes):
                yield from _mount(mount, volumes[mount["name"]], agent.release.namespace, spec.get("nodeSelector", {}))


def _mount(mount: Mapping[str, Any], volume: Mapping[str, Any], namespace: str, nodes: Selector) -> Iterator[Mount]:
    claim, host_path = lookup(volume, "persistentVolumeClaim", "claimName"), lookup(volume, "hostPath", "path")
    sub_path = mount.get("subPath", "")
    if not isinstance(sub_path, str) or "subPathExpr" in mount:
        return
    if isinstance(claim, str):
        writable = not (mount.get("readOnly") is True or lookup(volume, "persistentVolumeClaim", "readOnly") is True)
        yield Mount((namespace, claim), _parts(sub_path), writable, nodes)
    elif isinstance(host_path, str) and lookup(volume, "hostPath", "type") not in _NO_DIRECTORIES:
        yield Mount(None, _parts(f"{host_path}/{sub_path}"), mount.get("readOnly") is not True, nodes)


def _parts(path: str) -> Directory:
    return tuple(part for part in path.split("/") if part not in ("", "."))


def _meeting(own: Sequence[Mount], theirs: Sequence[Mount]) -> Iterator[tuple[Directory, Directory]]:
    """Pairs of directories that are equal or nested, and that at least one side may write to."""
    for one, other in product(*(sorted(some, key=lambda mount: len(mount.directory)) for some in (own, theirs))):
        shorter = min(len(one.directory), len(other.directory))
        meets = one.directory[:shorter] == other.directory[:shorter] and (one.writable or other.writable)
        if meets and (one.volume or all(other.nodes.get(key, value) == value for key, value in one.nodes.items())):
            yield one.directory, other.directory


def _in_shared_directory(agent: AnyAgent, other: AnyAgent, volume: Volume, own: Directory, theirs: Directory) -> Finding:
    whose = f"mounted by the pods of agent {other.name!r}"
    relation = f"and so do those of agent {other.name!r}"
    if len(own) > len(theirs):
        relation = f"which is inside {_named(theirs, volume)}, {whose}"
    elif len(own) < len(theirs):
        relation = f"which contains {_named(theirs, volume)}, {whose}"
    if volume:
        advice = "runs of one agent execute what the other has cached; give each its own directory (subPath of the claim, in its values)"
        return warning(place(agent.name), f"its pods mount {_named(own, volume)} of claim {volume[1]!r}, {relation}: {advice}")
    shared = f"its pods mount {_named(own, volume)} of their nodes, {relation}, on the same nodes"
    if "owns-node-directory" in agent.traits & other.traits:
        return error(place(agent.name), f"{shared}; set a different agent.data_home for one of them")
    return warning(place(agent.name), f"{shared}: runs of one agent can change files of the other; give each its own directory")


def _named(directory: Directory, volume: Volume) -> str:
    return repr("/".join(directory) if volume else f"/{'/'.join(directory)}") if directory or not volume else "the root"


class _Domain(NamedTuple):
    """What sets an agent apart from others."""

    identity: Hashable
    token: Hashable
    role: str

    def differences(self, other: "_Domain") -> list[str]:
        return [key for key, own, theirs in zip(self._fields, self, other, strict=True) if own != theirs]


def shared_identities(entries: Mapping[str, AgentEntry], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
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
            yield _acting_as(agent, *found)
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
    return one if one == two != _ACCOUNT_OF_ALL else ""


def _acting_as(agent: AnyAgent, other: AnyAgent, differences: Sequence[str]) -> Finding:
    namespace, account = agent.release.namespace, _shared_account(agent, other)
    shares = f"shares service account {account!r}" if account else f"shares namespace {namespace!r}"
    what = f"{shares} with agent {other.name!r}, which has another {' and another '.join(differences)}: "
    reason = "agents may start pods there under any service account and with any Secret, so each can act as the other; "
    if not (agent.runs or other.runs):
        reason = "each has the permissions of the other; " if account else ""
    unknown = is_deferred(agent.values.agent.token) or is_deferred(other.values.agent.token)
    unless = ", unless both tokens belong to one agent pool" if unknown and differences == ["token"] else ""
    return warning((*place(agent.name), "namespace"), f"{what}{reason}give each its own namespace{unless}")
