"""Secrets whose content is in a store outside of the cluster: ExternalSecrets of the External Secrets Operator, version 0.16 or newer.

The operator reads the store and makes the Secret. It has the name that our own Secret has, so that pods do not change with its origin.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred

API_VERSION = "external-secrets.io/v1"
KIND = "ExternalSecret"


@dataclass(frozen=True)
class External(Deferred):
    """A value that is in a store, in place of the value itself: only the operator reads it."""

    store: str | Deferred
    store_kind: str
    refresh_interval: str
    key: str | Deferred
    property: str | Deferred


def is_external(data: Mapping[str, Any]) -> bool:
    """Whether the operator makes the Secret with this content."""
    return any(isinstance(value, External) for value in data.values())


def external_secret(secret: Manifest) -> Manifest:
    """The object from which the operator makes this Secret. Values that are not from a store must be public: they are in it in plain text.

    Without metadata in the template, the operator would copy all annotations of the ExternalSecret, including those of Pulumi.
    """
    metadata = secret["metadata"]
    annotations = {key: _literal(value) for key, value in metadata.get("annotations", {}).items()}
    external = {key: value for key, value in secret["stringData"].items() if isinstance(value, External)}
    public = {key: _literal(value) for key, value in secret["stringData"].items() if key not in external}
    origin = next(iter(external.values()))
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": metadata,
        "spec": {
            "refreshInterval": origin.refresh_interval,
            "secretStoreRef": {"name": origin.store, "kind": origin.store_kind},
            "target": {
                "name": metadata["name"],
                "creationPolicy": "Owner",
                "template": {
                    "type": secret["type"],
                    "metadata": present({"labels": metadata["labels"], "annotations": annotations}),
                    **({"data": public, "mergePolicy": "Merge"} if public else {}),
                },
            },
            "data": [
                {"secretKey": key, "remoteRef": present({"key": value.key, "property": value.property})} for key, value in external.items()
            ],
        },
    }


def _literal(text: Any) -> Any:
    """A text that the operator's template leaves as it is."""
    return text.replace("{{", '{{"{{"}}') if isinstance(text, str) else text
