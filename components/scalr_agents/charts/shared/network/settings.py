"""The setting `network` of an agent, as programs write it. Stack files have the same keys in camelCase."""

import re
from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from scalr_agents.model.forms import integral, is_dns_label, is_subdomain, refuse
from scalr_agents.model.section import Section
from scalr_agents.model.texts import COMPLETE

EnforcedBy = Literal["kubernetes", "cilium", "gke"]
Ingress = Literal["deny"]

HTTPS = 443
_ALL_SUBDOMAINS = "*."
_IPV4 = 4


def _host(value: str) -> str:
    name = value.removeprefix(_ALL_SUBDOMAINS)
    if value and (not is_subdomain(name) or re.fullmatch(r"[\d.]+", name)):
        refuse(
            "host", "not a host name, for instance github.acme.internal or *.acme.internal: no scheme, port or path; for addresses use cidr"
        )
    return value


def _cidr(value: str) -> str:
    try:
        network = ip_network(value.replace("%", "?"), strict=False)  # it knows zones, which networks have not
    except ValueError:
        refuse("cidr", "not a network in CIDR notation, for instance 10.20.0.0/16")
    if "/" not in value:
        example = "10.20.0.0/16" if network.version == _IPV4 else "fd00:20::/32"
        refuse(COMPLETE, f"a single address, which is written {network}; a network has a prefix length, for instance {example}")
    if str(network) != value:
        refuse(COMPLETE, f"not the canonical form of a network; write {network}")
    return value


def _optional_cidr(value: str) -> str:
    return _cidr(value) if value else ""


def _namespace(value: str) -> str:
    if value and not is_dns_label(value):
        refuse("namespace", "not a valid namespace: use at most 63 lower case letters, digits and '-'")
    return value


Cidr = Annotated[str, AfterValidator(_cidr)]
"""A network in CIDR notation, IPv4 or IPv6."""
Port = Annotated[int, Field(ge=1, le=65535), BeforeValidator(integral)]


class EgressEntry(Section):
    """A destination that an agent may connect to. Set exactly one of `host`, `cidr` and `namespace`."""

    host: Annotated[str, AfterValidator(_host)] = ""
    """A host name. A leading `*.` matches exactly one label. `enforcedBy: kubernetes` supports names only behind a proxy."""
    cidr: Annotated[str, AfterValidator(_optional_cidr)] = ""
    """A network outside of the cluster, IPv4 or IPv6."""
    namespace: Annotated[str, AfterValidator(_namespace)] = ""
    """A namespace of the cluster: all of its pods."""
    ports: Annotated[list[Port], Field(min_length=1)] = [HTTPS]
    """TCP ports; for a namespace, those of its pods, not of its Services."""


class Egress(Section):
    """The connections that agents and runs may open. What the settings imply is always allowed: docs/network.md lists it."""

    only: list[EgressEntry] = []
    """Further destinations. Everything else is refused."""
    enforced_by: EnforcedBy = "kubernetes"
    """What enforces it: `kubernetes` (NetworkPolicy, without names), `cilium` (CiliumNetworkPolicy) or `gke` (FQDNNetworkPolicy)."""


class Network(Section):
    """What connects to agents and runs, and what these connect to."""

    ingress: Ingress | None = None
    """`deny` refuses all connections to the agent's pods. Agents accept none. Default: this is left to other policies."""
    egress: Egress | None = None
    """Restricts the connections that the agent's pods open. Default: only the metadata service is closed, as the agent's values say."""
