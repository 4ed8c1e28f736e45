"""The argument `secrets_from` of the components: secrets that the External Secrets Operator reads from a store."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

import pulumi

from scalr_agents.resources import literals


class SecretStoreArgs(TypedDict):
    """A store, an object of the External Secrets Operator."""

    name: pulumi.Input[str]
    """Name of the store."""
    kind: NotRequired[literals.StoreKind]
    """`SecretStore` (default), in the agent's namespace, or `ClusterSecretStore`."""


class RemoteSecretArgs(TypedDict):
    """A value in a store."""

    key: pulumi.Input[str]
    """Name of the secret in the store."""
    property: NotRequired[pulumi.Input[str]]
    """Property of that secret, if it has several. Default: its whole content."""


class SecretsFromArgs(TypedDict):
    """Secrets that the External Secrets Operator reads from a store. For each Secret there is an ExternalSecret of the same name."""

    store: SecretStoreArgs
    """The store."""
    refresh_interval: NotRequired[str]
    """How often the operator reads the store. Default: `1h`; `0s` reads it only once."""
    token: NotRequired[RemoteSecretArgs]
    """Token of the agent pool."""
    env: NotRequired[Mapping[str, RemoteSecretArgs]]
    """Secret environment variables, by name. Runs get all but those named `SCALR_*`."""
    client_key: NotRequired[RemoteSecretArgs]
    """Private key of the agent for mutual TLS, in PEM. Its certificate belongs in the values."""
