"""Agents whose pods mount the same directory of a claim or a node, whichever values cause it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import containers, pods
from scalr_agents.model.findings import Finding, error, warning
from scalr_agents.model.merge import lookup
from scalr_agents.stack.model import place
from scalr_agents.stack.nodes import Selector, overlap

Directory = tuple[str, ...]
Volume = tuple[str, str] | None
"""Namespace and name of a claim, or `None` for the disk of a node."""

_NO_DIRECTORIES = ("Socket", "CharDevice", "BlockDevice")


class Mount(NamedTuple):
    """A directory that a container mounts."""

    volume: Volume
    directory: Directory
    writable: bool
    nodes: Selector


def check(agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """A finding for each agent and volume with a directory that an earlier agent mounts too; only the first of these agents is named."""
    users = defaultdict[Volume, list[tuple[AnyAgent, list[Mount]]]](list)
    for agent in agents:
        mounted = defaultdict[Volume, list[Mount]](list)
        for mount in mounts(agent):
            mounted[mount.volume].append(mount)
        for volume, own in mounted.items():
            found = (_finding(agent, other, volume, *pair) for other, theirs in users[volume] for pair in _shared(own, theirs))
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


def _shared(own: Sequence[Mount], theirs: Sequence[Mount]) -> Iterator[tuple[Directory, Directory]]:
    """Pairs of directories that are equal or nested, and that at least one side may write to."""
    for one, other in product(*(sorted(some, key=lambda mount: len(mount.directory)) for some in (own, theirs))):
        shorter = min(len(one.directory), len(other.directory))
        meets = one.directory[:shorter] == other.directory[:shorter] and (one.writable or other.writable)
        if meets and (one.volume or overlap([one.nodes], [other.nodes]) != "apart"):
            yield one.directory, other.directory


def _finding(agent: AnyAgent, other: AnyAgent, volume: Volume, own: Directory, theirs: Directory) -> Finding:
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
