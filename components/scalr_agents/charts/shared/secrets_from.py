"""The words for secrets that are in a store outside of the cluster, as programs write them. Stack files write them in camelCase."""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator

from scalr_agents.charts.shared.manifests.external_secrets import External
from scalr_agents.charts.shared.settings import NoValueError, Settings
from scalr_agents.model.fields import EnvName, InputName, InputText
from scalr_agents.model.findings import Finding, Path, error
from scalr_agents.model.forms import Required, refuse
from scalr_agents.model.maps import Values
from scalr_agents.model.origins import Layer
from scalr_agents.model.relations import Relations, needs
from scalr_agents.model.section import Section, Spelling, default, without_null

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
    made, findings = [], []
    translations: dict[str, Callable[[External], Values]] = {"token": settings.token, "client_key": partial(settings.client_cert, None)}
    for key, translate in translations.items():
        remote: RemoteSecret | None = getattr(given, key)
        if remote:
            try:
                made.append(Layer((*here, spell(key)), translate(given.external(remote)), from_setting=True))
            except NoValueError as problem:
                findings.append(error((*here, spell(key)), str(problem)))
    return made, findings
