"""Rules on where pods run: tolerations, affinity, topology spread constraints."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scalr_agents.model.forms import NO_LABEL_VALUE, is_label_key, is_label_value
from scalr_agents.model.kubernetes_rules.parts import Fields, Problems, items, known, number, within
from scalr_agents.model.maps import is_deferred

_HEAVIEST = 100
_NO_KEY = "not a valid label key: use [prefix/]name, with a name of at most 63 letters, digits, '-', '_' and '.'"


def _toleration(given: Fields) -> Problems:
    if any(map(is_deferred, given.values())):
        return
    key, operator, value = (given.get(field) or "" for field in ("key", "operator", "value"))
    if not key and operator != "Exists":
        yield ("key",), "missing; set it, or set operator: Exists to tolerate every taint"
    elif key and not is_label_key(key):
        yield ("key",), "not the key of a taint, for instance pool or acme.example/pool"
    if operator == "Exists" and value:
        yield ("value",), "not allowed with operator: Exists, which tolerates every value; remove one of them"
    elif operator in ("", "Equal") and not is_label_value(value):
        yield ("value",), "not the value of a taint: use at most 63 letters, digits, '-', '_' and '.'"
    if given.get("tolerationSeconds") is not None and given.get("effect") != "NoExecute":
        yield ("tolerationSeconds",), "requires effect: NoExecute; pods that run are not evicted for other effects"


def _node_selector(given: Fields) -> Problems:
    if known(given, "nodeSelectorTerms") == []:
        yield ("nodeSelectorTerms",), "empty; add a term, or remove the node affinity"


def _expressions(given: Fields) -> Problems:
    """Requirements on labels. Those on fields (`matchFields`) have other keys and values."""
    for index, each in enumerate(items(given, "matchExpressions")):
        if not is_deferred(each):
            yield from ((("matchExpressions", index, *place), message) for place, message in _requirement(each))


def _requirement(given: Fields) -> Problems:
    key, operator, values = known(given, "key"), known(given, "operator"), items(given, "values")
    if key is not None and not is_label_key(key):
        yield ("key",), _NO_KEY
    if is_deferred(given.get("values")):
        return
    if operator in ("In", "NotIn") and not values:
        yield ("values",), f"missing; operator {operator} requires at least one value"
    elif operator in ("Exists", "DoesNotExist") and values:
        yield ("values",), f"not allowed with operator: {operator}; remove them, or set operator: In"
    elif operator in ("Gt", "Lt") and len(values) != 1:
        yield ("values",), f"operator {operator} requires exactly one value"
    elif operator in ("In", "NotIn"):
        for index, value in enumerate(values):
            if isinstance(value, str) and not is_label_value(value):
                yield ("values", index), NO_LABEL_VALUE


def _label_selector(given: Fields) -> Problems:
    for key, value in (known(given, "matchLabels") or {}).items():
        if not is_label_key(str(key)):
            yield ("matchLabels", str(key)), _NO_KEY
        elif isinstance(value, str) and not is_label_value(value):
            yield ("matchLabels", str(key)), NO_LABEL_VALUE
    yield from _expressions(given)


def _weight(given: Fields) -> Problems:
    yield from within(given, "weight", 1, _HEAVIEST)


def _pod_affinity_term(given: Fields) -> Problems:
    topology = known(given, "topologyKey")
    if topology is not None and not is_label_key(topology):
        yield ("topologyKey",), "not the key of a node's label, for instance kubernetes.io/hostname or topology.kubernetes.io/zone"


def _spread(given: Fields) -> Problems:
    for field in ("maxSkew", "minDomains"):
        value = number(given, field)
        if value is not None and value < 1:
            yield (field,), f"given {value}; allowed: 1 or more"
    if known(given, "topologyKey") == "":
        yield ("topologyKey",), "empty; set the key of a node's label, for instance topology.kubernetes.io/zone"
    if given.get("minDomains") is not None and known(given, "whenUnsatisfiable") == "ScheduleAnyway":
        yield ("minDomains",), "requires whenUnsatisfiable: DoNotSchedule; set that, or remove minDomains"


def _spreads(given: Sequence[Fields]) -> Problems:
    seen: dict[tuple[Any, Any], int] = {}
    for index, each in enumerate(given):
        if is_deferred(each):
            continue
        topology, action = (known(each, field) for field in ("topologyKey", "whenUnsatisfiable"))
        first = seen.setdefault((topology, action), index)
        if first != index and topology and action:
            yield (index, "topologyKey"), f"{topology} with {action} is already used by item {first}; Kubernetes allows it once"


RULES: Mapping[str, Callable[[Any], Problems]] = {
    "Toleration": _toleration,
    "NodeSelector": _node_selector,
    "NodeSelectorTerm": _expressions,
    "LabelSelector": _label_selector,
    "PreferredSchedulingTerm": _weight,
    "WeightedPodAffinityTerm": _weight,
    "PodAffinityTerm": _pod_affinity_term,
    "TopologySpreadConstraint": _spread,
    "[]TopologySpreadConstraint": _spreads,
}
