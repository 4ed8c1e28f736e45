"""The Secrets that we create, the digest that rolls pods when one changes, and the reference to the token."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.environment import filled, mirror_list, with_token
from scalr_agents.charts.shared.external_secrets import external_secret, is_external
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.values import NetworkMirror, SecretReference
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_set
from scalr_agents.model.release import Release

DIGEST_ANNOTATION = "checksum/secrets"

_UNGUESSABLE = ("token", "client-cert")
"""Roles of Secrets whose content cannot be guessed: the token of an agent pool, a private key."""

T = TypeVar("T")
_NONE: Mapping[str, Any] = {}

SecretData = dict[str, dict[str, str | Deferred]]
"""Contents of the Secrets of a release: role (`token`, `env`, `ca-bundle`, `client-cert`) to keys and values."""


def token(content: str | Deferred, existing: str | Deferred) -> dict[str, str | Deferred]:
    """Content of the Secret with the token, unless an existing one is used."""
    return {} if is_set(existing) else {contract.TOKEN_KEY: content}


def environment(inputs: Inputs, mirrors: Sequence[NetworkMirror] = ()) -> dict[str, str | Deferred]:
    """Content of the Secret with the user's variables, and with the list of mirrors if one of them has a token."""
    complete = filled(mirrors, inputs.mirror_tokens)
    listed = mirror_list(complete) if inputs.network_mirrors is None else inputs.network_mirrors
    secret = {contract.MIRRORS_VARIABLE: listed} if with_token(complete) else {}
    return dict(sorted({**secret, **inputs.secret_env}.items()))


def objects(
    secret_data: SecretData,
    release: Release,
    *,
    annotations: Mapping[str, Any] = _NONE,
    labels: Mapping[str, Mapping[str, str]] = _NONE,
) -> dict[str, Manifest]:
    """The Secrets of a release, without empty ones, or an ExternalSecret for each that has a value from a store.

    `annotations` are those of all Secrets, `labels` those of each, by its role.
    """
    names = release.names
    by_role = {
        "token": names.token_secret,
        "env": names.env_secret,
        "ca-bundle": names.ca_bundle_secret,
        "client-cert": names.client_cert_secret,
    }
    made: dict[str, Manifest] = {}
    for role, data in secret_data.items():
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": release.metadata(by_role[role], annotations=annotations, labels=labels.get(role, _NONE)),
            "type": "Opaque",
            "stringData": dict(data),
        }
        if is_external(data):
            made[f"{role}-external-secret"] = external_secret(secret)
        elif data:
            made[f"{role}-secret"] = secret
    return made


def contents(secret_data: Mapping[str, Mapping[str, T]]) -> list[str | T]:
    """All keys and values of the Secrets in a stable order, the input of `digest`."""
    return [part for data in secret_data.values() for pair in data.items() for part in pair]


def needs_key(secret_data: Mapping[str, Mapping[str, T]]) -> bool:
    """Whether the digest needs a key: without one, values of variables could be guessed from it by trial."""
    return bool(secret_data.get("env")) and not any(secret_data.get(role) for role in _UNGUESSABLE)


def digest(secret_data: Mapping[str, Mapping[str, str]], key: str = "") -> str:
    """An HMAC-SHA256 of the contents, which changes when one of them, their number or their order changes.

    Its key is a Secret's value that cannot be guessed, or `key` if there is none.
    """
    own = "".join(value for role in _UNGUESSABLE for value in secret_data.get(role, {}).values())
    total = hmac.new((own or key).encode(), digestmod=hashlib.sha256)
    for string in contents(secret_data):
        data = string.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def known_digest(secret_data: SecretData) -> str | None:
    """The digest, if all contents are known and cannot be guessed from it."""
    known = {role: {key: value for key, value in data.items() if isinstance(value, str)} for role, data in secret_data.items()}
    return digest(known) if known == secret_data and contents(known) and not needs_key(known) else None


def token_reference(existing: SecretReference, made: str) -> tuple[str | Deferred, str]:
    """Name and key of the Secret with the token. The user's key applies only to the user's Secret."""
    return (existing.name, existing.key) if is_set(existing.name) else (made, contract.TOKEN_KEY)
