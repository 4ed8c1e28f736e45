"""Inputs of an agent in addition to the chart's values, also the settings `network` and `scaling`, as programs write them.

Stack files have the same keys in camelCase.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from scalr_agents.model.fields import Cloud, Prepare
from scalr_agents.model.forms import integral, is_dns_label, is_subdomain, refuse
from scalr_agents.model.maps import Deferred, Placeholder
from scalr_agents.model.section import Section, Spelling, in_programs
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


Agents = Annotated[int, Field(ge=1, le=1000), Prepare(integral)]


class Scaling(Section):
    """A number of agents that follows their load (Kubernetes HorizontalPodAutoscaler)."""

    min: Agents = 1
    """Agents that always run, at least 1: without an agent there is no CPU use to scale on."""
    max: Agents
    """Agents that run at most, and so concurrent runs."""
    cpu: Annotated[int, Field(ge=1, le=100), Prepare(integral)] = 50
    """Average CPU utilization of the agents, in percent of their CPU requests. Above it agents are added, below it they are removed."""


@dataclass(frozen=True)
class ClusterValue(Placeholder):
    """A value that only the cluster knows. A deferred value."""

    place: str

    def __str__(self) -> str:
        return f"<cluster {self.place}>"


@dataclass(frozen=True)
class Inputs:
    """Settings that no chart has. Each may be known only during deployment."""

    agent_image: str | Deferred | None = None
    """Complete reference of the agent's image, optionally with a digest. Default: composed from `agent.image`."""
    runner_image: str | Deferred | None = None
    """Complete reference of the runner's image, optionally with a digest. Default: composed from `task.runner.image`."""
    secret_env: Mapping[str, str | Deferred] = field(default_factory=dict)
    """Environment variables that become a Secret. All containers get them, except that the runner gets no `SCALR_*` variables."""
    mirror_tokens: Mapping[str, str | Deferred] = field(default_factory=dict)
    """Tokens of provider network mirrors by host, `host` or `host:port`."""
    network_mirrors: str | Deferred | None = None
    """JSON list of the mirrors with these tokens, as the agent reads it. Default: composed if all tokens are known."""
    token_needed: bool = True
    """Whether the token is required; not for permissions and network policy alone."""
    rollout_timeout_seconds: int | None = None
    """Seconds after which a rollout counts as failed. Default: rollouts are not waited for."""
    network: Network | None = None
    """What the pods may connect to. Default: what the chart's values say."""
    api_server: Sequence[str] | Deferred = ClusterValue("addresses of the API server")
    """Networks of the cluster's API server, or the rule of a NetworkPolicy that allows it. Default: looked up during deployment."""
    cloud: Cloud | None = None
    """The cloud whose metadata service the pods use. Default: not known."""
    disk: bool = False
    """Whether pods request and limit what they write to the disk of their node. Default: as in the charts, which do neither."""
    pre_pull: bool = False
    """Whether nodes get the images of tasks before a task needs them. Default: with the first task."""
    scaling: Scaling | None = None
    """How the number of agents follows their load. Default: it is the one of the values."""
    spelling: Spelling = in_programs
    """How the user writes the keys of these settings, for findings."""

    @property
    def egress(self) -> Egress | None:
        """The restriction of what the pods connect to, if there is one."""
        return self.network.egress if self.network else None
