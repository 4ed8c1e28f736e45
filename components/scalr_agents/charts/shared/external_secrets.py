"""Secrets whose content is in a store outside of the cluster: ExternalSecrets of the External Secrets Operator, version 0.16 or newer.

The operator reads the store and makes the Secret. It has the name that our own Secret has, so that pods do not change with its origin. The
words for the store are here as programs write them; stack files write them in camelCase.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator

from scalr_agents.charts.shared.settings import Settings, translated
from scalr_agents.model.fields import EnvName, InputName, InputText
from scalr_agents.model.findings import Finding, Path
from scalr_agents.model.forms import Required, refuse
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred, Values
from scalr_agents.model.origins import Layer
from scalr_agents.model.relations import Relations, needs
from scalr_agents.model.section import Section, Spelling, default, without_null

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


StoreKind = Literal["SecretStore", "ClusterSecretStore"]

_INTERVAL = r"0|([0-9]+(\.[0-9]+)?(h|m|s|ms|us|µs|ns))+"
"""A duration as Go parses it, without a sign."""


def _interval(value: str) -> str:
    if not re.fullmatch(_INTERVAL, value):
        refuse("interval", "not a duration such as 1h, 30m or 1h30m; the units are h, m and s (there is no unit for days), 0s is never")
    return value


class SecretStore(Section):
    """The store, an object of the External Secrets Operator."""

    name: Annotated[InputName, Required("set the name of the store")] = ""
    """Name of the store. Required."""
    kind: StoreKind = "SecretStore"
    """`SecretStore`, in the agent's namespace, or `ClusterSecretStore`."""


class RemoteSecret(Section):
    """A value in the store."""

    key: Annotated[InputText, Required("set the name of the secret in the store")] = ""
    """Name of the secret in the store. Required."""
    property: InputText = ""
    """Property of that secret, if it has several. Default: its whole content."""


class SecretsFrom(Section):
    """Secrets that the External Secrets Operator reads from a store. For each Secret there is an ExternalSecret of the same name."""

    store: SecretStore = default(SecretStore)
    """The store. Required."""
    refresh_interval: Annotated[str, AfterValidator(_interval)] = "1h"
    """How often the operator reads the store, for instance `30m`; `0s` reads it only once."""
    token: RemoteSecret | None = None
    """Token of the agent pool."""
    env: Annotated[dict[EnvName, RemoteSecret], BeforeValidator(without_null)] = {}
    """Secret environment variables, by name. Runs get all but those named `SCALR_*`."""
    client_key: RemoteSecret | None = None
    """Private key of the agent for mutual TLS, in PEM. Its certificate belongs in the values."""

    relations: ClassVar[Relations] = (needs("token", "env", "client_key", because="set {token}, {env} or {client_key}"),)

    def external(self, remote: RemoteSecret) -> External:
        """A value of the store, as the value of a field."""
        return External(self.store.name, self.store.kind, self.refresh_interval, remote.key, remote.property)

    def variables(self) -> dict[str, External]:
        """The secret environment variables."""
        return {name: self.external(remote) for name, remote in self.env.items()}


def layers(given: SecretsFrom, settings: Settings, here: Path, spell: Spelling) -> tuple[list[Layer], list[Finding]]:
    """The words that are at `here` as values of a chart, one layer for each, and an error for each that the chart has no value for."""
    translations: dict[str, Callable[[External], Values]] = {"token": settings.token, "client_key": partial(settings.client_cert, None)}
    remote = ((key, getattr(given, key)) for key in translations)
    return translated(here, ((spell(key), partial(translations[key], given.external(each))) for key, each in remote if each))
