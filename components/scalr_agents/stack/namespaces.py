"""The namespaces of a stack and their quotas: their objects, and what would be rejected there."""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import WORKLOADS, pods, templates
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding, Path, almost, error, warning
from scalr_agents.model.forms import LONGEST_LABEL, is_dns_label
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.quantities import MEBIBYTE, NOTHING, Resources
from scalr_agents.model.texts import too_long
from scalr_agents.stack import pod_security
from scalr_agents.stack.model import PREFIX, AgentEntry, Namespace, Quota, place

_LEVEL = "pod-security.kubernetes.io/"
_SYSTEM = "kube-system"
_IN_EVERY_CLUSTER = (_SYSTEM, "kube-public", "kube-node-lease", "default")
QUOTA = "scalr-agents"
"""The name of the objects of a quota."""
_PODS = "pods"
_RESOURCES = {_PODS: _PODS, "cpu": "cpu", "memory": "memory", "disk": contract.DISK}
"""What each key of a quota limits, by the name of the resource."""
_REQUESTS = {"cpu": "100m", "memory": "128Mi", contract.DISK: "256Mi"}
"""What a container requests if it says nothing. Where a quota counts a resource, Kubernetes refuses pods that do not request it."""


def check(entries: Mapping[str, Namespace]) -> Iterator[Finding]:
    """Findings on names that Kubernetes rejects, and on keys that have no effect."""
    for name, entry in entries.items():
        here = (f"{PREFIX}:namespaces", name)
        if not is_dns_label(name):
            message = f"{name!r} is not a valid namespace name; use at most {LONGEST_LABEL} lower case letters, digits and '-'"
            yield error(here, f"{message}{too_long(name, LONGEST_LABEL)}")
        if entry.labels and not entry.create:
            yield error((*here, "labels"), "has no effect: create is false; set the labels where the namespace is managed")
        if any(label.startswith(_LEVEL) for label in entry.labels):
            yield error((*here, "labels"), "sets the Pod Security level; use podSecurity instead, which is checked")
        if name in _IN_EVERY_CLUSTER and entry.create:
            yield _existing(here, name, enforced(entry))


def _existing(here: Path, name: str, level: pod_security.Level | None) -> Finding:
    """What is wrong with creating a namespace that every cluster has: the stack takes it over, with the level that it enforces."""
    if name == _SYSTEM and level != "privileged":
        return error(here, f"would enforce {level} there, and the cluster's own pods would no longer start; set create: false")
    message = f"exists in every cluster, and {level} would be enforced for everything that runs in it; set create: false"
    return warning(here, message)


def unlisted(entries: Mapping[str, Namespace], agents: Mapping[str, AgentEntry]) -> Iterator[Finding]:
    """Warnings for agents whose namespace is not listed, while one with almost the same name is, or is one of the cluster's own."""
    for name, agent in agents.items():
        if agent.namespace in _IN_EVERY_CLUSTER:
            message = f"{agent.namespace!r} exists in every cluster, and others use it too; give agents a namespace of their own"
            yield warning((*place(name), "namespace"), message)
        meant = None if agent.namespace in entries else almost(agent.namespace, list(entries))
        if meant is not None:
            yield warning(
                (*place(name), "namespace"),
                f"{agent.namespace!r} is not among {PREFIX}:namespaces; did you mean {meant!r}? If not, add it (create: false if existing)",
            )


