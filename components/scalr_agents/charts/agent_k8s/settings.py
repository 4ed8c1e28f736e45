"""Conversion of stack settings into values of `agent-k8s`."""

from collections.abc import Mapping

from scalr_agents.charts.shared.settings import ExtraEnvSettings, NoValueError, Text
from scalr_agents.model.merge import Values


class AgentK8sSettings(ExtraEnvSettings):
    """The settings of `agent-k8s`."""

    existing_token = ("agent", "tokenExistingSecret")

    def registry(self, registry: str) -> Values:
        return {"image": {"repository": f"{registry}/scalr/agent"}, "agent": {"container_task_image_registry": f"{registry}/"}}

    def ca_bundle(self, pem: Text) -> Values:
        if not isinstance(pem, str):
            raise NoValueError("must be known before deployment, because agent-k8s requires certificates in base64")
        import base64

        encoded = base64.b64encode(pem.encode()).decode()
        return {"agent": {"ca_cert": encoded, "container_task_ca_cert": encoded}}

    def ca_secret(self, name: str, key: str) -> Values:
        raise self._refuse("a Secret with certificates", "set them from a file")

    def nodes(self, values: Values) -> Values:
        parts = ("controller", "worker")
        return {f"{part}{word[:1].upper()}{word[1:]}": content for part in parts for word, content in values.items()}

    def pod_annotations(self, annotations: Mapping[str, Text]) -> Values:
        return {"podAnnotations": dict(annotations), "agent": {"kubernetes_task_annotations": dict(annotations)}}

    def cache(self, claim: Values, limit: Values | None = None) -> Values:
        raise self._refuse("a claim of a cache", "set efsVolumeHandle in its values, or use agent-job")

    def client_cert(self, certificate: Text | None, key: Text | None) -> Values:
        raise self._refuse("a client certificate", "use agent-job or agent-local with agents 1.1 or newer")
