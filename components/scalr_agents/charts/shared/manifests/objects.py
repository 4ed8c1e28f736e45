"""Helpers for writing manifests as plain data."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.model.fields import ESCALATING, integral
from scalr_agents.model.merge import lookup, merge
from scalr_agents.model.release import Release

Manifest = dict[str, Any]
"""A Kubernetes object as in the API: camelCase keys, JSON types; leaves may be deferred."""
WORKLOADS = ("Deployment", "DaemonSet")
"""Kinds of objects that keep pods running."""


def present(fields: Mapping[str, Any]) -> Manifest:
    """The fields without `None` and without empty strings, maps and lists. Zero and false are kept."""
    return {key: value for key, value in fields.items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | dict | list) and not value)


HARDENED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""What the Pod Security Standard `restricted` requires of every container."""


def hardened(given: Mapping[str, Any], default: Mapping[str, Any] = HARDENED) -> Manifest:
    """A container's securityContext merged over a hardened default.

    Kubernetes rejects `allowPrivilegeEscalation: false` together with a privilege that implies escalation, so the default is then dropped.
    """
    added = lookup(given, "capabilities", "add")
    escalates = given.get("privileged") is True or (isinstance(added, list) and ESCALATING in added)
    default = {key: value for key, value in default.items() if not (escalates and key == "allowPrivilegeEscalation")}
    return present(merge(default, given))


def layered(general: Mapping[str, Any], specific: Mapping[str, Any]) -> Manifest:
    """A component's settings merged over the global ones; zero and false of the component take precedence too."""
    return present(merge(general, specific))


def as_json(content: Any) -> str:
    """JSON as Go writes it, with sorted keys and without spaces, so that the value is the same as in the Helm chart."""
    import json

    text = json.dumps(_without_fractions(content), separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _without_fractions(content: Any) -> Any:
    """Whole floats as integers, because component hosts pass all numbers as floats."""
    if isinstance(content, Mapping):
        return {key: _without_fractions(value) for key, value in content.items()}
    return [_without_fractions(item) for item in content] if isinstance(content, list | tuple) else integral(content)


def budget(name: str, release: Release, component: str, **limits: int | str | None) -> Manifest:
    """A PodDisruptionBudget for a component's pods; `limits` are `minAvailable` and `maxUnavailable`, `None` if not set."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": release.metadata(name, component),
        "spec": {
            **{limit: value for limit, value in limits.items() if value is not None},
            "selector": {"matchLabels": release.selector(component)},
        },
    }
