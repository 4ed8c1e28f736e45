"""ResourceQuotas and LimitRanges that would refuse the stack's pods.

Both are evaluated as the admission plugins of the API server do: first the defaults of LimitRanges are applied, then their bounds are
checked, then quotas.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from scalr_agents.doctor import scheduling
from scalr_agents.doctor.facts import Cluster, Hidden, Limit, Quota, Resources
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs, Pod, containers
from scalr_agents.doctor.scheduling import Spec
from scalr_agents.model.findings import Findings

_COMPUTE = ("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
"""What every container must set where a quota counts it."""
_PLAIN = ("cpu", "memory", "ephemeral-storage")
"""Names of requests in quotas, also without the prefix `requests.`."""
_COUNTS = ("pods", "count/pods")


def check(needs: Needs, cluster: Cluster) -> Findings:
    for namespace in needs.namespaces:
        pods = [pod for pod in needs.pods if pod.namespace == namespace]
        limits, quotas = cluster.limits.get(namespace, ()), cluster.quotas.get(namespace, ())
        for what, seen in (("LimitRanges", limits), ("ResourceQuotas", quotas)):
            if isinstance(seen, Hidden) and pods:
                yield note(f"namespace {namespace}", f"cannot see its {what}, which may refuse pods: {seen.reason}")
        known = [] if isinstance(limits, Hidden) else limits
        for pod in pods:
            for problem in out_of_bounds(pod.spec, known):
                yield error(
                    f"LimitRange in namespace {namespace}", f"would refuse {pod.name} of agent {pod.agent.name}: {problem}", _ADVICE
                )
        for quota in () if isinstance(quotas, Hidden) else quotas:
            yield from _quota(f"ResourceQuota {namespace}/{quota.name}", quota, pods, known)


_ADVICE = "Change the resources in the agent's values, or have the bounds changed"


def completed(spec: Spec, limits: Sequence[Limit]) -> dict[str, Any]:
    """A pod's spec with the defaults of LimitRanges."""

    def filled(container: Spec) -> dict[str, Any]:
        own, requests = scheduling.of_container(container, "limits"), scheduling.of_container(container, "requests")
        for limit in (each for each in limits if each.type == "Container"):
            own, requests = {**limit.default, **own}, {**limit.default_request, **requests}
        return {**container, "resources": {"limits": _text(own), "requests": _text(requests)}}

    return {**spec, **{kind: [filled(each) for each in spec.get(kind, ())] for kind in ("initContainers", "containers")}}


def _text(amounts: Resources) -> dict[str, str]:
    return {name: f"{amount:f}" for name, amount in amounts.items()}


def out_of_bounds(spec: Spec, limits: Sequence[Limit]) -> Iterator[str]:
    """Why LimitRanges would refuse a pod."""
    pod = completed(spec, limits)
    whole = {kind: scheduling.of_pod(pod, kind) for kind in ("requests", "limits")}
    for limit in limits:
        if limit.type == "Pod":
            yield from _bounds("the pod", whole["requests"], whole["limits"], limit)
        elif limit.type == "Container":
            for container in containers(pod):
                requests, own = (scheduling.of_container(container, kind) for kind in ("requests", "limits"))
                yield from _bounds(f"container {container['name']}", requests, own, limit)


def _bounds(who: str, requests: Resources, limits: Resources, bounds: Limit) -> Iterator[str]:
    for name, least in bounds.minimum.items():
        if requests.get(name, Decimal(0)) < least:
            yield f"{who} requests less {name} than {shown(name, least)}"
    for name, most in bounds.maximum.items():
        if name not in limits:
            yield f"{who} has no limit of {name}, and at most {shown(name, most)} is allowed"
        elif limits[name] > most or requests.get(name, Decimal(0)) > most:
            yield f"{who} may use {shown(name, limits[name])} of {name}, and at most {shown(name, most)} is allowed"
    for name, most in bounds.ratio.items():
        request = requests.get(name, Decimal(0))
        if not request or name not in limits or limits[name] / request > most:
            yield f"{who} has a limit of {name} that is more than {most:f} times its request"


def _quota(subject: str, quota: Quota, pods: Sequence[Pod], limits: Sequence[Limit]) -> Findings:
    counted = {pod: completed(pod.spec, limits) for pod in pods}
    counted = {pod: spec for pod, spec in counted.items() if all(_counts(scope, spec) for scope in quota.scopes)}
    together: list[Resources] = []
    too_large = False
    for pod, spec in counted.items():
        for name in unset(spec, quota):
            problem = f"refuses {pod.name} of agent {pod.agent.name}: a container does not set {name}"
            yield error(subject, problem, "Set it in the agent's values, or have a LimitRange with defaults created")
        needed = demand(spec, quota)
        over = {name: amount for name, amount in needed.items() if amount > quota.hard[name]}
        too_large = too_large or bool(over)
        if over:
            yield error(subject, f"refuses {pod.name} of agent {pod.agent.name}: {_compared(over, quota.hard)}", _ADVICE)
        elif any(amount and quota.used.get(name, 0) + amount > quota.hard[name] for name, amount in needed.items()):
            yield warning(subject, f"has no room now for another of the {pod.name} of agent {pod.agent.name}", "Have it raised")
        together += [needed] * pod.replicas
    total = scheduling.added(together)
    over = {name: amount for name, amount in total.items() if amount > quota.hard[name]}
    if over and not too_large:
        yield error(
            subject, f"is too small for the controllers of this stack and one run of each agent: {_compared(over, quota.hard)}", _ADVICE
        )


def unset(spec: Spec, quota: Quota) -> list[str]:
    """What a quota counts and a container does not set."""
    missing = []
    for name in (each for each in _COMPUTE if each in quota.hard):
        kind, _, resource = name.rpartition(".")
        if any(resource not in scheduling.of_container(container, kind or "requests") for container in containers(spec)):
            missing.append(name)
    return missing


def demand(spec: Spec, quota: Quota) -> dict[str, Decimal]:
    """What a pod takes of a quota, by the quota's names."""
    requests, limits = scheduling.of_pod(spec), scheduling.of_pod(spec, "limits")
    taken: dict[str, Decimal] = {}
    for name in quota.hard:
        kind, _, resource = name.partition(".")
        source = requests if kind == "requests" or name in _PLAIN else limits if kind == "limits" else {}
        taken[name] = Decimal(1) if name in _COUNTS else source.get(resource or name, Decimal(0))
    return taken


def _counts(scope: Mapping[str, Any], spec: Spec) -> bool:
    """Whether a quota with this scope counts a pod."""
    best_effort = not scheduling.of_pod(spec) and not scheduling.of_pod(spec, "limits")
    has = spec.get("priorityClassName")
    match scope["scopeName"]:
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "BestEffort":
            return best_effort
        case "NotBestEffort":
            return not best_effort
        case "PriorityClass":
            values, operator = scope.get("values") or [], scope["operator"]
            return {"In": has in values, "NotIn": has not in values, "Exists": bool(has), "DoesNotExist": not has}[operator]
    return False


def _compared(over: Resources, hard: Resources) -> str:
    return "; ".join(f"{name} {shown(name, amount)} of {shown(name, hard[name])}" for name, amount in over.items())


def shown(name: str, amount: Decimal) -> str:
    """An amount as people write it: 500m, 1536Mi."""
    if "cpu" in name:
        return f"{amount.normalize():f}" if amount == amount.to_integral_value() else f"{(amount * 1000).normalize():f}m"
    if "memory" in name or "storage" in name:
        return f"{(amount / 2**20).quantize(Decimal(1)):f}Mi"
    return f"{amount.normalize():f}"
