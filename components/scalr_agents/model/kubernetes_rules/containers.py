"""Rules on containers: ports, probes, handlers, resources, pull secrets."""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from scalr_agents.model import quantities
from scalr_agents.model.forms import integral
from scalr_agents.model.kubernetes_rules.parts import Fields, Problems, known, not_negative, number, one_of, within
from scalr_agents.model.maps import is_deferred, is_set

HUGE_PAGES = "hugepages-"
"""Prefix of the resources of huge pages."""
_LAST_PORT = 65535
_PORT_NAME = re.compile(r"(?=.{1,15}\Z)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_NO_PORT_NAME = "not a valid name of a port: use at most 15 lower case letters, digits and '-', with at least one letter"
_MOST_CPUS = 10_000
_SMALLEST_MEMORY = 1024 * 1024
_HANDLERS = ("exec", "httpGet", "tcpSocket")


def _container(given: Fields) -> Problems:
    for probe in ("livenessProbe", "startupProbe"):
        threshold = number(known(given, probe) or {}, "successThreshold")
        if threshold is not None and threshold > 1:
            yield (probe, "successThreshold"), f"given {threshold}; allowed: 1"
    if (known(given, "readinessProbe") or {}).get("terminationGracePeriodSeconds") is not None:
        yield ("readinessProbe", "terminationGracePeriodSeconds"), "not allowed: a container is not stopped when it is not ready"


def _port(given: Fields) -> Problems:
    yield from within(given, "containerPort", 1, _LAST_PORT)
    yield from within(given, "hostPort", 0, _LAST_PORT)
    name = known(given, "name")
    if name and not _PORT_NAME.fullmatch(name):
        yield ("name",), _NO_PORT_NAME


def _ports(given: Sequence[Fields]) -> Problems:
    yield from _distinct(given, "port")


def _pull_secrets(given: Sequence[Fields]) -> Problems:
    yield from _distinct(given, "Secret")


def _distinct(given: Sequence[Fields], what: str) -> Problems:
    """Names of which each may be there once."""
    seen: dict[str, int] = {}
    for index, each in enumerate(given):
        name = None if is_deferred(each) else known(each, "name")
        if name and seen.setdefault(name, index) != index:
            yield (index, "name"), f"{what} {name!r} is already given as item {seen[name]}; remove one of them"


def _connection(given: Fields) -> Problems:
    """The port of a handler: its number, or the name of a port of the container."""
    port = integral(known(given, "port"))
    if isinstance(port, int):
        yield from within(given, "port", 1, _LAST_PORT)
    elif isinstance(port, str) and port.isdigit():
        yield ("port",), "a number in quotes, which Kubernetes reads as the name of a port; write it without quotes"
    elif isinstance(port, str) and not _PORT_NAME.fullmatch(port):
        yield ("port",), _NO_PORT_NAME


def _probe(given: Fields) -> Problems:
    yield from one_of(given, (*_HANDLERS, "grpc"))
    yield from not_negative(given, ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"))
    grace = number(given, "terminationGracePeriodSeconds")
    if grace is not None and grace < 1:
        yield ("terminationGracePeriodSeconds",), f"given {grace}; allowed: 1 or more"


def _handler(given: Fields) -> Problems:
    yield from one_of(given, (*_HANDLERS, "sleep"))


def _command(given: Fields) -> Problems:
    if not is_set(given.get("command")):
        yield ("command",), "missing; set the command and its arguments, as a list"


def _resources(given: Fields) -> Problems:
    """Requests and limits: none may be negative, and no request above its limit. Only cpu, memory and storage can be overcommitted."""
    requests, limits = (_amounts(given, kind) for kind in ("requests", "limits"))
    for kind, amounts in (("requests", requests), ("limits", limits)):
        for resource, amount in amounts.items():
            if quantities.parse(amount) < 0:
                yield (kind, resource), f"{amount} is negative"
            elif resource == "cpu" and quantities.parse(amount) > _MOST_CPUS:
                yield (kind, resource), f"{amount} is more CPUs than a node has; m means thousandths, write 500m"
            elif _is_extended(resource) and not _is_whole(quantities.parse(amount)):
                yield (kind, resource), f"{amount} is not a whole number, and {resource} cannot be divided"
    for resource, amount in requests.items():
        if not _is_overcommitted(resource):
            yield from _limit_needed(resource, amount, known(given, "limits") or {}, limits.get(resource))
        elif resource in limits and quantities.parse(amount) > quantities.parse(limits[resource]):
            yield ("requests", resource), f"{amount} is above the limit of {limits[resource]}"
    memory = limits.get("memory", 0)
    if 0 < quantities.parse(memory) < _SMALLEST_MEMORY:
        hint = "without a unit it means bytes, and m means thousandths; write 512Mi"
        yield ("limits", "memory"), f"{memory} is less than 1 MiB, too little to start a container; {hint}"


def _limit_needed(resource: str, amount: str | float, given: Fields, limit: str | float | None) -> Problems:
    if given.get(resource) is None:
        yield ("requests", resource), f"requires the same amount in limits: {resource} cannot be overcommitted"
    elif limit is not None and quantities.parse(amount) != quantities.parse(limit):
        yield ("requests", resource), f"{amount} is not the limit of {limit}, but {resource} cannot be overcommitted"


def _amounts(given: Fields, kind: str) -> Mapping[str, str | float]:
    """The known amounts of resources."""
    given_amounts = (known(given, kind) or {}).items()
    return {name: amount for name, amount in given_amounts if isinstance(name, str) and quantities.is_quantity(amount)}


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value()


def _is_extended(resource: str) -> bool:
    return "/" in resource and "kubernetes.io/" not in resource


def _is_overcommitted(resource: str) -> bool:
    return not (_is_extended(resource) or resource.startswith(HUGE_PAGES))


RULES: Mapping[str, Callable[[Any], Problems]] = {
    "Container": _container,
    "ContainerPort": _port,
    "[]ContainerPort": _ports,
    "ExecAction": _command,
    "GRPCAction": _connection,
    "HTTPGetAction": _connection,
    "TCPSocketAction": _connection,
    "LifecycleHandler": _handler,
    "Probe": _probe,
    "ResourceRequirements": _resources,
    "[]LocalObjectReference": _pull_secrets,
}
