"""Environment variables of containers, and what the agent reads in one: JSON, and the list of provider network mirrors."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.values import NetworkMirror
from scalr_agents.model.forms import integral
from scalr_agents.model.maps import Deferred, is_deferred, is_set

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


def network_mirrors(given: Sequence[NetworkMirror]) -> Env:
    """The list of mirrors, unless it contains a token."""
    return variables({contract.MIRRORS_VARIABLE: mirror_list(given)}) if given and not with_token(given) else []


def host_of(url: object) -> str:
    """The host of a mirror, with its port if it has one; empty for an invalid address, which the checks report."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] if isinstance(url, str) else ""
    except ValueError:
        return ""


def filled(mirrors: Sequence[NetworkMirror], tokens: Mapping[str, str | Deferred]) -> list[NetworkMirror]:
    """The mirrors, each with the token of its host."""
    hosts = [host_of(mirror.url) for mirror in mirrors]
    return [
        mirror.model_copy(update={"token": tokens[host]}) if host in tokens else mirror for mirror, host in zip(mirrors, hosts, strict=True)
    ]


def with_token(mirrors: Sequence[NetworkMirror]) -> bool:
    """Whether a list of mirrors contains a token."""
    return any(is_set(mirror.token) for mirror in mirrors)


def mirror_list(mirrors: Sequence[NetworkMirror]) -> str | Deferred:
    """The list of mirrors as the agent reads it.

    The list is deferred if one of the tokens is, or an address, about which there is a finding.
    """
    unknown = [text for mirror in mirrors for text in (mirror.token, mirror.url) if is_deferred(text)]
    if unknown:
        return unknown[0]
    return as_json([mirror.model_dump(by_alias=True, exclude_defaults=True) for mirror in mirrors])


def as_json(content: Any) -> str:
    """JSON as Go writes it, with sorted keys and without spaces, so that the value is the same as in the Helm chart."""
    text = json.dumps(_without_fractions(content), separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _without_fractions(content: Any) -> Any:
    """Whole floats as integers, because component hosts pass all numbers as floats."""
    if isinstance(content, Mapping):
        return {key: _without_fractions(value) for key, value in content.items()}
    return [_without_fractions(item) for item in content] if isinstance(content, list | tuple) else integral(content)
