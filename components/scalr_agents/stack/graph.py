"""The picture of a stack: its agents and machines, what they mount, and what their pods may connect to through which policy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from scalr_agents.charts.shared.agent import AnyAgent, Pods
from scalr_agents.charts.shared.inputs import HTTPS
from scalr_agents.charts.shared.network import destinations
from scalr_agents.charts.shared.network.addresses import Address, Proxies, address
from scalr_agents.charts.shared.network.destinations import PUBLIC, SCALR, Destination
from scalr_agents.charts.shared.pods import claim_of, templates
from scalr_agents.stack import Stack

if TYPE_CHECKING:
    from scalr_agents.stack.machines import StackMachine

NodeKind = Literal["pods", "machine", "claim", "directory", "cache", "policy", "destination"]
EdgeKind = Literal["starts", "mounts", "is on", "connects", "refused"]
_ANYWHERE, _METADATA = "everywhere else", "metadata service"
_REGISTRIES = "registries and releases"
_OF_REGISTRIES = {host for host, _ in PUBLIC}
_MACHINES = {"aws": "EC2", "gcp": "Compute Engine", "own": "Docker host"}


@dataclass(frozen=True)
class Node:
    """Something in the picture."""

    id: str
    """Unique in the picture, and the same as long as the stack is."""
    kind: NodeKind
    label: str
    """Lines of text."""
    namespace: str = ""
    """Namespace of the cluster; empty for what is outside of the cluster."""


@dataclass(frozen=True)
class Edge:
    """A relation between two nodes, by their ids."""

    source: str
    target: str
    kind: EdgeKind
    label: str = ""


@dataclass(frozen=True)
class Graph:
    """Nodes and edges, each once."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]


def of(stack: Stack) -> Graph:
    """The picture of a stack."""
    parts = dict.fromkeys([*_caches(stack), *(part for agent in stack.agents for part in _agent(agent)), *_machines(stack.machines)])
    return Graph([part for part in parts if isinstance(part, Node)], [part for part in parts if isinstance(part, Edge)])


_Parts = Iterator[Node | Edge]


def _caches(stack: Stack) -> _Parts:
    """The file systems that the stack creates, and the claims on them."""
    for claim in stack.claims:
        yield Node(f"cache {claim.cache}", "cache", f"{claim.cache}\n{claim.content.title}")
        mounted = _claim(*claim.key)
        yield mounted
        yield Edge(mounted.id, f"cache {claim.cache}", "is on")


def _claim(namespace: str, name: str) -> Node:
    return Node(f"claim {namespace}/{name}", "claim", f"{name}\nclaim", namespace)


def _agent(agent: AnyAgent) -> _Parts:
    every = agent.pods
    for pods in every:
        yield Node(_id(agent, pods), "pods", f"{agent.name}\n{pods.who} ({agent.kind})", agent.release.namespace)
    controllers = [pods for pods in every if pods.who == "controller"]
    started = [pods for pods in every if pods.who == "tasks"]
    yield from (Edge(_id(agent, one), _id(agent, other), "starts") for one in controllers for other in started)
    for pods in every:
        yield from _mounts(agent, pods)
        yield from _connections(agent, pods)


def _id(agent: AnyAgent, pods: Pods) -> str:
    return f"pods {agent.name}/{pods.who}"


def _mounts(agent: AnyAgent, pods: Pods) -> _Parts:
    """The claims and directories of nodes in the volumes of some pods."""
    namespace = agent.release.namespace
    for _, _, template in templates(agent.objects):
        if not pods.come_from(template):
            continue
        for volume in template["spec"].get("volumes", ()):
            claim = claim_of(volume)
            directory = volume.get("hostPath", {}).get("path")
            if claim:
                yield _claim(namespace, claim)
                yield Edge(_id(agent, pods), _claim(namespace, claim).id, "mounts")
            if isinstance(directory, str):
                yield Node(f"directory {directory}", "directory", f"{directory}\ndirectory of each node")
                yield Edge(_id(agent, pods), f"directory {directory}", "mounts")


def _connections(agent: AnyAgent, pods: Pods) -> _Parts:
    """What some pods may connect to: through their policy, if they have one."""
    source = _id(agent, pods)
    policies = [each for each in agent.objects if each["kind"].endswith("NetworkPolicy") and each["metadata"]["name"] == pods.policy]
    if policies:
        kinds = " and ".join(each["kind"] for each in policies)
        policy = Node(f"policy {agent.release.namespace}/{pods.policy}", "policy", f"{pods.policy}\n{kinds}", agent.release.namespace)
        yield policy
        yield Edge(source, policy.id, "connects")
        source = policy.id
        if not pods.metadata_service:
            yield _destination(_METADATA)
            yield Edge(source, _destination(_METADATA).id, "refused")
    found = destinations.of(pods, agent)
    given = (str(proxy) for variables in pods.containers for proxy in Proxies.of(variables).all())
    proxies = list(dict.fromkeys([*given, *(each.through for each in found if each.through)]))
    for proxy in proxies:
        yield from _proxy(source, proxy)
    yield from _open(source, found, proxies) if agent.inputs.egress is None else _allowed(source, found)


