"""What NetworkPolicies and CiliumNetworkPolicies together let pods reach.

Both kinds add up, as in Cilium: pods that one of them restricts reach what any of them allows, and nothing that one denies
(https://docs.cilium.io/en/stable/security/policy/deny/). What is not known yet closes everything and opens nothing, until it is known.
"""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple

from scalr_agents.model.forms import is_deferred, is_set
from scalr_agents.model.merge import lookup
from scalr_agents.promises.resources import Pod, Resource, items

_DNS = (53, "53")
_IPV4, _IPV6 = {"cidr": "0.0.0.0/0"}, {"cidr": "::/0"}
_ANYWHERE = (_IPV4, _IPV6)
_ENTITIES = {"all": _ANYWHERE, "world": _ANYWHERE, "world-ipv4": (_IPV4,), "world-ipv6": (_IPV6,)}
"""Cilium's names of networks outside of the cluster."""
_CILIUM_SOURCES = ("k8s:", "any:")
"""Where labels come from, which Cilium writes before their names."""
_NAMESPACE = "io.kubernetes.pod.namespace"
"""The label with a pod's namespace that Cilium adds."""


class Policy(NamedTuple):
    """A NetworkPolicy, or one of the rules of a CiliumNetworkPolicy."""

    source: Resource
    selector: Any
    restricts: bool
    """Whether pods reach only what is allowed."""
    allowed: Sequence[Any]
    """Networks that can be reached on other ports than that of DNS."""
    denied: Sequence[Any] = ()
    """Networks that can be reached on no port."""


def of_stack(resources: Sequence[Resource]) -> list[Policy]:
    return [policy for each in resources for policy in _policies(each)]


def opened(service: str, policies: Sequence[Policy], resource: Resource, pod: Pod) -> list[str] | None:
    """The policies through which pods of a resource reach an address, without names if nothing restricts the pods. None if it is closed."""
    closing = [each for each in policies if _selects(each, resource, pod, closes=True)]
    if any(_contains(each, service) for policy in closing for each in policy.denied):
        return None
    if not any(policy.restricts for policy in closing):
        return []
    opening = [each for each in policies if _selects(each, resource, pod, closes=False)]
    return [policy.source.title for policy in opening if any(_contains(each, service) for each in policy.allowed)] or None


def _policies(resource: Resource) -> Iterator[Policy]:
    spec = resource.inputs.get("spec")
    if resource.type == "kubernetes:networking.k8s.io/v1:NetworkPolicy":
        selector = lookup(spec, "podSelector")
        restricts = _restricts_egress(spec)
        networks = [each for rule in items(lookup(spec, "egress")) for each in _allowed(rule)] if restricts else []
        yield Policy(resource, spec if is_deferred(spec) else {} if selector is None else selector, restricts, networks)
    elif resource.type == "kubernetes:cilium.io/v2:CiliumNetworkPolicy":
        for rule in (spec, *items(resource.inputs.get("specs"))):
            yield _of_cilium(resource, rule)


def _of_cilium(resource: Resource, rule: Any) -> Policy:
    if is_deferred(rule):
        return Policy(resource, rule, restricts=True, allowed=(), denied=_ANYWHERE)
    egress, denials, default = lookup(rule, "egress"), lookup(rule, "egressDeny"), lookup(rule, "enableDefaultDeny", "egress")
    allowed = [each for given in items(egress) for each in _allowed_by_cilium(given)]
    denied = list(_ANYWHERE) if is_deferred(denials) else [each for given in items(denials) for each in _denied(given)]
    restricts = is_set(egress) or is_set(denials) if default is None else is_set(default)
    return Policy(resource, lookup(rule, "endpointSelector"), restricts, allowed, denied)


def _restricts_egress(spec: Any) -> bool:
    """As Kubernetes decides it: without types, a policy is one of egress if it has rules for it."""
    types = lookup(spec, "policyTypes")
    if any(map(is_deferred, (spec, types, *items(types)))):
        return True
    return "Egress" in items(types) if types else is_set(lookup(spec, "egress"))


def _allowed(rule: Any) -> Sequence[Any]:
    peers, ports = lookup(rule, "to"), lookup(rule, "ports")
    if any(map(is_deferred, (rule, peers))) or _is_dns(ports):
        return ()
    return [lookup(peer, "ipBlock") for peer in items(peers)] if peers else _ANYWHERE


