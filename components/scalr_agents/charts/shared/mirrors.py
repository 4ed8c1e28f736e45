"""Provider network mirrors: their tokens, and the list that the agent reads."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from scalr_agents.charts.shared.manifests import objects
from scalr_agents.charts.shared.values import NetworkMirror
from scalr_agents.model.maps import Deferred, is_deferred, is_set

TOKENS = "mirror_tokens"
"""Name of the input with the tokens of mirrors."""


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


def as_json(mirrors: Sequence[NetworkMirror]) -> str | Deferred:
    """The list of mirrors as the agent reads it.

    The list is deferred if one of the tokens is, or an address, about which there is a finding.
    """
    unknown = [text for mirror in mirrors for text in (mirror.token, mirror.url) if is_deferred(text)]
    if unknown:
        return unknown[0]
    return objects.as_json([mirror.model_dump(by_alias=True, exclude_defaults=True) for mirror in mirrors])
