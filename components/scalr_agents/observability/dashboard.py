"""The dashboard of a stack: a template about one agent, made with Grafana's own library, and filled in for each."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from scalr_agents.model.manifests import Manifest
from scalr_agents.observability.watched import Watched

TEMPLATE = Path(__file__).with_name("dashboard.json")
_WORD = re.compile(r"<(\w+)>")


def dashboard(watched: Sequence[Watched], cluster: str) -> dict[str, Any]:
    """The dashboard with a query for each agent in each panel, as Grafana imports it. `cluster` is the cluster's name, or empty."""
    made: dict[str, Any] = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    first = watched[0].agent.release
    made["title"] += f" ({cluster or first.namespace})"
    made["uid"] += f"-{sha256(f'{cluster}/{first.namespace}/{first.full_name}'.encode()).hexdigest()[:12]}"
    for panel in made["panels"]:
        targets = [target for each in watched for target in _targets(panel["targets"], each)]
        panel["targets"] = [{**target, "refId": f"Q{number}"} for number, target in enumerate(targets)]
    return made


def config_map(watched: Sequence[Watched], cluster: str) -> Manifest:
    """The dashboard as the sidecar of Grafana reads it. It belongs to the first agent, whose namespace and name it has."""
    release = watched[0].agent.release
    metadata = release.metadata(f"{release.full_name}-dashboard")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata | {"labels": {**metadata["labels"], "grafana_dashboard": "1"}},
        "data": {f"{release.namespace}.{release.full_name}.json": json.dumps(dashboard(watched, cluster), sort_keys=True)},
    }


def _targets(templates: Sequence[Mapping[str, Any]], watched: Watched) -> Iterator[dict[str, Any]]:
    """The queries about an agent, without those on what it does not have."""
    words = {
        "agent": f'agent="{watched.agent.name}"',
        "claims": watched.claims,
        "available": watched.controllers.available,
        "name": watched.agent.name,
        "own": watched.own,
        "pods": watched.everything,
        "runs": watched.runs if watched.started else "",
    }
    for template in templates:
        if all(words[word] for word in _WORD.findall(template["expr"])):
            yield {**template, **{key: _WORD.sub(lambda word: words[word[1]], template[key]) for key in ("expr", "legendFormat")}}
