"""The destinations of an agent's pods, and why they need them: the list behind the policies and behind `scalr-agents hosts`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent, Pods
from scalr_agents.charts.shared.inputs import HTTPS
from scalr_agents.charts.shared.network.addresses import Address, Proxies, address, matches, network_of, variable
from scalr_agents.model.fields import Cloud
from scalr_agents.model.findings import Path

Kind = Literal["dns", "api-server", "host", "cidr", "namespace"]
ENTRIES: Path = ("network", "egress", "only")

API_PORTS = (443, 6443)
"""Ports of API servers: those of managed clusters, and those of kubeadm, kind and k3s."""
DNS_PORT = 53
DNS_PORTS_OF_PODS = (5353, 8053)
"""Other ports of the cluster's DNS, on which its pods listen in OpenShift and in Gardener. A policy matches these, not the Service's."""
_OTLP_PORT = 4317
_CARRIED = (80, 443)
"""Ports of a user's host that count as HTTP, which a proxy carries."""
_CLUSTER_DOMAINS = (".svc", ".svc.cluster.local")

SCALR = "scalr.io"
"""Scalr's own domain. Its documents ask to allow all subdomains; `relay.<account>.scalr.io` is one more level."""
PUBLIC = (
    ("registry.opentofu.org", "registry of OpenTofu"),
    ("registry.terraform.io", "registry of Terraform"),
    ("releases.hashicorp.com", "Terraform, and providers of HashiCorp"),
    ("github.com", "OpenTofu, and providers of other publishers"),
    ("objects.githubusercontent.com", "downloads of GitHub"),
    ("release-assets.githubusercontent.com", "downloads of GitHub"),
)
"""What runs download from, unless mirrors and caches have it: docs/network.md says where each is known from."""
_METADATA: Mapping[Cloud | None, Sequence[tuple[str, tuple[int, ...]]]] = {
    "aws": (("169.254.169.254/32", (80,)), ("fd00:ec2::254/128", (80,))),
    "azure": (("169.254.169.254/32", (80,)),),
    "gcp": (("169.254.169.254/32", (80, 8080)), ("169.254.169.252/32", (988,))),
    None: (("169.254.169.254/32", (80, 8080)), ("169.254.169.252/32", (988,)), ("fd00:ec2::254/128", (80,))),
}
"""Metadata services as pods use them: AWS over IPv4 and IPv6; GKE with and without Dataplane V2; all of them if the cloud is not known."""


class Destination(NamedTuple):
    """Something that pods connect to."""

    kind: Kind
    name: str
    """A host, a network or a namespace; empty for DNS and the API server."""
    ports: tuple[int, ...]
    why: str
    through: str = ""
    """The proxy that carries the connections, as `host:port`. Then the pods themselves need no access."""
    at: Path = ()
    """The user's entry that names it; empty if the settings imply it."""


Allowed = Mapping[tuple[Kind, tuple[int, ...]], Sequence[str]]
"""Names of destinations by their kind and ports, each of which becomes one rule."""


def of(pods: Pods, agent: AnyAgent) -> list[Destination]:
    """The destinations of some pods, without duplicates: what the settings imply, then the user's entries."""
    return list(dict.fromkeys([*_implied(pods, agent), *_entries(pods, agent)]))


def allowed(pods: Pods, agent: AnyAgent) -> Allowed:
    """What a policy must let some pods connect to themselves."""
    grouped: dict[tuple[Kind, tuple[int, ...]], dict[str, None]] = {}
    for each in of(pods, agent):
        if not each.through:
            grouped.setdefault((each.kind, each.ports), {})[each.name] = None
    return {key: list(names) for key, names in grouped.items()}


def unknown(pods: Pods, agent: AnyAgent) -> Iterator[str]:
    """The variables with addresses that are not known here, so that no destination follows from them."""
    for variables in pods.containers:
        for name in ("HTTPS_PROXY", "HTTP_PROXY", "SCALR_AGENT_OTLP_ENDPOINT", "SCALR_AGENT_SENTRY_DSN", "SCALR_URL"):
            given = variable(variables, name)
            if given is None or (given and address(given) is None):
                yield name
    if pods.downloads and contract.MIRRORS_VARIABLE in agent.inputs.secret_env:
        yield contract.MIRRORS_VARIABLE


