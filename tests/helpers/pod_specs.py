"""Valid and invalid fragments of pod specs, for the rules on Kubernetes types and for the API server that confirms them."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from scalr_agents.model import kubernetes_types
from scalr_agents.model.findings import dotted

_CONTENT = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

MISTAKES: list[dict[str, Any]] = _CONTENT["mistakes"]
ACCEPTED: list[dict[str, Any]] = _CONTENT["accepted"]
FIELDS = {
    "affinity": "Affinity",
    "containers": "[]Container!",
    "imagePullSecrets": "[]LocalObjectReference",
    "securityContext": "PodSecurityContext",
    "tolerations": "[]Toleration",
    "topologySpreadConstraints": "[]TopologySpreadConstraint",
    "volumes": "[]Volume",
}
"""The fields of a pod spec that values can give, with their types."""


def problems(spec: dict[str, Any]) -> dict[str, str]:
    """The errors of a fragment, by path."""
    found: dict[str, str] = {}
    for field, given in spec.items():
        try:
            kubernetes_types.demand(FIELDS[field].removesuffix("!"), given)
        except ValidationError as problem:
            found |= {dotted((field, *each["loc"])): each["msg"] for each in problem.errors()}
    return found


def name_of(row: dict[str, Any]) -> str:
    """The test id of a row."""
    return f"{row['at']}-{row['message']}"