def _connection(source: str, name: str, label: str = "") -> _Parts:
    yield _destination(name)
    yield Edge(source, _destination(name).id, "connects", label)


def _proxy(source: str, proxy: str) -> _Parts:
    """A proxy as `host:port`, or one whose address is not known."""
    return _connection(source, proxy, proxy.rpartition(":")[2] if ":" in proxy else "")


def _open(source: str, found: Sequence[Destination], proxies: Sequence[str]) -> _Parts:
    """The destinations of pods without restrictions: nothing keeps them from connecting past a proxy."""
    for through in dict.fromkeys(each.through for each in found if each.why == "Scalr"):
        yield from _connection(_destination(through).id if through else source, "Scalr")
    for begin in (*(_destination(proxy).id for proxy in proxies), source):
        yield from _connection(begin, _ANYWHERE)


def _allowed(source: str, found: Sequence[Destination]) -> _Parts:
    """The destinations of pods with restricted egress, those of one name together. What a proxy carries is behind it."""
    ports: dict[tuple[str, str], dict[int, None]] = {}
    for each in found:
        if each.kind == "dns" or each.why == "proxy":
            continue  # all pods have DNS, and proxies are there already
        begin = _destination(each.through).id if each.through else source
        ports.setdefault((begin, _name(each)), {}).update(dict.fromkeys(each.ports))
    for (begin, name), numbers in ports.items():
        yield from _connection(begin, name, ", ".join(map(str, numbers)))


def _name(each: Destination) -> str:
    if each.kind == "api-server":
        return "Kubernetes API"
    if each.kind == "namespace":
        return f"namespace {each.name}"
    if each.name in _OF_REGISTRIES:
        return _REGISTRIES
    return "Scalr" if each.why == "Scalr" and each.name.endswith(SCALR) else each.name


def _destination(name: str) -> Node:
    return Node(f"destination {name}", "destination", name)


def _machines(machines: "Sequence[StackMachine]") -> _Parts:
    for each in machines:
        node = Node(f"machine {each.name}", "machine", f"{each.name}\n{_MACHINES[each.machine.platform]}")
        yield node
        shared = each.machine.shared
        proxies = Proxies.of({"HTTP_PROXY": shared.http_proxy, "HTTPS_PROXY": shared.https_proxy, "NO_PROXY": ",".join(shared.no_proxy)})
        through = proxies.carrying(address(shared.url) or Address(f"*.{SCALR}", HTTPS))
        if through:
            yield from _proxy(node.id, through)
        yield from _connection(_destination(through).id if through else node.id, "Scalr")


_SHAPES: Mapping[NodeKind, tuple[str, str]] = {
    "pods": ('["', '"]'),
    "machine": ('["', '"]'),
    "claim": ('[("', '")]'),
    "directory": ('[("', '")]'),
    "cache": ('[("', '")]'),
    "policy": ('{{"', '"}}'),
    "destination": ('(["', '"])'),
}
_LINES: Mapping[EdgeKind, str] = {"starts": "-->", "mounts": "---", "is on": "---", "connects": "-->", "refused": "-.-x"}
_TEXTS: Mapping[EdgeKind, str] = {"starts": "starts", "refused": "refused"}
"""What stands on edges without a label of their own."""


def mermaid(graph: Graph) -> str:
    """The picture as a Mermaid flowchart, as GitHub shows it."""
    short = {node.id: f"n{number}" for number, node in enumerate(graph.nodes, 1)}

    def drawn(node: Node) -> str:
        begin, end = _SHAPES[node.kind]
        label = node.label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n", "<br/>")
        return f"{short[node.id]}{begin}{label}{end}"

    lines = ["flowchart LR"]
    for namespace, nodes in _by_namespace(graph):
        within = "  " * bool(namespace)
        lines += [f'  subgraph ns-{namespace}["namespace {namespace}"]'] * bool(namespace)
        lines += [f"  {within}{drawn(node)}" for node in nodes]
        lines += ["  end"] * bool(namespace)
    for edge in graph.edges:
        text = edge.label or _TEXTS.get(edge.kind)
        label = f'|"{text}"|' if text else ""
        lines.append(f"  {short[edge.source]} {_LINES[edge.kind]}{label} {short[edge.target]}")
    return "\n".join(lines) + "\n"


def _by_namespace(graph: Graph) -> Iterator[tuple[str, list[Node]]]:
    """The nodes of each namespace, then those outside of the cluster."""
    namespaces = dict.fromkeys(node.namespace for node in graph.nodes if node.namespace)
    return ((namespace, [node for node in graph.nodes if node.namespace == namespace]) for namespace in [*namespaces, ""])
