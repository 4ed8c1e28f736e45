"""Pods that pass PodSecurity `restricted`. Those of agent-k8s do not, by design: their containers run as root."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.model.forms import is_deferred
from scalr_agents.promises.resources import Resource, Violation, violation
from scalr_agents.stack import pod_security

_PROFILE = {"type": "RuntimeDefault"}
_CAPABILITIES = {"drop": ["ALL"]}
_DEMANDED: Mapping[str, Any] = {
    "allowPrivilegeEscalation": False,
    "capabilities": _CAPABILITIES,
    "runAsNonRoot": True,
    "seccompProfile": _PROFILE,
}
_ADMITTED: Mapping[str, Any] = {
    **_DEMANDED,
    **_CAPABILITIES,
    "securityContext": _DEMANDED,
}
"""What stands in place of a demanded field that is not known yet. All others are left out."""


def violations(resources: Sequence[Resource], excepted: Sequence[str]) -> Iterator[Violation]:
    for resource in resources:
        if resource.chart and "unrestricted" not in resource.chart.traits and resource.is_placed and resource.namespace not in excepted:
            for pod in resource.pods():
                for problem in pod_security.violations(_known(pod.spec), "restricted"):
                    yield violation(resource, problem, "Remove the value or the transformation that changes the security of these pods")


def _known(value: Any, key: str = "") -> Any:
    """A spec of which only what is known can be refused."""
    if isinstance(value, Mapping):
        admitted = {**_ADMITTED, **_PROFILE} if key == "seccompProfile" else _ADMITTED
        known = {name: _known(item, name) for name, item in value.items() if not is_deferred(item)}
        return known | {name: admitted[name] for name, item in value.items() if is_deferred(item) and name in admitted}
    if isinstance(value, list):
        unknown = _CAPABILITIES["drop"] if key == "drop" and any(map(is_deferred, value)) else []
        return [*(_known(item) for item in value if not is_deferred(item)), *unknown]
    return value
