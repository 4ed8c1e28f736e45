"""Lists of provider network mirrors."""

from collections.abc import Sequence

from scalr_agents.charts.shared.manifests import objects
from scalr_agents.charts.shared.values import NetworkMirror
from scalr_agents.model.fields import Deferred, is_deferred, is_set


def with_token(mirrors: Sequence[NetworkMirror]) -> bool:
    """Whether a list of mirrors is secret."""
    return any(is_set(mirror.token) for mirror in mirrors)


def as_json(mirrors: Sequence[NetworkMirror]) -> str | Deferred:
    """The list of mirrors as the agent reads it.

    With a token that is not known the list is not known either.
    """
    unknown = [mirror.token for mirror in mirrors if is_deferred(mirror.token)]
    if unknown:
        return unknown[0]
    return objects.as_json([mirror.model_dump(by_alias=True, exclude_defaults=True) for mirror in mirrors])
