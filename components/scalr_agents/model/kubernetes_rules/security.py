"""Rules on the security contexts of pods and containers."""

from collections.abc import Callable, Mapping
from typing import Any

from scalr_agents.model.forms import ESCALATING, integral
from scalr_agents.model.kubernetes_rules.parts import Fields, Problems, items, known, relative_path, within
from scalr_agents.model.maps import is_set, lookup

_LAST_ID = 2**31 - 1


def _pod(given: Fields) -> Problems:
    for field in ("runAsUser", "runAsGroup", "fsGroup"):
        yield from within(given, field, 0, _LAST_ID)
    for index, group in enumerate(map(integral, items(given, "supplementalGroups"))):
        if isinstance(group, int) and not 0 <= group <= _LAST_ID:
            yield ("supplementalGroups", index), f"given {group}; allowed: 0 to {_LAST_ID}"


def _container(given: Fields) -> Problems:
    for field in ("runAsUser", "runAsGroup"):
        yield from within(given, field, 0, _LAST_ID)
    added = lookup(given, "capabilities", "add")
    escalates = given.get("privileged") is True or (isinstance(added, list) and ESCALATING in added)
    if escalates and given.get("allowPrivilegeEscalation") is False:
        yield ("allowPrivilegeEscalation",), f"Kubernetes rejects false together with privileged: true or {ESCALATING}; set it to true"


def _profile(given: Fields) -> Problems:
    """A profile of seccomp or AppArmor: only one of the type Localhost has a name."""
    kind, local = known(given, "type"), is_set(given.get("localhostProfile"))
    if kind == "Localhost" and not local:
        yield ("localhostProfile",), "missing; type: Localhost requires the name of a profile on the nodes"
    elif kind not in (None, "Localhost") and local:
        yield ("localhostProfile",), f"not allowed with type: {kind}; remove it, or set type: Localhost"


def _seccomp(given: Fields) -> Problems:
    yield from _profile(given)
    for place, _ in relative_path(given, "localhostProfile"):
        yield place, "not a path inside the kubelet's directory of profiles: it must not start with '/' or contain '..'"


RULES: Mapping[str, Callable[[Any], Problems]] = {
    "PodSecurityContext": _pod,
    "SecurityContext": _container,
    "SeccompProfile": _seccomp,
    "AppArmorProfile": _profile,
}
