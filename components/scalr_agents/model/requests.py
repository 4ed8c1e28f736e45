"""What pods request of a cluster: the sums that Kubernetes makes of their containers' resources."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from scalr_agents.model import quantities

Spec = Mapping[str, Any]
"""The spec of a pod, or of one of its containers."""
Resources = Mapping[str, Decimal]
"""Amounts by name of the resource: cores, bytes, numbers of pods."""


def amounts(given: Mapping[str, Any] | None) -> dict[str, Decimal]:
    """Quantities as numbers. What is no quantity is left out: the API server refuses it."""
    return {name: quantities.parse(value) for name, value in (given or {}).items() if quantities.is_quantity(value)}


def added(many: Iterable[Resources]) -> dict[str, Decimal]:
    total: dict[str, Decimal] = {}
    for each in many:
        for name, amount in each.items():
            total[name] = total.get(name, quantities.NOTHING) + amount
    return total


def largest(*many: Resources) -> dict[str, Decimal]:
    """The largest amount of each resource."""
    return {name: max(each.get(name, quantities.NOTHING) for each in many) for name in {name for each in many for name in each}}


def of_container(container: Spec) -> dict[str, Decimal]:
    """What a container requests. A request that is not set equals the limit."""
    resources = container.get("resources") or {}
    return amounts(resources.get("limits")) | amounts(resources.get("requests"))


def of_pod(spec: Spec) -> dict[str, Decimal]:
    """What a pod requests as a whole: its containers together, or one of those that run before them if that needs more.

    Init containers that stay (`restartPolicy: Always`) count with the containers.
    """
    total = added(of_container(container) for container in spec.get("containers", ()))
    before: dict[str, Decimal] = {}
    staying: dict[str, Decimal] = {}
    for container in spec.get("initContainers", ()):
        own = of_container(container)
        if container.get("restartPolicy") == "Always":
            staying = added([staying, own])
            before = largest(before, staying)
        else:
            before = largest(before, added([staying, own]))
    return added([largest(added([total, staying]), before), amounts(spec.get("overhead"))])


def shown(name: str, amount: Decimal) -> str:
    """An amount as people write it: 500m, 1536Mi."""
    if "cpu" in name:
        return f"{amount.normalize():f}" if amount == amount.to_integral_value() else f"{(amount * 1000).normalize():f}m"
    if "memory" in name or "storage" in name:
        return f"{(amount / quantities.MEBIBYTE).quantize(Decimal(1)):f}Mi"
    return f"{amount.normalize():f}"
