"""Addresses in the variables of a pod, and whether a proxy carries connections to them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from scalr_agents.charts.shared.environment import Env
from scalr_agents.model.forms import is_host
from scalr_agents.model.proxies import split
from scalr_agents.model.secret_patterns import REFERENCE

Variables = Mapping[str, str | None]
"""The variables of a pod by name; `None` for a value that is not known here."""

_PORTS = {"http": 80, "https": 443}
_LONGEST_VALUE, _MOST = 128 * 1024, 2 * 1024 * 1024
"""Bytes of a variable, and of all of them, that Linux gives to a program."""
_LOCAL = ("localhost", "127.0.0.1", "::1")


class Address(NamedTuple):
    """A host with a port. The scheme selects the proxy."""

    host: str
    port: int
    scheme: str = "https"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_in_pod(self) -> bool:
        """Whether it is another container of the pod. Then the pod's own connections are those that count."""
        return self.host in _LOCAL


def known(variables: Env) -> Variables:
    """The variables by name, with references to others expanded as Kubernetes does it."""
    plain: dict[str, str | None] = {}
    left = _MOST
    for variable in variables:
        value = variable.get("value")
        known_value = _expanded(value, plain, min(left, _LONGEST_VALUE)) if isinstance(value, str) else None
        plain[variable["name"]] = known_value
        left -= len(known_value or "")
    return plain


def _expanded(text: str, earlier: Variables, longest: int) -> str | None:
    """References to unknown variables stay. `None` for what becomes too long, with which no container starts."""
    parts, length = [], 0
    for index, part in enumerate(re.split(REFERENCE, text)):
        parts.append(part if index % 2 == 0 else earlier.get(part) or f"$({part})")
        length += len(parts[-1])
        if length > longest:
            return None
    return "".join(parts)


def address(url: str | None, *, port: int | None = None) -> Address | None:
    """The address of a URL, which may lack the scheme. `None` if the host is not known. `port` is the default instead of the scheme's."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}") if url else None
        host = (parts.hostname or "").removesuffix(".") if parts else ""
        if parts is None or not is_host(host):
            return None
        return Address(host, parts.port or port or _PORTS.get(parts.scheme, _PORTS["https"]), parts.scheme)
    except ValueError:  # the checks of the value report it
        return None


def network_of(host: str) -> str:
    """The network of an IP address alone; empty for a name."""
    try:
        return str(ip_network(ip_address(host)))
    except ValueError:
        return ""


def is_within(network: str, whole: str) -> bool:
    """Whether a network is another one or a part of it."""
    inner, outer = ip_network(network), ip_network(whole)
    if isinstance(inner, IPv4Network) and isinstance(outer, IPv4Network):
        return inner.subnet_of(outer)
    return isinstance(inner, IPv6Network) and isinstance(outer, IPv6Network) and inner.subnet_of(outer)


def matches(pattern: str, host: str) -> bool:
    """Whether a pattern stands for a host. `*.` at its start is exactly one label."""
    first, _, rest = host.partition(".")
    return pattern == host or (bool(first) and pattern == f"*.{rest}")


class Exceptions:
    """The entries of `NO_PROXY`: what is reached directly.

    Each is a domain with its subdomains, with or without a leading dot, a network, or `*`; on one port or on all. Programs disagree about
    the domain itself if there is a leading dot: then it must be reachable directly. A host is looked up by all that it could match, so
    that many entries take no longer than few.
    """

    def __init__(self, no_proxy: str) -> None:
        entries = [part.strip().lower() for part in no_proxy.split(",")]
        self._all = "*" in entries
        self._ports = defaultdict[str, set[str]](set)
        """The ports of each domain and network; the empty string for all."""
        self._lengths = set[str]()
        """The lengths of the networks' prefixes."""
        for entry in filter(None, entries):
            domain, port = split(entry)
            self._ports[domain].add(port)
            if network := _network(domain):
                self._ports[network].add(port)
                self._lengths.add(network.partition("/")[2])

    def __contains__(self, target: Address) -> bool:
        ports = {"", str(target.port)}
        return self._all or any(ports & self._ports.get(key, set()) for key in self._keys(target.host.removeprefix("*.")))

    def _keys(self, host: str) -> Iterator[str]:
        """The domains and networks that a host is in."""
        labels = host.split(".")
        yield from (".".join(labels[start:]) for start in range(len(labels)))
        if network_of(host):
            yield from filter(None, (_network(f"{host}/{length}") for length in self._lengths))


def _network(text: str) -> str:
    """A network in its canonical form; empty for another text, and for a prefix that is too long."""
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        return ""


class Proxies(NamedTuple):
    """The proxies of a pod."""

    http: Address | None
    https: Address | None
    unknown: bool
    """Whether there is a proxy whose address is not known."""
    exceptions: Exceptions

    @classmethod
    def of(cls, variables: Variables) -> "Proxies":
        given = {scheme: variable(variables, f"{scheme}_PROXY") for scheme in ("HTTP", "HTTPS")}
        found = {scheme: address(url) for scheme, url in given.items() if url != ""}
        found = {scheme: proxy for scheme, proxy in found.items() if proxy is None or not proxy.is_in_pod}
        exceptions = Exceptions(variable(variables, "NO_PROXY") or "")
        return cls(found.get("HTTP"), found.get("HTTPS"), None in found.values(), exceptions)

    def all(self) -> Iterator[Address]:
        yield from dict.fromkeys(proxy for proxy in (self.https, self.http) if proxy)

    def carrying(self, target: Address) -> str:
        """The proxy that carries connections to an address, as `host:port`; empty if they are direct."""
        if target in self.exceptions:
            return ""
        proxy = self.http if target.scheme == "http" else self.https
        if proxy:
            return str(proxy)
        return "a proxy" if self.unknown else ""


def variable(variables: Variables, name: str) -> str | None:
    """A variable that programs also read in lower case. Empty if it is not set, `None` if it is not known."""
    return next((variables[spelling] for spelling in (name, name.lower()) if variables.get(spelling) != "" and spelling in variables), "")