def _implied(pods: Pods, agent: AnyAgent) -> Iterator[Destination]:
    containers = pods.containers
    every = [Proxies.of(variables) for variables in containers]
    variables, of_agent = containers[0], every[0]
    yield Destination("dns", "", (DNS_PORT,), "DNS")
    if pods.token:
        yield Destination("api-server", "", API_PORTS, "Kubernetes API")
    for proxy in (proxy for proxies in every for proxy in proxies.all()):
        yield _reached(proxy, "proxy", agent)
    for target in _scalr(address(variable(variables, "SCALR_URL"))):
        yield _reached(target, "Scalr", agent, of_agent.carrying(target))
    for target, why in _downloads(pods):  # by runs, and by the worker, which fills the caches
        yield from (_reached(target, why, agent, proxies.carrying(target)) for proxies in every)
    sentry = address(variable(variables, "SCALR_AGENT_SENTRY_DSN"))
    if sentry:
        yield _reached(sentry, "reports of errors", agent, of_agent.carrying(sentry))
    collector = address(variable(variables, "SCALR_AGENT_OTLP_ENDPOINT"), port=_OTLP_PORT)
    if collector and not collector.is_in_pod:
        yield _reached(collector, "OpenTelemetry collector", agent)  # gRPC reads the variables of proxies in lower case only
    if pods.metadata_service:
        for network, ports in _METADATA[agent.inputs.cloud]:
            yield Destination("cidr", network, ports, "metadata service")


def _scalr(url: Address | None) -> Iterator[Address]:
    """Scalr and its relay. An agent without a URL takes it from its token."""
    everyone = f"*.{SCALR}"
    if url is None or url.host.endswith(f".{SCALR}"):
        yield Address(everyone, HTTPS)
    if url and not (matches(everyone, url.host) and url.port == HTTPS):
        yield url
    if url and not network_of(url.host):
        yield url._replace(host=f"relay.{url.host}")


def _downloads(pods: Pods) -> Iterator[tuple[Address, str]]:
    yield from ((Address(host, HTTPS), why) for host, why in pods.downloads)
    yield from ((found, "provider mirror") for found in map(address, pods.mirrors) if found)


def _reached(target: Address, why: str, agent: AnyAgent, through: str = "", at: Path = ()) -> Destination:
    """A host, the network of an IP address, or the namespace of a Service."""
    host, ports = target.host, (target.port,)
    if network := network_of(host):
        return Destination("cidr", network, ports, why, through, at)
    namespace = "" if through else _namespace_of(host, agent)
    return Destination("namespace" if namespace else "host", namespace or host, ports, why, through, at)


def _namespace_of(host: str, agent: AnyAgent) -> str:
    """The namespace of a Service; empty for any other host. A name without a dot is a Service beside the pods."""
    if "." not in host:
        return agent.release.namespace
    domain = next((domain for domain in _CLUSTER_DOMAINS if host.endswith(domain)), "")
    return host.removesuffix(domain).rpartition(".")[2] if domain else ""


def _entries(pods: Pods, agent: AnyAgent) -> Iterator[Destination]:
    """The user's entries. A host whose ports a proxy carries for all containers needs no access for these."""
    every = [Proxies.of(variables) for variables in pods.containers]
    for index, entry in enumerate(agent.inputs.egress.only if agent.inputs.egress else ()):
        at, why = (*ENTRIES, index), "egress.only"
        ports = tuple(dict.fromkeys(entry.ports))
        if entry.cidr:
            yield Destination("cidr", entry.cidr, ports, why, at=at)
        if entry.namespace:
            yield Destination("namespace", entry.namespace, ports, why, at=at)
        for port in ports if entry.host else ():
            target = Address(entry.host, port, "http" if port == _CARRIED[0] else "https")
            for proxies in every:
                yield _reached(target, why, agent, proxies.carrying(target) if port in _CARRIED else "", at)


def closed(pods: Pods) -> tuple[str, ...]:
    """The metadata services that some pods must not reach."""
    return () if pods.metadata_service else contract.METADATA
