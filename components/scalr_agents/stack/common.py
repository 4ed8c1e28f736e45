"""Translates the words that all kinds share into the values of a kind's chart."""

from collections.abc import Mapping
from pathlib import Path

from scalr_agents.stack.model import PREFIX, Ca, Common, Nodes, Otel, Proxy
from scalr_agents.stack.source import SourceError, read_text
from scalr_agents.values import Finding
from scalr_agents.values.fields import Deferred
from scalr_agents.values.layers import Layer
from scalr_agents.values.merge import Values

_PLACE = f"{PREFIX}:common"
_ALWAYS_DIRECT = ["$(KUBERNETES_SERVICE_HOST)", "localhost", "127.0.0.1", ".svc", ".cluster.local"]
"""Never through a proxy: the cluster's API, which pods reach by its address, and names inside the cluster."""


def layers(common: Common, directory: Path) -> tuple[list[Layer], list[Finding]]:
    """The words of `common` as layers of values of agent-job."""
    bundle, findings = _ca(common.ca, directory) if common.ca else ({}, [])
    labels, annotations, secrets = common.labels, common.pod_annotations, common.image_pull_secrets
    words: dict[str, Values | None] = {
        "url": {"agent": {"url": common.url}} if common.url else None,
        "imageRegistry": _global(imageRegistry=common.image_registry) if common.image_registry else None,
        "imagePullSecrets": _global(imagePullSecrets=[{"name": name} for name in secrets]) if secrets else None,
        "proxy": _global(proxy=_proxy(common.proxy)) if common.proxy else None,
        "ca": bundle,
        "otel": {"otel": _otel(common.otel)} if common.otel else None,
        "labels": {"serviceAccount": {"labels": labels}, **_global(podLabels=labels)} if labels else None,
        "podAnnotations": _global(podAnnotations=annotations) if annotations else None,
    }
    return [Layer(f"{_PLACE}.{word}", values, word=True) for word, values in words.items() if values], findings


def _global(**values: object) -> Values:
    return {"global": values}


def _proxy(proxy: Proxy) -> Values:
    return {
        "enabled": True,
        "httpProxy": proxy.http,
        "httpsProxy": proxy.https,
        "noProxy": ",".join(dict.fromkeys([*_ALWAYS_DIRECT, *proxy.except_])),
    }


def _otel(otel: Otel) -> Values:
    return {"enabled": True, "endpoint": otel.endpoint, "metricsEnabled": otel.metrics, "tracesEnabled": otel.traces}


def _ca(ca: Ca, directory: Path) -> tuple[Values, list[Finding]]:
    if bool(ca.file) == bool(ca.secret):
        return {}, [Finding("error", f"{_PLACE}.ca", "needs one of file and secret")]
    if ca.secret:
        return _global(tls={"caBundleSecret": {"name": ca.secret, "key": ca.key}}), []
    try:
        return _global(tls={"caBundle": read_text(directory / ca.file)}), []
    except SourceError as problem:
        return {}, [Finding("error", f"{_PLACE}.ca.file", str(problem))]


def nodes(place: str, given: Nodes | None) -> list[Layer]:
    """An agent's nodes, as a layer that wins over its values."""
    if given is None:
        return []
    values: Values = {
        **({"nodeSelector": given.selector} if given.selector else {}),
        **({"tolerations": given.tolerations} if given.tolerations else {}),
    }
    return [Layer(f"{place}.nodes", {"agent": values, "task": values}, word=True)]


def identity(place: str, annotations: Mapping[str, str | Deferred]) -> list[Layer]:
    """An agent's identity in a cloud, as a layer that wins over its values."""
    values: Values = {"serviceAccount": {"annotations": annotations}}
    return [Layer(f"{place}.identity", values, word=True)] if annotations else []
