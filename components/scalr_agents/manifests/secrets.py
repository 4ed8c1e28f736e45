"""Secrets that we hold, the digest that rolls pods when one changes, and references to them."""

from collections.abc import Iterable, Mapping

from scalr_agents import contract
from scalr_agents.manifests.objects import Manifest
from scalr_agents.release import Release
from scalr_agents.values.agent_job import AgentJobValues
from scalr_agents.values.common import SecretReference, Tls
from scalr_agents.values.fields import Deferred, is_set
from scalr_agents.values.inputs import Inputs

DIGEST_ANNOTATION = "checksum/secrets"


def objects(values: AgentJobValues, release: Release, inputs: Inputs) -> dict[str, Manifest]:
    """The Secrets made for a release: token, environment, CA bundle; each only if its content is handed in."""
    content = _contents(values, inputs)
    names = {"token": release.names.token_secret, "env": release.names.env_secret, "ca-bundle": release.names.ca_bundle_secret}
    return {f"{role}-secret": _secret(names[role], release, data) for role, data in content.items()}


def _secret(name: str, release: Release, data: Mapping[str, str | Deferred]) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": release.metadata(name),
        "type": "Opaque",
        "stringData": dict(data),
    }


def _contents(values: AgentJobValues, inputs: Inputs) -> dict[str, dict[str, str | Deferred]]:
    tls = values.global_.tls
    made = {
        "token": {} if is_set(values.agent.token_existing_secret.name) else {contract.TOKEN_KEY: values.agent.token},
        "env": dict(sorted(inputs.secret_env.items())),
        "ca-bundle": {tls.ca_bundle_secret.key: tls.ca_bundle} if is_set(tls.ca_bundle) and not is_set(tls.ca_bundle_secret.name) else {},
    }
    return {role: data for role, data in made.items() if data}


def contents(values: AgentJobValues, inputs: Inputs) -> list[str | Deferred]:
    """Everything that the release's own Secrets hold, keys and values, in a stable order: what `digest` is made of."""
    return [part for data in _contents(values, inputs).values() for pair in data.items() for part in pair]


def digest(strings: Iterable[str]) -> str:
    """A SHA-256 over strings that changes when one of them, their number or their order does."""
    import hashlib

    total = hashlib.sha256()
    for string in strings:
        data = string.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def digest_annotation(values: AgentJobValues, inputs: Inputs) -> dict[str, str | Deferred]:
    """The pod annotation that rolls a Deployment when a Secret of ours changes; nothing where their content is not known."""
    if inputs.secrets_digest is not None:
        return {DIGEST_ANNOTATION: inputs.secrets_digest}
    held = contents(values, inputs)
    known = [part for part in held if isinstance(part, str)]
    return {DIGEST_ANNOTATION: digest(known)} if held and len(known) == len(held) else {}


def token_reference(existing: SecretReference, made: str) -> tuple[str | Deferred, str]:
    """Name and key of the Secret with the token. The key is the user's only where the Secret is."""
    return (existing.name, existing.key) if is_set(existing.name) else (made, contract.TOKEN_KEY)


def ca_bundle_reference(tls: Tls, made: str) -> str | Deferred | None:
    """Name of the Secret with the CA bundle, if there is one."""
    if is_set(tls.ca_bundle_secret.name):
        return tls.ca_bundle_secret.name
    return made if is_set(tls.ca_bundle) else None
