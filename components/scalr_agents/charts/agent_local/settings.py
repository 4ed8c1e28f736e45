"""Conversion of stack settings into values of `agent-local`."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.shared.settings import ExtraEnvSettings, Text, given
from scalr_agents.model.merge import Values, lookup

_OTHERWISE = ", or add them to a custom image"


class AgentLocalSettings(ExtraEnvSettings):
    """The settings of `agent-local`."""

    def identity(self, annotations: Mapping[str, Text], below: Mapping[str, Any]) -> Values:
        create = {} if lookup(below, "serviceAccount", "create") is False else {"create": True}
        return {"serviceAccount": {**create, "annotations": dict(annotations)}}

    def registry(self, registry: str) -> Values:
        return {"image": {"repository": f"{registry}/{self._versions.row(self._version).repository}"}}

    def ca_bundle(self, pem: Text) -> Values:
        self._require("agent.tls.caBundle", "certificates", _OTHERWISE)
        return {"agent": {"tls": {"caBundle": pem}}}

    def ca_secret(self, name: str, key: str) -> Values:
        self._require("agent.tls.caBundleSecret", "certificates", _OTHERWISE)
        return {"agent": {"tls": {"caBundleSecret": {"name": name, "key": key}}}}

    def nodes(self, values: Values) -> Values:
        return values

    def resources(self, given: Mapping[str, Any]) -> Values:
        return {"resources": dict(given)}

    def disk(self, size: str) -> Values:
        volume: Values = {"emptyDir": {"sizeLimit": size}}
        return {"persistence": volume if self._knows("persistence.emptyDir") else {"data": volume}}

    def cache(self, claim: Values, limit: Values | None = None) -> Values:
        volume: Values = {"enabled": True, "persistentVolumeClaim": claim}
        return {"persistence": {"cache": volume} if self._knows("persistence.cache.enabled") else volume}

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        self._require("agent.tls.clientCert", "a client certificate")
        return {"agent": {"tls": given(clientCert=certificate, clientKey=key)}}
