"""Alerts and a dashboard for the agents of a stack, as data. Nothing here talks to a cluster.

Alerts are PrometheusRules of Prometheus' operator, or a rules file. The dashboard is a template about one agent, made with Grafana's own
library, and filled in for each.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from scalr_agents.charts.shared.agent import Group
from scalr_agents.model import yaml_io
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.observability import alerts
from scalr_agents.observability.watched import Watched, watched
from scalr_agents.stack import Stack
from scalr_agents.stack.model import Observability

__all__ = ["TEMPLATE", "complete", "dashboard_of", "groups", "rules_file", "rules_of"]

TEMPLATE = Path(__file__).with_name("dashboard.json")
_WORD = re.compile(r"<(\w+)>")
_RUNBOOKS = "docs/alerts.md"
"""Where what to do about an alert is: a section for each, by its name."""


def complete(stack: Stack) -> list[Manifest]:
    """All objects of a stack in the order in which they must be applied, with its alerts and its dashboard."""
    return [*stack.objects(), *(manifest for group in groups(stack).values() for manifest in group.values())]


def groups(stack: Stack) -> Mapping[str, Group]:
    """The objects with its alerts and its dashboard, as far as it asks for them, by agent and role.

    The dashboard belongs to the first agent, whose namespace and name it has.
    """
    agents, settings = watched(stack.agents), stack.observability
    made: dict[str, Group] = {each.agent.name: {"alerts": _rule(each, settings)} for each in agents if settings.prometheus_rules}
    if agents and settings.dashboard:
        release = agents[0].agent.release
        metadata = release.metadata(f"{release.full_name}-dashboard")
        config_map: Manifest = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata | {"labels": {**metadata["labels"], "grafana_dashboard": "1"}},  # as the sidecar of Grafana finds it
            "data": {f"{release.namespace}.{release.full_name}.json": json.dumps(_dashboard(stack), sort_keys=True)},
        }
        first = agents[0].agent.name
        made[first] = {**made.get(first, {}), "dashboard": config_map}
    return made


def rules_of(stack: Stack) -> list[Manifest]:
    """The PrometheusRules of a stack, whether it asks for them or not."""
    return [_rule(each, stack.observability) for each in watched(stack.agents)]


def rules_file(stack: Stack) -> str:
    """The same alerts as a rules file of Prometheus."""
    return yaml_io.dump([{"groups": [_group(each, stack.observability) for each in watched(stack.agents)]}])


def dashboard_of(stack: Stack) -> str:
    """The dashboard of a stack with agents on Kubernetes, as JSON."""
    return json.dumps(_dashboard(stack), indent=2, sort_keys=True) + "\n"


def _rule(agent: Watched, settings: Observability) -> Manifest:
    """The PrometheusRule of an agent. It is in the agent's namespace, with whose metrics alone the operator may be told to evaluate it."""
    release = agent.agent.release
    metadata = release.metadata(f"{release.full_name}-alerts")
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": metadata | {"labels": {**metadata["labels"], **settings.labels}},
        "spec": {"groups": [_group(agent, settings)]},
    }


def _group(agent: Watched, settings: Observability) -> dict[str, Any]:
    rules = [
        present(
            {
                "alert": alert.name,
                "expr": alert.expr,
                "for": alert.after,
                "keep_firing_for": alert.keep,
                "labels": {"severity": alert.severity, "agent": agent.agent.name, "kind": agent.agent.kind},
                "annotations": {
                    "summary": alert.summary,
                    "description": f"{alert.description} Look: {alert.look}",
                    "runbook_url": f"{settings.runbooks or _RUNBOOKS}#{alert.name.lower()}",
                },
            }
        )
        for alert in alerts.of(agent)
    ]
    return {"name": f"scalr-agents.{agent.namespace}.{agent.agent.release.full_name}", "rules": rules}


def _dashboard(stack: Stack) -> dict[str, Any]:
    """The dashboard with a query for each agent in each panel, as Grafana imports it."""
    agents, cluster = watched(stack.agents), stack.kubernetes.cluster_identifier or stack.kubernetes.context
    made: dict[str, Any] = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    first = agents[0].agent.release
    made["title"] += f" ({cluster or first.namespace})"
    made["uid"] += f"-{sha256(f'{cluster}/{first.namespace}/{first.full_name}'.encode()).hexdigest()[:12]}"
    for panel in made["panels"]:
        targets = [target for each in agents for target in _targets(panel["targets"], each)]
        panel["targets"] = [{**target, "refId": f"Q{number}"} for number, target in enumerate(targets)]
    return made


def _targets(templates: Sequence[Mapping[str, Any]], agent: Watched) -> Iterator[dict[str, Any]]:
    """The queries about an agent, without those on what it does not have."""
    words = {
        "agent": f'agent="{agent.agent.name}"',
        "claims": agent.claims,
        "available": agent.controllers.available,
        "name": agent.agent.name,
        "own": agent.own,
        "pods": agent.everything,
        "runs": agent.runs if agent.started else "",
    }
    for template in templates:
        if all(words[word] for word in _WORD.findall(template["expr"])):
            yield {**template, **{key: _WORD.sub(lambda word: words[word[1]], template[key]) for key in ("expr", "legendFormat")}}
