"""The alerts of a stack as Prometheus reads them: PrometheusRules of its operator, or a rules file."""

from collections.abc import Sequence
from typing import Any

from scalr_agents.model import yaml_io
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.observability import alerts
from scalr_agents.observability.watched import Watched
from scalr_agents.stack.model import Observability

RUNBOOKS = "docs/alerts.md"
"""Where what to do about an alert is: a section for each, by its name."""


def rule(watched: Watched, settings: Observability) -> Manifest:
    """The PrometheusRule of an agent. It is in the agent's namespace, with whose metrics alone the operator may be told to evaluate it."""
    release = watched.agent.release
    metadata = release.metadata(f"{release.full_name}-alerts")
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": metadata | {"labels": {**metadata["labels"], **settings.labels}},
        "spec": {"groups": [_group(watched, settings)]},
    }


def file(watched: Sequence[Watched], settings: Observability) -> str:
    """The alerts of all agents as a rules file of Prometheus."""
    return yaml_io.dump([{"groups": [_group(each, settings) for each in watched]}])


def _group(watched: Watched, settings: Observability) -> dict[str, Any]:
    name = f"scalr-agents.{watched.namespace}.{watched.agent.release.full_name}"
    return {"name": name, "rules": [_rule(alert, watched, settings) for alert in alerts.of(watched)]}


def _rule(alert: alerts.Alert, watched: Watched, settings: Observability) -> dict[str, Any]:
    return present(
        {
            "alert": alert.name,
            "expr": alert.expr,
            "for": alert.after,
            "keep_firing_for": alert.keep,
            "labels": {"severity": alert.severity, "agent": watched.agent.name, "kind": watched.agent.kind},
            "annotations": {
                "summary": alert.summary,
                "description": f"{alert.description} Look: {alert.look}",
                "runbook_url": f"{settings.runbooks or RUNBOOKS}#{alert.name.lower()}",
            },
        }
    )
