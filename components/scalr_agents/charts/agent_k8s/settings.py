"""Conversion of stack settings into values of `agent-k8s`."""

import base64
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from scalr_agents.charts.shared.settings import ExtraEnvSettings, NoValueError, Text
from scalr_agents.model import quantities
from scalr_agents.model.merge import Values

_KINDS = {"requests": "request", "limits": "limit"}
_UNITS: Mapping[str, tuple[str, Callable[[Decimal], float]]] = {
    "cpu": ("cpu", float),
    "memory": ("mem", lambda size: math.ceil(size / 2**20)),
}
"""The agent's names for what Kubernetes' ResourceRequirements have: cores, and megabytes."""


class AgentK8sSettings(ExtraEnvSettings):
    """The settings of `agent-k8s`."""

    existing_token = ("agent", "tokenExistingSecret")

    def registry(self, registry: str) -> Values:
        return {"image": {"repository": f"{registry}/scalr/agent"}, "agent": {"container_task_image_registry": f"{registry}/"}}

    def ca_bundle(self, pem: Text) -> Values:
        if not isinstance(pem, str):
            raise NoValueError("must be known before deployment, because agent-k8s requires certificates in base64")
        encoded = base64.b64encode(pem.encode()).decode()
        return {"agent": {"ca_cert": encoded, "container_task_ca_cert": encoded}}

    def ca_secret(self, name: str, key: str) -> Values:
        raise self._refuse("a Secret with certificates", "set them from a file")

    def nodes(self, values: Values) -> Values:
        parts = ("controller", "worker")
        return {f"{part}{key[:1].upper()}{key[1:]}": content for part in parts for key, content in values.items()}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"podAnnotations": dict(annotations), "agent": {"kubernetes_task_annotations": dict(annotations)}}

    def resources(self, given: Mapping[str, Any]) -> Values:
        made: Values = {}
        for kind, amounts in given.items():
            for name in amounts or ():
                if kind not in _KINDS or name not in _UNITS:
                    raise self._refuse(f"{name if kind in _KINDS else kind} of runs", "set only requests and limits of cpu and memory")
                (word, unit), amount = _UNITS[name], amounts[name]
                made[f"container_task_{word}_{_KINDS[kind]}"] = None if amount is None else unit(quantities.parse(amount))
        return {"agent": made}

    def disk(self, size: str) -> Values:
        raise self._refuse("the workspaces of runs", "use agent-job or agent-local, or a class without it")

    def cache(self, claim: Values) -> Values:
        raise self._refuse("a claim of a cache", "set efsVolumeHandle in its values, or use agent-job")

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        raise self._refuse("a client certificate", "use agent-job or agent-local with agents 1.1 or newer")
