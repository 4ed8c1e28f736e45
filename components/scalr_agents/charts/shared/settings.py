"""Words that mean the same for every kind of agent, as values of a kind's chart.

Stack files and components say `url`, `proxy` or `cache` without knowing the chart; what a kind or line cannot express is refused with
what can.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from scalr_agents.model.fields import Deferred
from scalr_agents.model.lines import Line
from scalr_agents.model.merge import Values, lookup

Text = str | Deferred


class NoValueError(ValueError):
    """A word that a kind or line has no value for; the text says what has."""


class Words(ABC):
    """The words of one kind, for one line."""

    existing_token: tuple[str, ...] = ("agent", "tokenExistingSecret", "name")
    """Where values name an existing Secret with the token."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def url(self, url: Text) -> Values:
        return {"agent": {"url": url}}

    def token(self, token: Text) -> Values:
        return {"agent": {"token": token}}

    def identity(self, annotations: Mapping[str, Text], below: Mapping[str, Any]) -> Values:
        """`below` are the values that the word wins over."""
        return {"serviceAccount": {"annotations": dict(annotations)}}

    @abstractmethod
    def registry(self, registry: str) -> Values: ...

    @abstractmethod
    def pull_secrets(self, names: Sequence[str]) -> Values: ...

    @abstractmethod
    def proxy(self, http: str, https: str, direct: str) -> Values: ...

    @abstractmethod
    def ca_bundle(self, pem: Text) -> Values: ...

    @abstractmethod
    def ca_secret(self, name: str, key: str) -> Values: ...

    @abstractmethod
    def otel(self, endpoint: str, *, metrics: bool, traces: bool) -> Values: ...

    @abstractmethod
    def labels(self, labels: Mapping[str, str]) -> Values: ...

    @abstractmethod
    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values: ...

    @abstractmethod
    def nodes(self, values: Values) -> Values: ...

    @abstractmethod
    def cache(self, claim: Values) -> Values: ...

    @abstractmethod
    def client_cert(self, certificate: Text | None, key: Text | None) -> Values: ...

    def _refuse(self, word: str, instead: str) -> NoValueError:
        return NoValueError(f"{self.line.chart} of agents {self.line.versions} has no value for {word}; {instead}")


class AgentJobWords(Words):
    """The words of `agent-job`."""

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
        if self.line.generation == "current":
            return {"global": {"labels": dict(labels)}}
        return {"serviceAccount": {"labels": dict(labels)}, "global": {"podLabels": dict(labels)}}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"global": {"podAnnotations": dict(annotations)}}

    def nodes(self, values: Values) -> Values:
        return {"agent": values, "task": values}

    def cache(self, claim: Values) -> Values:
        return {"persistence": {"cache": {"enabled": True, "persistentVolumeClaim": claim}}}

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        if self.line.generation == "legacy":
            raise self._refuse("a client certificate", "agents 1.2 or newer have one")
        return {"global": {"tls": _given(clientCert=certificate, clientKey=key)}}


class _ExtraEnvWords(Words):
    """Words of charts that leave proxies and telemetry to variables."""

    def pull_secrets(self, names: Sequence[str]) -> Values:
        return {"imagePullSecrets": [{"name": name} for name in names]}

    def proxy(self, http: str, https: str, direct: str) -> Values:
        named = {"HTTP_PROXY": http, "HTTPS_PROXY": https, "NO_PROXY": direct}
        return {"extraEnv": {name: value for name, value in named.items() if value}}

    def otel(self, endpoint: str, *, metrics: bool, traces: bool) -> Values:
        switches = {"METRICS": metrics, "TRACES": traces}
        on = {f"SCALR_AGENT_OTLP_{name}_ENABLED": "true" for name, enabled in switches.items() if enabled}
        return {"extraEnv": {"SCALR_AGENT_OTLP_ENDPOINT": endpoint, **on}}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"podAnnotations": dict(annotations)}

    def labels(self, labels: Mapping[str, str]) -> Values:
        raise self._refuse("labels of all pods", "agent-job has one")


class AgentLocalWords(_ExtraEnvWords):
    """The words of `agent-local`."""

    def identity(self, annotations: Mapping[str, Text], below: Mapping[str, Any]) -> Values:
        create = {} if lookup(below, "serviceAccount", "create") is False else {"create": True}
        return {"serviceAccount": {**create, "annotations": dict(annotations)}}

    def registry(self, registry: str) -> Values:
        return {"image": {"repository": f"{registry}/scalr/{'agent-runner' if self.line.generation == 'legacy' else 'agent'}"}}

    def ca_bundle(self, pem: Text) -> Values:
        return {"agent": {"tls": {"caBundle": pem}}} if self._has_tls() else {}

    def ca_secret(self, name: str, key: str) -> Values:
        return {"agent": {"tls": {"caBundleSecret": {"name": name, "key": key}}}} if self._has_tls() else {}

    def nodes(self, values: Values) -> Values:
        return values

    def cache(self, claim: Values) -> Values:
        volume: Values = {"enabled": True, "persistentVolumeClaim": claim}
        return {"persistence": volume if self.line.generation == "legacy" else {"cache": volume}}

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        return {"agent": {"tls": _given(clientCert=certificate, clientKey=key)}} if self._has_tls() else {}

    def _has_tls(self) -> bool:
        if self.line.generation == "legacy":
            raise self._refuse("certificates", "agents 1.2 or newer have one, or put them into an image of your own")
        return True


class AgentK8sWords(_ExtraEnvWords):
    """The words of `agent-k8s`."""

    existing_token = ("agent", "tokenExistingSecret")

    def registry(self, registry: str) -> Values:
        return {"image": {"repository": f"{registry}/scalr/agent"}, "agent": {"container_task_image_registry": f"{registry}/"}}

    def ca_bundle(self, pem: Text) -> Values:
        if not isinstance(pem, str):
            raise NoValueError("must be known before deployment: agent-k8s takes certificates encoded in base64")
        import base64

        encoded = base64.b64encode(pem.encode()).decode()
        return {"agent": {"ca_cert": encoded, "container_task_ca_cert": encoded}}

    def ca_secret(self, name: str, key: str) -> Values:
        raise self._refuse("a Secret with certificates", "give them as a file")

    def nodes(self, values: Values) -> Values:
        parts = ("controller", "worker")
        return {f"{part}{word[:1].upper()}{word[1:]}": content for part in parts for word, content in values.items()}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"podAnnotations": dict(annotations), "agent": {"kubernetes_task_annotations": dict(annotations)}}

    def cache(self, claim: Values) -> Values:
        raise self._refuse("a claim of a cache", "set efsVolumeHandle in its values, or use agent-job")

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        raise self._refuse("a client certificate", "agent-job and agent-local of agents 1.2 or newer have one")


def _given(**values: Any) -> Values:
    return {key: value for key, value in values.items() if value is not None}


_WORDS: dict[str, type[Words]] = {"agent-job": AgentJobWords, "agent-local": AgentLocalWords, "agent-k8s": AgentK8sWords}


def of(line: Line) -> Words:
    """The words of a line's kind."""
    return _WORDS[line.chart](line)
