"""Lists of environment variables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared import contract, mirrors
from scalr_agents.charts.shared.values import NetworkMirror
from scalr_agents.model.forms import integral
from scalr_agents.model.maps import Deferred

Env = list[dict[str, Any]]
"""Kubernetes EnvVar list."""
Setting = str | float | bool | Deferred
"""The plain value of a variable."""


def variables(values: Mapping[str, Setting]) -> Env:
    """Variables with plain values."""
    return [{"name": name, "value": _text(value)} for name, value in values.items()]


def _text(value: Setting) -> str | Deferred:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(integral(value)) if isinstance(value, int | float) else value


def from_secret(name: str, secret: str | Deferred, key: str) -> Env:
    """A variable whose value is in a Secret, which must exist."""
    return [{"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key, "optional": False}}}]


def out_of_secret(names: Iterable[str], secret: str) -> Env:
    """Variables from one Secret whose keys are their names."""
    return [variable for name in names for variable in from_secret(name, secret, name)]


def from_field(name: str, field: str) -> Env:
    """A variable that Kubernetes sets from a field of the pod."""
    return [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": field}}}]


def given(values: Mapping[str, str]) -> Env:
    """A user's variables, by name."""
    return variables(dict(sorted(values.items())))


def each_once(secret: Env, levels: Iterable[Env]) -> Env:
    """The levels in order, later ones taking precedence: each name occurs once, where it came first.

    Kubernetes would use the last of several, but server-side apply rejects duplicates. Variables from a Secret take precedence over all
    levels and come first, so that any value can use them, for instance a proxy URL `http://user:$(PASSWORD)@proxy:3128`.
    """
    chosen: dict[Any, dict[str, Any]] = {}
    for level in (secret, *levels, secret):
        chosen |= {variable["name"]: variable for variable in level}
    return list(chosen.values())


def ca_bundle() -> Env:
    """The path of the mounted CA bundle."""
    return variables({"SCALR_AGENT_CA_CERT": contract.CA_FILE, "SSL_CERT_FILE": contract.CA_FILE})


def client_cert() -> Env:
    """The paths of the mounted client certificate and its key."""
    directory = contract.CLIENT_CERT_DIR
    return variables({"SCALR_AGENT_TLS_CERT_FILE": f"{directory}/tls.crt", "SCALR_AGENT_TLS_KEY_FILE": f"{directory}/tls.key"})


def network_mirrors(given: Sequence[NetworkMirror]) -> Env:
    """The list of mirrors, unless it contains a token."""
    return variables({contract.MIRRORS_VARIABLE: mirrors.as_json(given)}) if given and not mirrors.with_token(given) else []