def _allowed_by_cilium(rule: Any) -> Sequence[Any]:
    """A rule without peers allows its ports everywhere. One with neither peers nor ports allows nothing."""
    ports = lookup(rule, "toPorts")
    if is_deferred(ports) or (items(ports) and all(_is_dns(lookup(each, "ports")) for each in items(ports))):
        return ()
    if not any(key.startswith("to") and key != "toPorts" for key in rule) if isinstance(rule, Mapping) else True:
        return _ANYWHERE if ports else ()
    return [each for each in _networks(rule) if not is_deferred(each)]


def _denied(rule: Any) -> Sequence[Any]:
    """A denial of some ports leaves others open."""
    if any(is_set(lookup(rule, key)) and not is_deferred(lookup(rule, key)) for key in ("toPorts", "icmps")):
        return ()
    networks = [rule] if is_deferred(rule) else _networks(rule)
    return _ANYWHERE if any(map(is_deferred, networks)) else networks


def _networks(rule: Any) -> list[Any]:
    """The networks that a rule of Cilium names by addresses or as entities. What is not known yet stays so."""
    found: list[Any] = []
    for key in ("toCIDR", "toCIDRSet", "toEntities"):
        given = lookup(rule, key)
        for each in [given] if is_deferred(given) else items(given):
            if key == "toEntities" and isinstance(each, str):
                found += _ENTITIES.get(each, ())
            else:
                found.append({"cidr": each} if isinstance(each, str) else each)
    return [_first_unknown(each) or each for each in found]


def _first_unknown(block: Any) -> Any:
    parts = (block, lookup(block, "cidr"), lookup(block, "except"), *items(lookup(block, "except")))
    return next(filter(is_deferred, parts), None)


def _is_dns(ports: Any) -> bool:
    """Whether ports are only that of DNS, or not known yet."""
    if is_deferred(ports):
        return True
    return bool(items(ports)) and all(is_deferred(each) or _is_port_of_dns(each) for each in items(ports))


def _is_port_of_dns(given: Any) -> bool:
    port, last = lookup(given, "port"), lookup(given, "endPort")
    return is_deferred(port) or is_deferred(last) or (port in _DNS and not last)


def _contains(block: Any, service: str) -> bool:
    """Whether a network, without its exceptions, contains an address."""
    if _first_unknown(block):
        return False
    return _holds(lookup(block, "cidr"), service) and not any(_holds(each, service) for each in items(lookup(block, "except")))


def _holds(network: Any, service: str) -> bool:
    try:
        return isinstance(network, str) and ip_address(service) in ip_network(network, strict=False)
    except ValueError:  # the API server refuses it
        return False


def _selects(policy: Policy, resource: Resource, pod: Pod, *, closes: bool) -> bool:
    """Whether a policy selects pods. What is not known yet selects them if that closes something, and not if it opens something."""
    source, selector = policy.source, policy.selector
    if source.provider != resource.provider or (source.is_placed and source.namespace != resource.namespace):
        return False
    if not source.is_placed or is_deferred(selector):
        return closes
    if not isinstance(selector, Mapping) or is_deferred(pod.labels):
        return closes and isinstance(selector, Mapping)
    labels = {**(pod.labels if isinstance(pod.labels, Mapping) else {}), _NAMESPACE: resource.namespace}
    return all(_fulfils(each, labels, closes=closes) for each in _requirements(selector))


def _requirements(selector: Mapping[str, Any]) -> Iterator[Any]:
    """The expressions of a selector, and its labels as such."""
    labels, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    if isinstance(labels, Mapping):
        yield from ({"key": name, "operator": "In", "values": [value]} for name, value in labels.items())
    elif labels is not None:
        yield labels
    if isinstance(expressions, list):
        yield from expressions
    elif expressions is not None:
        yield expressions


def _fulfils(requirement: Any, labels: Mapping[str, Any], *, closes: bool) -> bool:
    """Whether labels fulfil an expression. An operator that Kubernetes does not know is assumed to match only if that opens something."""
    key, operator, values = (lookup(requirement, name) for name in ("key", "operator", "values"))
    name = _name(key)
    if any(map(is_deferred, (requirement, key, operator, values, *items(values), labels.get(name)))):
        return closes
    match operator:
        case "In":
            return name in labels and labels[name] in items(values)
        case "NotIn":
            return name not in labels or labels[name] not in items(values)
        case "Exists":
            return name in labels
        case "DoesNotExist":
            return name not in labels
    return not closes


def _name(key: Any) -> str:
    """The name of a label, without what Cilium writes before it."""
    found = key if isinstance(key, str) else ""
    for source in _CILIUM_SOURCES:
        found = found.removeprefix(source)
    return found
