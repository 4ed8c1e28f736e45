"""Cross-checks of the setting `network`."""

from collections.abc import Sequence
from ipaddress import ip_network
from itertools import groupby

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent, Pods
from scalr_agents.charts.shared.inputs import Egress, EgressEntry
from scalr_agents.charts.shared.network import destinations
from scalr_agents.charts.shared.network.addresses import is_within, matches
from scalr_agents.charts.shared.network.destinations import ENTRIES, PUBLIC, SCALR, Destination
from scalr_agents.charts.shared.network.policies import MOST_CILIUM_PORTS
from scalr_agents.model.findings import Findings, Path, dotted, error, warning

_METADATA_NAMES = ("metadata.google.internal", "metadata.goog", "instance-data.ec2.internal")
_EGRESS: Path = ("network", "egress")
_CLOSED = (
    "among the addresses of metadata services, which give runs the credentials of their node; remove it, or open them to runs in the "
    "agent's values (task.allowMetadataService, allowMetadataService or restrictMetadataService)"
)
_OPENED = "among the addresses of metadata services, which the agent's values open to runs; remove it, since other pods do not need it"
_NOWHERE = {
    "localhost": "the pod itself, to which policies do not apply",
    **dict.fromkeys(("*.svc", "*.svc.cluster.local"), "not the name of a Service, for instance <service>.<namespace>.svc"),
}
"""Hosts that no policy can allow."""


def check(agent: AnyAgent) -> Findings:
    """All findings on the setting."""
    egress = agent.inputs.egress
    if egress is None:
        return
    every = agent.pods
    for index, entry in enumerate(egress.only):
        yield from _entry((*ENTRIES, index), entry, every, dns=egress.enforced_by != "cilium")
        if egress.enforced_by == "cilium" and not entry.host and len(set(entry.ports)) > MOST_CILIUM_PORTS:
            yield error((*ENTRIES, index, "ports"), f"a rule of Cilium has at most {MOST_CILIUM_PORTS} ports; split the entry")
    found = [(pods, destinations.of(pods, agent)) for pods in every]
    for pods, their_own in found:
        yield from _at_metadata_service(pods, their_own)
    if egress.enforced_by == "kubernetes":
        yield from _names(egress, agent.inputs.spelling("enforced_by"), [each for _, their_own in found for each in their_own])
    for name in dict.fromkeys(name for pods in every for name in destinations.unknown(pods, agent)):
        yield warning(
            _EGRESS,
            f"the host in variable {name} is not known here (a secret, or an output of another resource), so the policy does not allow it; "
            f"write the host in plain text, with only the password as $(NAME), or add the host to {dotted(ENTRIES)}",
        )


def _at_metadata_service(pods: Pods, found: Sequence[Destination]) -> Findings:
    """Errors on servers that the settings place at a metadata service: their port would be open there."""
    for each in found:
        if each.kind == "cidr" and _is_closed(each.name, each.ports) and not (each.at or each.through or pods.metadata_service):
            message = f"{each.why}: the address {each.name} is among those of metadata services, which are closed; correct the address"
            yield error(_EGRESS, message)


def _entry(at: Path, entry: EgressEntry, every: Sequence[Pods], *, dns: bool) -> Findings:
    given = [key for key in ("host", "cidr", "namespace") if getattr(entry, key)]
    if len(given) != 1:
        yield error(at, f"set exactly one of host, cidr and namespace; given {' and '.join(given) or 'none'}")
        return
    if any(not pods.metadata_service for pods in every) and _is_metadata_service(entry, dns=dns):
        yield error((*at, given[0]), _OPENED if any(pods.metadata_service for pods in every) else _CLOSED)
    if entry.host in _NOWHERE:
        yield error((*at, "host"), f"{_NOWHERE[entry.host]}; remove it, or use namespace for a Service of the cluster")
    for port in sorted(set(entry.ports) & set(contract.NFS_PORTS)):
        if any(not pods.nfs for pods in every):
            yield error((*at, "ports"), f"{port} is a port of NFS, which is closed to runs; remove it, or set task.allowNfs: true")


def _is_metadata_service(entry: EgressEntry, *, dns: bool) -> bool:
    """Whether an entry is the address or a name of a metadata service. From larger networks, the policies leave the addresses out.

    Without `dns`, as with Cilium's denial, no port of link-local addresses can be opened.
    """
    if entry.host:
        return any(matches(entry.host, name) for name in _METADATA_NAMES)
    return bool(entry.cidr) and _is_closed(entry.cidr, entry.ports if dns else ())


def _is_closed(network: str, ports: Sequence[int]) -> bool:
    """Whether a network is among the addresses of metadata services, and is neither a DNS nor EKS Pod Identity."""
    within = any(is_within(network, closed) for closed in contract.METADATA)
    return within and network != contract.POD_IDENTITY and set(ports) != {destinations.DNS_PORT}


def _names(egress: Egress, enforced_by: str, found: Sequence[Destination]) -> Findings:
    """Errors for names that pods must reach themselves: a NetworkPolicy has addresses only."""
    direct = [each for each in dict.fromkeys(found) if each.kind == "host" and not each.through]
    for each in {each.at: each for each in direct if each.at}.values():
        yield error(
            (*each.at, "host"),
            f"NetworkPolicy cannot match host names, and no proxy carries port {each.ports[0]} of this host; "
            f"use cidr, set a proxy, or set {enforced_by} to cilium or gke",
            [(*_EGRESS, enforced_by)],
        )
    needed = [each for each in direct if not each.at and not _is_covered(each, egress.only)]
    for ports, group in groupby(sorted(needed, key=lambda each: each.ports), key=lambda each: each.ports):
        hosts = ", ".join(f"{each.name} ({each.why})" for each in group)
        yield error(
            (*_EGRESS, enforced_by),
            f"NetworkPolicy cannot match host names, and the agent needs port {ports[0]} of {hosts}; add an entry to only that covers them "
            f"({{cidr: ..., ports: [{ports[0]}]}}), set a proxy, or set {enforced_by} to cilium or gke",
            [(*_EGRESS, enforced_by), ENTRIES],
        )


def _is_covered(needed: Destination, entries: Sequence[EgressEntry]) -> bool:
    """Whether an entry may stand for a name. Nobody here resolves names, but a public host has no address of a private network."""
    return any(set(needed.ports) <= set(entry.ports) and _may_contain(entry, needed.name) for entry in entries)


def _may_contain(entry: EgressEntry, host: str) -> bool:
    if entry.namespace:
        return not _is_public(host)
    return bool(entry.cidr) and not (_is_public(host) and ip_network(entry.cidr).is_private)


def _is_public(host: str) -> bool:
    return host.endswith(f".{SCALR}") or host in {name for name, _ in PUBLIC}
