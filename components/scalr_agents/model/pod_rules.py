"""Rules on single Kubernetes types that compare several fields, or look into lists and maps. `kubernetes_rules` says which are whose."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from scalr_agents.model import quantities
from scalr_agents.model.findings import Path, nearest
from scalr_agents.model.forms import ESCALATING, NO_LABEL_VALUE, integral, is_label_key, is_label_value
from scalr_agents.model.maps import is_deferred, is_set, lookup

Problems = Iterator[tuple[Path, str]]
Fields = Mapping[str, Any]

HUGE_PAGES = "hugepages-"
"""Prefix of the resources of huge pages."""
LAST_ID = 2**31 - 1
PORT_NAME = re.compile(r"(?=.{1,15}\Z)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
NO_PORT_NAME = "not a valid name of a port: use at most 15 lower case letters, digits and '-', with at least one letter"
NO_SIZE = "not a size greater than zero, for instance 512Mi or 40Gi"
_NO_KEY = "not a valid label key: use [prefix/]name, with a name of at most 63 letters, digits, '-', '_' and '.'"
_MOST_CPUS = 10_000
_SMALLEST_MEMORY = 1024 * 1024
_ENTRY = re.compile(r"metadata\.(labels|annotations)\['[^']+'\]")
_OF_POD = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['<key>']", "metadata.annotations['<key>']"),
    *("spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)


def known(given: Fields, field: str) -> Any:
    """The value of a field; `None` if it is not set, or known only during deployment."""
    value = given.get(field)
    return None if is_deferred(value) else value


def toleration(given: Fields) -> Problems:
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


def expressions(given: Fields) -> Problems:
    """Requirements on labels. Those on fields (`matchFields`) have other keys and values."""
    for index, each in enumerate(known(given, "matchExpressions") or ()):
        if not is_deferred(each):
            yield from ((("matchExpressions", index, *place), message) for place, message in _requirement(each))


def _requirement(given: Fields) -> Problems:
    key, operator, values = known(given, "key"), known(given, "operator"), known(given, "values") or ()
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


def labels(given: Fields) -> Problems:
    for key, value in (known(given, "matchLabels") or {}).items():
        if not is_label_key(str(key)):
            yield ("matchLabels", str(key)), _NO_KEY
        elif isinstance(value, str) and not is_label_value(value):
            yield ("matchLabels", str(key)), NO_LABEL_VALUE


def domains(given: Fields) -> Problems:
    if given.get("minDomains") is not None and known(given, "whenUnsatisfiable") == "ScheduleAnyway":
        yield ("minDomains",), "requires whenUnsatisfiable: DoNotSchedule; set that, or remove minDomains"


def variable(given: Fields) -> Problems:
    name = known(given, "name")
    if name is not None and ("=" in name or not name or not (name.isascii() and name.isprintable())):
        yield ("name",), "not a valid name of an environment variable"
    if given.get("valueFrom") is not None and known(given, "value"):
        yield ("valueFrom",), "not allowed together with value; remove one of them"


def field_of_pod(given: Fields) -> Problems:
    field = known(known(given, "fieldRef") or {}, "fieldPath")
    if field is not None and field not in _OF_POD and not _ENTRY.fullmatch(field):
        yield ("fieldRef", "fieldPath"), f"not a field that a variable can have; {nearest(field, _OF_POD)}"


def probes(given: Fields) -> Problems:
    for probe in ("livenessProbe", "startupProbe"):
        threshold = integral(known(known(given, probe) or {}, "successThreshold"))
        if isinstance(threshold, int) and threshold > 1:
            yield (probe, "successThreshold"), f"given {threshold}; allowed: 1"
    if (known(given, "readinessProbe") or {}).get("terminationGracePeriodSeconds") is not None:
        yield ("readinessProbe", "terminationGracePeriodSeconds"), "not allowed: a container is not stopped when it is not ready"


def connection(given: Fields) -> Problems:
    """The port of a handler: its number, or the name of a port of the container."""
    port = integral(known(given, "port"))
    if isinstance(port, str) and port.isdigit():
        yield ("port",), "a number in quotes, which Kubernetes reads as the name of a port; write it without quotes"
    elif isinstance(port, str) and not PORT_NAME.fullmatch(port):
        yield ("port",), NO_PORT_NAME


def resources(given: Fields) -> Problems:
    """Requests and limits: none may be negative, and no request above its limit. Only cpu, memory and storage can be overcommitted."""
    requests, limits = (quantities.amounts(known(given, kind)) for kind in ("requests", "limits"))
    for kind, amounts in (("requests", requests), ("limits", limits)):
        for resource, amount in amounts.items():
            if problem := _amount(resource, amount):
                yield (kind, resource), f"{given[kind][resource]} {problem}"
    for resource, amount in requests.items():
        text, limit = given["requests"][resource], lookup(given, "limits", resource)
        if not (_is_extended(resource) or resource.startswith(HUGE_PAGES)):
            if resource in limits and amount > limits[resource]:
                yield ("requests", resource), f"{text} is above the limit of {limit}"
        elif limit is None:
            yield ("requests", resource), f"requires the same amount in limits: {resource} cannot be overcommitted"
        elif resource in limits and amount != limits[resource]:
            yield ("requests", resource), f"{text} is not the limit of {limit}, but {resource} cannot be overcommitted"
    if 0 < limits.get("memory", 0) < _SMALLEST_MEMORY:
        hint = "without a unit it means bytes, and m means thousandths; write 512Mi"
        yield ("limits", "memory"), f"{given['limits']['memory']} is less than 1 MiB, too little to start a container; {hint}"


def _amount(resource: str, amount: Decimal) -> str:
    """What is wrong with an amount by itself."""
    if amount < 0:
        return "is negative"
    if resource == "cpu" and amount > _MOST_CPUS:
        return "is more CPUs than a node has; m means thousandths, write 500m"
    is_divided = _is_extended(resource) and amount != amount.to_integral_value()
    return f"is not a whole number, and {resource} cannot be divided" if is_divided else ""


def _is_extended(resource: str) -> bool:
    return "/" in resource and "kubernetes.io/" not in resource


def groups(given: Fields) -> Problems:
    for index, group in enumerate(map(integral, known(given, "supplementalGroups") or ())):
        if isinstance(group, int) and not 0 <= group <= LAST_ID:
            yield ("supplementalGroups", index), f"given {group}; allowed: 0 to {LAST_ID}"


def escalation(given: Fields) -> Problems:
    added = lookup(given, "capabilities", "add")
    escalates = given.get("privileged") is True or (isinstance(added, list) and ESCALATING in added)
    if escalates and given.get("allowPrivilegeEscalation") is False:
        yield ("allowPrivilegeEscalation",), f"Kubernetes rejects false together with privileged: true or {ESCALATING}; set it to true"


def profile(given: Fields) -> Problems:
    """A profile of seccomp or AppArmor: only one of the type Localhost has a name."""
    kind, local = known(given, "type"), is_set(given.get("localhostProfile"))
    if kind == "Localhost" and not local:
        yield ("localhostProfile",), "missing; type: Localhost requires the name of a profile on the nodes"
    elif kind not in (None, "Localhost") and local:
        yield ("localhostProfile",), f"not allowed with type: {kind}; remove it, or set type: Localhost"


def sub_paths(given: Fields) -> Problems:
    if is_set(given.get("subPath")) and is_set(given.get("subPathExpr")):
        yield ("subPathExpr",), "not allowed together with subPath; remove one of them"


def claim_template(given: Fields) -> Problems:
    if given.get("volumeClaimTemplate") is None:
        yield ("volumeClaimTemplate",), "missing; set the claim that is created with the pod"


def claimed_size(given: Fields) -> Problems:
    """The size of an ephemeral volume."""
    size = (known(known(given, "resources") or {}, "requests") or {}).get("storage")
    if size is None:
        yield ("resources", "requests", "storage"), "missing; set the size of the volume"
    elif quantities.is_quantity(size) and quantities.parse(size) <= 0:
        yield ("resources", "requests", "storage"), NO_SIZE
