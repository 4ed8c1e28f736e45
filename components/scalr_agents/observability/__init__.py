"""Alerts and a dashboard for the agents of a stack, as data. Nothing here talks to a cluster."""

import json
from collections.abc import Mapping

from scalr_agents.charts.shared.agent import Group
from scalr_agents.model.manifests import Manifest
from scalr_agents.observability import dashboard, rules
from scalr_agents.observability.watched import watched
from scalr_agents.stack import Stack

__all__ = ["complete", "dashboard_of", "groups", "rules_file", "rules_of"]


def complete(stack: Stack) -> list[Manifest]:
    """All objects of a stack in the order in which they must be applied, with its alerts and its dashboard."""
    return [*stack.objects(), *(manifest for group in groups(stack).values() for manifest in group.values())]


def groups(stack: Stack) -> Mapping[str, Group]:
    """The objects with its alerts and its dashboard, as far as it asks for them, by agent and role."""
    agents, settings = watched(stack.agents), stack.observability
    made: dict[str, Group] = {each.agent.name: {"alerts": rules.rule(each, settings)} for each in agents if settings.prometheus_rules}
    if agents and settings.dashboard:
        first = agents[0].agent.name
        made[first] = {**made.get(first, {}), "dashboard": dashboard.config_map(agents, _cluster(stack))}
    return made


def rules_of(stack: Stack) -> list[Manifest]:
    """The PrometheusRules of a stack, whether it asks for them or not."""
    return [rules.rule(each, stack.observability) for each in watched(stack.agents)]


def rules_file(stack: Stack) -> str:
    """The same alerts as a rules file of Prometheus."""
    return rules.file(watched(stack.agents), stack.observability)


def dashboard_of(stack: Stack) -> str:
    """The dashboard of a stack with agents on Kubernetes, as JSON."""
    return json.dumps(dashboard.dashboard(watched(stack.agents), _cluster(stack)), indent=2, sort_keys=True) + "\n"


def _cluster(stack: Stack) -> str:
    return stack.kubernetes.cluster_identifier or stack.kubernetes.context
