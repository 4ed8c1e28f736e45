"""Helpers for writing manifests as plain data."""

import json
from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.shared.values import PodFields
from scalr_agents.model.forms import ESCALATING, integral
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import lookup, merge


def pod_fields(values: PodFields) -> Manifest:
    """The fields that are set."""
    return {
        "priorityClassName": values.priority_class_name,
        "runtimeClassName": values.runtime_class_name,
        "hostUsers": None if values.host_users else False,
        "hostAliases": values.host_aliases,
        "dnsPolicy": None if values.dns_policy == "ClusterFirst" else values.dns_policy,
        "dnsConfig": values.dns_config,
        "initContainers": values.init_containers,
    }


WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
"""Kinds of objects that keep pods running."""


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
    text = json.dumps(_without_fractions(content), separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _without_fractions(content: Any) -> Any:
    """Whole floats as integers, because component hosts pass all numbers as floats."""
    if isinstance(content, Mapping):
        return {key: _without_fractions(value) for key, value in content.items()}
    return [_without_fractions(item) for item in content] if isinstance(content, list | tuple) else integral(content)
