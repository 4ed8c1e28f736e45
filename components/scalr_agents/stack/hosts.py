"""The hosts that a stack's agents connect to, for a firewall: the list behind its network policies, and the registries of its images."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.inputs import HTTPS
from scalr_agents.charts.shared.network import destinations
from scalr_agents.charts.shared.network.addresses import Address, address
from scalr_agents.charts.shared.network.destinations import Destination
from scalr_agents.charts.shared.pods import images, registry_of

NODES = "nodes"
"""Who pulls images: no pod needs access to their registries."""
_DOCKER_HUB = ("*.docker.io", "*.docker.com", "*.cloudfront.net")
"""As Scalr documents them."""
_DNS = "cluster's DNS"
_API_SERVER = "cluster's API server"
_Key = tuple[str, tuple[int, ...], str, str]


@dataclass(frozen=True)
class Host:
    """Something to allow, for everybody who needs it for the same reason."""

    host: str
    """A name, `*.` for one more label, a network in CIDR notation, a namespace of the cluster, or a part of the cluster."""
    ports: tuple[int, ...]
    protocol: str
    who: tuple[str, ...]
    """`<agent>/<pods>`, `nodes`, or the proxy that carries the connections as `proxy <host>:<port>`."""
    why: str

    def as_json(self) -> dict[str, Any]:
        return {"host": self.host, "ports": list(self.ports), "protocol": self.protocol, "who": list(self.who), "why": self.why}


def of(agents: Sequence[AnyAgent]) -> list[Host]:
    """The hosts of some agents, each once: first those of the cluster, then by name."""
    who: dict[_Key, dict[str, None]] = {}
    for agent in agents:
        for pods in agent.pods:
            for each in destinations.of(pods, agent):
                asking = f"proxy {each.through}" if each.through else f"{agent.name}/{pods.who}"
                for name in _names(each, agent.inputs.api_server):
                    who.setdefault((name, each.ports, "UDP, TCP" if each.kind == "dns" else "TCP", each.why), {})[asking] = None
        for registry in _registries(agent):
            found = address(f"https://{registry}") or Address(registry, HTTPS)  # a pattern of Docker Hub is no address
            who.setdefault((found.host, (found.port,), "TCP", "images"), {})[NODES] = None
    hosts = [Host(host, ports, protocol, tuple(asking), why) for (host, ports, protocol, why), asking in who.items()]
    return sorted(hosts, key=lambda each: (each.host not in (_DNS, _API_SERVER), each.host.removeprefix("*."), each.ports))


def _names(each: Destination, api_server: Any) -> Sequence[str]:
    match each.kind:
        case "dns":
            return [_DNS]
        case "api-server":
            return api_server if isinstance(api_server, Sequence) else [_API_SERVER]
        case "namespace":
            return [f"namespace {each.name}"]
        case _:
            return [each.name]


def _registries(agent: AnyAgent) -> Iterator[str]:
    """The registries of an agent's images, but for images that are known only during deployment."""
    for image in dict.fromkeys(images(agent.objects)):
        if not image.startswith("<"):
            registry = registry_of(image)
            yield from [registry] if registry else _DOCKER_HUB


def rows(hosts: Sequence[Host]) -> list[tuple[str, ...]]:
    """The rows of a table of hosts, the first of which is its head."""
    return [("HOST", "PORT", "WHO", "WHY"), *((each.host, _ports(each), ", ".join(each.who), each.why) for each in hosts)]


def _ports(each: Host) -> str:
    numbers = ",".join(map(str, each.ports))
    return numbers if each.protocol == "TCP" else f"{numbers} ({each.protocol})"
