"""Settings that have the same meaning for every kind of agent, and their conversion into values of a chart.

Stack files and components have `url`, `proxy` or `cache` independently of the chart. A chart or version that has no such setting
rejects it, with an alternative.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.versions import Table
from scalr_agents.model.findings import Finding, Path, error
from scalr_agents.model.maps import Deferred, Values
from scalr_agents.model.origins import Layer

Text = str | Deferred
_OTHERWISE = "use agent-job, or a class without it"


class NoValueError(ValueError):
    """A setting for which a chart or version has no value. The text names an alternative."""


class Settings(ABC):
    """The settings of one agent version of a chart."""

    existing_token: tuple[str, ...] = ("agent", "tokenExistingSecret", "name")
    """Path of the value with the name of an existing token Secret."""

    def __init__(self, versions: Table[Any], version: str | None) -> None:
        """`None` means the chart's default version. Raises `LineError` for an unsupported version."""
        self.line = versions.line(version)
        self._versions, self._version = versions, version or self.line.default_version

    def url(self, url: Text) -> Values:
        return {"agent": {"url": url}}

    def token(self, token: Text) -> Values:
        return {"agent": {"token": token}}

    def identity(self, annotations: Mapping[str, Text], below: Mapping[str, Any]) -> Values:
        """`below` are the values over which the setting takes precedence."""
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
    def resources(self, given: Mapping[str, Any]) -> Values:
        """The resources of a run, Kubernetes ResourceRequirements."""

    @abstractmethod
    def disk(self, size: str) -> Values:
        """The size of a run's workspace on the disk of its node."""

    def deadline(self, seconds: int) -> Values:
        """Seconds after which a run ends."""
        raise self._refuse("a deadline of runs", _OTHERWISE)

    def buffer(self, replicas: int) -> Values:
        """The number of placeholders, which reserve room for runs."""
        raise self._refuse("placeholders", _OTHERWISE)

    @abstractmethod
    def cache(self, claim: Values) -> Values:
        """A cache on a claim."""

    def cache_limit(self, limit: Values) -> Values:
        """The agent's own limit of its cache (`enabled`, `sizeLimit`). No values for charts whose agents have none."""
        return {}

    @abstractmethod
    def client_cert(self, certificate: Text | None, key: Text | None) -> Values: ...

    def _knows(self, path: str) -> bool:
        return self._versions.supports(self._version, path)

    def _require(self, path: str, what: str, otherwise: str = "") -> None:
        """Raise `NoValueError` if the agents do not support the value for what is set."""
        if not self._knows(path):
            chart, ignorant = self.line.chart, self._versions.unsupported_range(self._version, path)
            advice = f"use agents {self._versions.supported_range(path)}{otherwise}"
            raise NoValueError(f"{chart} of agents {ignorant} has no value for {what}; {advice}")

    def _refuse(self, word: str, instead: str) -> NoValueError:
        return NoValueError(f"{self.line.chart} of agents {self.line.versions} has no value for {word}; {instead}")


class ExtraEnvSettings(Settings):
    """Settings of charts in which proxies and telemetry are configured by variables."""

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
        raise self._refuse("labels of all pods", "set them in the values of each agent-job agent instead (global.podLabels)")


def given(**values: Any) -> Values:
    """The values that are not `None`."""
    return {key: value for key, value in values.items() if value is not None}


def translated(above: Path, given: Iterable[tuple[str, Callable[[], Values]]]) -> tuple[list[Layer], list[Finding]]:
    """Settings below a path as layers of values, and an error for each that the chart or its version has no value for."""
    layers, findings = [], []
    for key, translate in given:
        try:
            layers.append(Layer((*above, key), translate(), from_setting=True))
        except NoValueError as problem:
            findings.append(error((*above, key), str(problem)))
    return layers, findings
