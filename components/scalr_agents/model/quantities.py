"""Kubernetes quantities (`500m`, `1.5Gi`, `2`): parsing, comparison, the agent's sizes in megabytes, and what pods request in all."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

MEBIBYTE, GIBIBYTE = 2**20, 2**30
NOTHING = Decimal(0)
_QUANTITY = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(m|u|n|[kMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?")
_MEANT = r"(?i)\s*([0-9]+(?:\.[0-9]+)?)\s*(?!(?-i:m)\s*\Z)([KMGTPE])i?B?\s*"
"""Sizes in common notation, such as `6GB`."""
_LONGEST = 64
"""Maximum number of characters; quantities of Kubernetes fit into 64 bits."""
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_MEGABYTES = {"Gi": 1024, "Mi": 1, "G": 1000, "M": 1}
Spec = Mapping[str, Any]
"""The spec of a pod, or of one of its containers."""
Resources = Mapping[str, Decimal]
"""Amounts by name of the resource: cores, bytes, numbers of pods."""


def parse(quantity: str | float) -> Decimal:
    """The number of a quantity, in units of its resource (bytes, cores).

    Raises `ValueError` for text that is not a quantity.
    """
    match = _match(quantity)
    if match is None:
        raise ValueError("not a quantity")
    number, suffix = Decimal(match[1]), match[2] or ""
    if suffix in _BINARY:
        return number * Decimal(1024) ** _BINARY[suffix]
    exponent = int(suffix[1:]) if suffix[:1] in ("e", "E") and len(suffix) > 1 else _DECIMAL.get(suffix, 0)
    return number.scaleb(exponent)


def is_quantity(text: object) -> bool:
    return not isinstance(text, bool) and isinstance(text, str | int | float) and _match(text) is not None


def _match(quantity: str | float) -> re.Match[str] | None:
    if isinstance(quantity, int) and abs(quantity) >= 10**_LONGEST:  # Python refuses to format numbers with thousands of digits
        return None
    text = str(quantity)
    return _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None


def refusal(given: object) -> str:
    """The message on an invalid quantity, with what to write instead."""
    meant = re.fullmatch(_MEANT, given) if isinstance(given, str) and len(given) <= _LONGEST else None
    if meant is None:
        return "not a Kubernetes quantity, for instance 500m, 512Mi or 40Gi"
    number, suffix = meant[1], meant[2].upper()
    return f"not a Kubernetes quantity; write {number}{'k' if suffix == 'K' else suffix} or {number}{suffix}i"


def megabytes(quantity: str, example: str = "40Gi") -> int:
    """A size as the agent's `*_SIZE_LIMIT_MB` variables expect it: `40Gi` is 40960, `20G` is 20000, `1.5Gi` is 1536.

    Raises `ValueError` for a suffix other than Gi, Mi, G and M; its text has the example.
    """
    match = _match(quantity)
    if match is None or match[2] not in _MEGABYTES:
        raise ValueError(f"unsupported size {quantity!r}; use Gi, Mi, G or M, for instance {example}")
    size = int(Decimal(match[1]) * _MEGABYTES[match[2]])
    if size <= 0:
        raise ValueError(f"{quantity!r} is too small; give at least 1Mi")
    return size


def amounts(given: Mapping[str, Any] | None) -> dict[str, Decimal]:
    """Quantities as numbers. What is no quantity is left out: the API server refuses it."""
    return {name: parse(value) for name, value in (given or {}).items() if is_quantity(value)}


def added(many: Iterable[Resources]) -> dict[str, Decimal]:
    total: dict[str, Decimal] = {}
    for each in many:
        for name, amount in each.items():
            total[name] = total.get(name, NOTHING) + amount
    return total


def largest(*many: Resources) -> dict[str, Decimal]:
    """The largest amount of each resource."""
    return {name: max(each.get(name, NOTHING) for each in many) for name in {name for each in many for name in each}}


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
        return f"{(amount / MEBIBYTE).quantize(Decimal(1)):f}Mi"
    return f"{amount.normalize():f}"
