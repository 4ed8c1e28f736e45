"""Which nodes a pod may run on, and how many of them have room, as Kubernetes' scheduler decides it for what our pods use."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from scalr_agents.doctor.facts import Node
from scalr_agents.model.quantities import NOTHING
from scalr_agents.model.requests import Resources, Spec

_UNSCHEDULABLE = ("NoSchedule", "NoExecute")


def is_selected(node: Node, spec: Spec) -> bool:
    """Whether a node has the labels that a pod asks for."""
    selector = spec.get("nodeSelector") or {}
    if any(node.labels.get(key) != value for key, value in selector.items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(_fits_term(node, term) for term in required.get("nodeSelectorTerms", ()))


def _fits_term(node: Node, term: Spec) -> bool:
    labels, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not labels and not fields:
        return False
    return all(_fits(node.labels, each) for each in labels) and all(_fits({"metadata.name": node.name}, each) for each in fields)


def _fits(labels: Mapping[str, str], expression: Spec) -> bool:
    has, values = labels.get(expression["key"]), expression.get("values") or []
    match expression["operator"]:
        case "In":
            return has in values
        case "NotIn":
            return has not in values
        case "Exists":
            return has is not None
        case "DoesNotExist":
            return has is None
        case "Gt" | "Lt" as operator:
            return _compares(has, values, operator)
    return False


def _compares(has: str | None, values: Sequence[str], operator: str) -> bool:
    try:
        number, limit = int(has or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > limit if operator == "Gt" else number < limit


def in_the_way(node: Node, spec: Spec) -> list[Mapping[str, Any]]:
    """The taints that keep a pod from a node."""
    tolerations = spec.get("tolerations") or ()
    hard = [taint for taint in node.taints if taint.get("effect") in _UNSCHEDULABLE]
    return [taint for taint in hard if not any(_tolerates(each, taint) for each in tolerations)]


def _tolerates(toleration: Spec, taint: Mapping[str, Any]) -> bool:
    effect, key = toleration.get("effect"), toleration.get("key")
    if effect and effect != taint.get("effect"):
        return False
    if key and key != taint.get("key"):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")


def open_to(nodes: Iterable[Node], spec: Spec) -> list[Node]:
    """The nodes that a pod may run on, whether they have room or not."""
    return [node for node in nodes if is_selected(node, spec) and not in_the_way(node, spec)]


def room(node: Node, needed: Resources, *, when_empty: bool = False) -> int:
    """How many pods with these requests fit on a node beside those that run there, or, `when_empty`, on the empty node."""
    needed = {**needed, "pods": Decimal(1)}
    used = {} if when_empty else node.requested
    free = {name: node.allocatable.get(name, NOTHING) - used.get(name, NOTHING) for name in needed}
    return max(0, min(int(free[name] / amount) for name, amount in needed.items() if amount > 0))
