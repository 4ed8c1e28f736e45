"""Rules on the content of Kubernetes types beyond their schemas: what the API server refuses, or what no pod can start with.

A rule gets a value whose shape is valid, and yields problems with their places below it. It says nothing about deferred values. What
depends on the version or the features of a cluster, and what hardly anybody writes, is left to the API server.
"""

from collections.abc import Callable, Mapping
from typing import Any

from scalr_agents.model.findings import Path
from scalr_agents.model.kubernetes_rules import containers, environment, scheduling, security, volumes
from scalr_agents.model.kubernetes_rules.parts import Problems

RULES: Mapping[str, Callable[[Any], Problems]] = {
    **containers.RULES,
    **environment.RULES,
    **scheduling.RULES,
    **security.RULES,
    **volumes.RULES,
}


def check(kind: str, given: Any, at: Path) -> Problems:
    """The problems of a value of a Kubernetes type, or of a list of them (`[]Toleration`)."""
    if rule := RULES.get(kind):
        yield from (((*at, *place), message) for place, message in rule(given))
