"""Cross-checks of agent-local on its Deployment or StatefulSet."""

from scalr_agents.charts.agent_local.manifests.workload import is_stateful
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import LONGEST_LABEL, is_dns_label
from scalr_agents.model.release import Release

_NONE = (0, "0%")
_LONGEST_NAME = LONGEST_LABEL - len("-1234567890")
"""Kubernetes adds a hash to the name of a StatefulSet, for a label of its pods. With a longer name it can create none."""


def check(values: AgentLocalValues, release: Release) -> Findings:
    for key in sorted(values.pod_labels.keys() & release.selector().keys()):
        yield warning(entry("podLabels", key), "has no effect: the selectors use this label, so it cannot be changed")
    yield from _stateful(values, release) if is_stateful(values) else _deployment(values)


def _deployment(values: AgentLocalValues) -> Findings:
    update = values.strategy.rolling_update
    if values.strategy.type == "RollingUpdate" and update.max_surge in _NONE and update.max_unavailable in _NONE:
        yield error(
            "strategy.rollingUpdate.maxUnavailable",
            "0 together with maxSurge 0, which Kubernetes rejects because no pod could be replaced; raise one of them",
        )
    if values.workload.stateful_set.model_fields_set:
        yield warning("workload.statefulSet", "has no effect: workload.kind is not StatefulSet")


def _stateful(values: AgentLocalValues, release: Release) -> Findings:
    name = release.names.deployment
    if not is_dns_label(name) or len(name) > _LONGEST_NAME:
        yield error(
            "fullnameOverride",
            f"the StatefulSet would be called {name!r}, and Kubernetes could not create its pods; set a name of at most {_LONGEST_NAME} "
            "lower case letters, digits and '-'",
        )
    if values.strategy.model_fields_set:
        yield warning("strategy", "has no effect: a StatefulSet replaces one agent after another, and stops each before it starts the next")


def starts_before_it_stops(values: AgentLocalValues) -> bool:
    """Whether a rollout of one agent stops the old pod only when the new one is ready. Percentages of it are rounded down to none."""
    update = values.strategy.rolling_update
    unavailable = update.max_unavailable
    stops_first = update.max_surge in _NONE or unavailable == "100%" or (isinstance(unavailable, int) and unavailable > 0)
    return values.strategy.type == "RollingUpdate" and not stops_first
