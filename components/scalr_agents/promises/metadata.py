"""Metadata services of clouds, which give runs the credentials of their node.

A policy sees the NetworkPolicies and CiliumNetworkPolicies of a stack, not others of the cluster, nor whether the cluster enforces them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

from scalr_agents.charts.shared.contract import METADATA_SERVICES
from scalr_agents.machines.units import CLOSED_METADATA
from scalr_agents.model.forms import is_deferred
from scalr_agents.model.merge import lookup
from scalr_agents.promises.resources import Resource, Violation, items, violation

_DNS = 53
_TASKS = ("AgentTask", "AgentTaskTemplate")
_ADVICE = {
    "agent-job": "Remove task.allowMetadataService: true, or list the namespace in exceptNamespaces",
    "agent-local": "Set allowMetadataService: false, or list the namespace in exceptNamespaces",
    "agent-k8s": "Set restrictMetadataService: true, or list the namespace in exceptNamespaces",
}


def of_agent_job(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    """Pods of runs. Controllers execute no code of runs."""
    yield from _open(resources, excepted, lambda resource: resource.kind == "agent-job" and resource.what in _TASKS)


def of_others(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    yield from _open(resources, excepted, lambda resource: resource.kind in ("agent-local", "agent-k8s"))


def of_machines(resources: Sequence[Resource], _excepted: Sequence[str]) -> Iterator[Violation]:
    """Machines whose containers reach the metadata service: on AWS by the number of hops, on Google Cloud by a rule of Docker's chain."""
    for resource in resources:
        if not resource.component:
            continue
        if resource.type == "aws:ec2/launchTemplate:LaunchTemplate":
            given = resource.inputs.get("metadataOptions")
            if lookup(given, "httpTokens") != "required" or lookup(given, "httpPutResponseHopLimit") != 1:
                problem = "containers reach the metadata service: it must require tokens and answer over one hop only"
                yield violation(resource, problem, "Remove allowMetadataService: true, and transformations of metadataOptions")
        elif resource.type == "gcp:compute/instanceTemplate:InstanceTemplate":
            text = lookup(resource.inputs, "metadata", "user-data")
            if isinstance(text, str) and CLOSED_METADATA not in text:
                problem = "containers reach the metadata service: the user data has no rule that blocks it"
                yield violation(resource, problem, "Remove allowMetadataService: true, and transformations of the user data")


def _open(resources: Sequence[Resource], excepted: Sequence[str], runs: Callable[[Resource], bool]) -> Iterator[Violation]:
    for resource in filter(runs, resources):
        for pod in resource.pods() if resource.namespace not in excepted else ():
            policies = [each for each in resources if each.namespace == resource.namespace and _selects(each, pod.labels)]
            found = sorted(service for service in METADATA_SERVICES if not _is_closed(service, policies))
            if found:
                problem = f"no NetworkPolicy closes {_listed(found)} to its pods"
                yield violation(resource, problem, _ADVICE[resource.kind])


def _listed(services: Sequence[str]) -> str:
    return "the metadata services" if len(services) == len(METADATA_SERVICES) else f"the metadata services {', '.join(services)}"


def _selects(policy: Resource, labels: Mapping[str, Any]) -> bool:
    """Whether a policy selects pods. Selectors with expressions are not evaluated: the components use none."""
    key = {"NetworkPolicy": "podSelector", "CiliumNetworkPolicy": "endpointSelector"}.get(policy.what)
    selector = lookup(policy.inputs, "spec", key) if key else None
    if not isinstance(selector, Mapping) or selector.get("matchExpressions"):
        return False
    return all(labels.get(name) == value for name, value in (selector.get("matchLabels") or {}).items())


def _is_closed(service: str, policies: Sequence[Resource]) -> bool:
    """Cilium's denials beat all else. NetworkPolicies add up: one must restrict egress, and none may allow the service."""
    specs = [lookup(each.inputs, "spec") for each in policies]
    denials = [peer for spec in specs for rule in items(lookup(spec, "egressDeny")) for peer in items(lookup(rule, "toCIDRSet"))]
    if any(_contains(peer, service) for peer in denials):
        return True
    restricting = [spec for spec in specs if "Egress" in items(lookup(spec, "policyTypes"))]
    return bool(restricting) and not any(_allows(rule, service) for spec in restricting for rule in items(lookup(spec, "egress")))


def _allows(rule: Any, service: str) -> bool:
    if is_deferred(rule):
        return False
    ports, peers = items(lookup(rule, "ports")), lookup(rule, "to")
    if ports and all(lookup(port, "port") == _DNS and not lookup(port, "endPort") for port in ports):
        return False
    return not peers or any(_contains(lookup(peer, "ipBlock"), service) for peer in items(peers))


def _contains(block: Any, service: str) -> bool:
    """Whether a network, without its exceptions, contains an address."""
    whole, *exceptions = (lookup(block, "cidr"), *items(lookup(block, "except")))
    return _holds(whole, service) and not any(_holds(each, service) for each in exceptions)


def _holds(network: Any, service: str) -> bool:
    try:
        return isinstance(network, str) and ip_address(service) in ip_network(network, strict=False)
    except ValueError:  # the API server refuses it
        return False
