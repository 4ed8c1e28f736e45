"""Conversion of stack settings into values of `agent-job`."""

from collections.abc import Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.settings import Settings, Text, given
from scalr_agents.model.merge import Values


class AgentJobSettings(Settings):
    """The settings of `agent-job`."""

    def registry(self, registry: str) -> Values:
        return {"global": {"imageRegistry": registry}}

    def pull_secrets(self, names: Sequence[str]) -> Values:
        return {"global": {"imagePullSecrets": [{"name": name} for name in names]}}

    def proxy(self, http: str, https: str, direct: str) -> Values:
        return {"global": {"proxy": {"enabled": True, "httpProxy": http, "httpsProxy": https, "noProxy": direct}}}

    def ca_bundle(self, pem: Text) -> Values:
        return {"global": {"tls": {"caBundle": pem}}}

    def ca_secret(self, name: str, key: str) -> Values:
        return {"global": {"tls": {"caBundleSecret": {"name": name, "key": key}}}}

    def otel(self, endpoint: str, *, metrics: bool, traces: bool) -> Values:
        return {"otel": {"enabled": True, "endpoint": endpoint, "metricsEnabled": metrics, "tracesEnabled": traces}}

    def labels(self, labels: Mapping[str, str]) -> Values:
        if self._knows("global.labels"):
            return {"global": {"labels": dict(labels)}}
        return {"serviceAccount": {"labels": dict(labels)}, "global": {"podLabels": dict(labels)}}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"global": {"podAnnotations": dict(annotations)}}

    def nodes(self, values: Values) -> Values:
        return {"agent": values, "task": values}

    def resources(self, given: Mapping[str, Any]) -> Values:
        return {"task": {"runner": {"resources": dict(given)}}}

    def disk(self, size: str) -> Values:
        return {"persistence": {"data": {"emptyDir": {"sizeLimit": size}}}}

    def deadline(self, seconds: int) -> Values:
        return {"task": {"job": {"activeDeadlineSeconds": seconds}}}

    def buffer(self, replicas: int) -> Values:
        return {"task": {"buffer": {"replicas": replicas}}}

    def cache(self, claim: Values) -> Values:
        return {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}}}

    def cache_limit(self, limit: Values) -> Values:
        return {"agent": {"providerCache": limit}}

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        self._require("global.tls.clientCert", "a client certificate")
        return {"global": {"tls": given(clientCert=certificate, clientKey=key)}}
