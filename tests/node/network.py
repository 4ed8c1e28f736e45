"""The networks of a test's machine: a node with pods, and a world that answers at every address. No packet leaves them."""

from collections.abc import Iterator

from tests.node.machine import Machine

WORLD, NODE = "10.89.0.1", "10.89.0.2"
"""Both ends of the wire between the world and the node."""
_WORLD_6, _NODE_6 = "fd00:10:89::1", "fd00:10:89::2"
PODS = ("10.88.0.0/24", "fd00:10:88::/64")
"""Addresses of pods, in both families."""
SERVICES = ("10.96.0.0/24", "fd00:10:96::/112")
API_SERVICE = "10.96.0.1"
NAMES_SERVICE = "10.96.0.10"
"""The DNS server of pods."""

API_PORT = 6443
WEB = "203.0.113.10"
"""Every web server of the world."""
NAMES = "203.0.113.53"
REGISTRY = "203.0.113.50"
PROXY = "10.20.0.20"
"""A proxy in the network of a company."""
_SERVERS = (WEB, NAMES, REGISTRY, PROXY)

ANYBODY_PORT = 9
"""The destination of connections to addresses without a server."""
QUEUE = 98
"""The queue of packets that the engine of policies decides on."""


def connect(machine: Machine) -> None:
    """Create the link and everything behind it."""
    for command in _world():
        machine.run(*command)
    for command in _node():
        machine.run(*command, network="node")


def policy_arguments() -> list[str]:
    """Arguments of the engine of policies that make it judge incoming packets."""
    return [f"--nfqueue-id={QUEUE}", "--fail-open=false", "--strict-mode=false", "--netfilter-bug-1766-fix=false"]


def _world() -> Iterator[list[str]]:
    yield from _lines(
        "ip link add world type veth peer name eth0 netns node",
        f"ip address add {WORLD}/24 dev world",
        f"ip address add {_WORLD_6}/64 dev world nodad",
        "ip link set world up",
        *(f"ip address add {server}/32 dev lo" for server in _SERVERS),
    )
    for pods, node in zip((*PODS, *SERVICES), (NODE, _NODE_6) * 2, strict=True):
        yield f"ip route add {pods} via {node}".split()
    elsewhere = "-t nat -A PREROUTING -i world -m addrtype ! --dst-type LOCAL"
    yield f"iptables {elsewhere} -p udp --dport 53 -j DNAT --to-destination {NAMES}:53".split()
    for iptables in ("iptables", "ip6tables"):
        yield f"{iptables} {elsewhere} -p tcp -j REDIRECT --to-ports {ANYBODY_PORT}".split()


def _node() -> Iterator[list[str]]:
    yield from _lines(
        "ip link set lo up",
        f"ip address add {NODE}/24 dev eth0",
        f"ip address add {_NODE_6}/64 dev eth0 nodad",
        "ip link set eth0 up",
        f"ip route add default via {WORLD}",
        f"ip -6 route add default via {_WORLD_6}",
    )
    for setting in ("ipv4/ip_forward", "ipv6/conf/all/forwarding"):
        yield ["sh", "-c", f"echo 1 > /proc/sys/net/{setting}"]
    # The first packet of each connection of a pod is asked about, where it is known where it goes: behind what kube-proxy rewrites.
    for iptables, pods in zip(("iptables", "ip6tables"), PODS, strict=True):
        for chain, direction in (("FORWARD", "-s"), ("FORWARD", "-d"), ("INPUT", "-s")):
            rule = f"-m conntrack --ctstate NEW {direction} {pods} -j NFQUEUE --queue-num {QUEUE}"
            yield f"{iptables} -t mangle -A {chain} {rule}".split()


def _lines(*commands: str) -> Iterator[list[str]]:
    for command in commands:
        yield command.split()