def check_admission(namespaces: Mapping[str, Namespace], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """Errors for pods that their namespace would reject."""
    for agent in agents:
        name = agent.release.namespace
        level = enforced(namespaces[name]) if name in namespaces else None
        for pod, spec in pods(agent.objects) if level else ():
            reasons = pod_security.violations(spec, level or "privileged")
            if reasons:
                advice = f"set {PREFIX}:namespaces.{name}.podSecurity to a level that allows this, or change the agent's values"
                yield error(
                    place(agent.name),
                    f"namespace {name!r} enforces {level} and would reject its {pod}: {'; '.join(reasons)}; {advice}",
                )


def manifest(name: str, entry: Namespace) -> Manifest:
    levels = {f"{_LEVEL}{mode}": enforced(entry) for mode in ("enforce", "warn")}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": levels | entry.labels}}


def enforced(namespace: Namespace) -> pod_security.Level | None:
    """The level that a namespace enforces, if it is known."""
    return namespace.pod_security or ("restricted" if namespace.create else None)


def quota_objects(namespace: str, quota: Quota) -> dict[str, Manifest]:
    """The ResourceQuota of a namespace and, if it counts what pods request, a LimitRange with default requests; by role."""
    hard = {resource: str(amount) for resource, amount in _limits(quota).items()}
    counted = {f"requests.{resource}" if resource in _REQUESTS else resource: amount for resource, amount in hard.items()}
    quota_object = _object("ResourceQuota", namespace, {"hard": counted})
    defaults = {resource: amount for resource, amount in _REQUESTS.items() if resource in hard}
    if not defaults:
        return {"quota": quota_object}
    limits = [{"type": "Container", "defaultRequest": defaults}]
    return {"limits": _object("LimitRange", namespace, {"limits": limits}), "quota": quota_object}


def _object(kind: str, namespace: str, spec: Manifest) -> Manifest:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": QUOTA, "namespace": namespace}, "spec": spec}


def _limits(quota: Quota) -> dict[str, str | int]:
    """The keys that are set, by the name of the resource."""
    given = {resource: getattr(quota, key) for key, resource in _RESOURCES.items()}
    return {resource: amount for resource, amount in given.items() if amount is not None}


def quota_place(namespace: str) -> Path:
    return f"{PREFIX}:namespaces", namespace, "quota"


def check_quotas(namespaces: Mapping[str, Namespace]) -> Iterator[Finding]:
    """Errors for quotas that limit nothing, or leave nothing."""
    for name, entry in namespaces.items():
        limits = _limits(entry.quota) if entry.quota else {}
        if entry.quota and not limits:
            yield error(quota_place(name), f"empty; set at least one of {', '.join(_RESOURCES)}", [quota_place(name)])
        for key, resource in _RESOURCES.items():
            if resource in limits and quantities.parse(limits[resource]) <= 0:
                yield error((*quota_place(name), key), f"{limits[resource]} allows no pods; set a higher limit")


def check_room(namespaces: Mapping[str, Namespace], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """Errors for quotas in which the pods that always run, or one run beside them, do not fit."""
    for name, entry in namespaces.items():
        here = [agent for agent in agents if agent.release.namespace == name]
        limits = _limits(entry.quota) if entry.quota and here else {}
        if limits:
            yield from _check_room(quota_place(name), limits, [_needs(agent, limits) for agent in here])


class _Needs(NamedTuple):
    """What an agent requests: the pods that always run, and the pod of a run if it starts any."""

    agent: str
    kept: Resources
    run: Resources


def _check_room(at: Path, limits: Mapping[str, str | int], needs: Sequence[_Needs]) -> Iterator[Finding]:
    total = quantities.added(each.kept for each in needs)
    for key, resource in _RESOURCES.items():
        if resource not in limits:
            continue
        limit, kept = quantities.parse(limits[resource]), total.get(resource, NOTHING)
        largest = max(needs, key=lambda each: each.run.get(resource, NOTHING))
        run = largest.run.get(resource, NOTHING)
        least = quantities.shown(resource, _rounded_up(resource, kept + run))
        if kept > limit:
            taken = quantities.shown(resource, kept)
            yield error((*at, key), f"{limits[resource]}, but the pods that always run here request {taken}; set at least {least}")
        elif kept + run > limit:
            yield error(
                (*at, key),
                f"{limits[resource]}, which leaves {quantities.shown(resource, limit - kept)} for runs, but a run of agent "
                f"{largest.agent!r} requests {quantities.shown(resource, run)} and would never start; set at least {least}",
            )


def _rounded_up(resource: str, amount: Decimal) -> Decimal:
    """An amount that can be shown in whole mebibytes, if it is a size."""
    return amount if resource in (_PODS, "cpu") else Decimal(math.ceil(amount / MEBIBYTE) * MEBIBYTE)


def _needs(agent: AnyAgent, limits: Mapping[str, object]) -> _Needs:
    """A DaemonSet counts as one pod, and placeholders that an autoscaler counts as none: nobody knows here how many there are.

    Agents that scale count with their smallest number.
    """
    least = agent.inputs.scaling.min if agent.inputs.scaling else 0
    kept: list[Resources] = []
    run: Resources = {}
    for _, maker, template in templates(agent.objects):
        of_pod = _of_pod(template["spec"], limits)
        if maker["kind"] in WORKLOADS:
            count = 1 if maker["kind"] == "DaemonSet" else maker["spec"].get("replicas", least)
            kept.append({resource: amount * count for resource, amount in of_pod.items()})
        else:
            run = of_pod
    return _Needs(agent.name, quantities.added(kept), run)


def _of_pod(spec: Mapping[str, Any], limits: Mapping[str, object]) -> dict[str, Decimal]:
    """What a pod counts in the quota, with the default requests of its containers."""
    defaults = {resource: amount for resource, amount in _REQUESTS.items() if resource in limits}
    with_defaults = {
        part: [container | {"resources": _defaulted(container.get("resources") or {}, defaults)} for container in spec.get(part, ())]
        for part in ("initContainers", "containers")
    }
    return {**quantities.of_pod({**spec, **with_defaults}), _PODS: Decimal(1)}


def _defaulted(resources: Mapping[str, Any], defaults: Mapping[str, str]) -> Manifest:
    return {**resources, "limits": {**defaults, **(resources.get("limits") or {})}}
