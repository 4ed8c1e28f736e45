"""The CA bundle and the client certificate of agents: contents of Secrets, volumes, mounts, variables, and cross-checks."""

import re
from collections.abc import Sequence

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.environment import Env, variables
from scalr_agents.charts.shared.values import ClientCertSecret, Tls
from scalr_agents.charts.shared.volumes import mount
from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Deferred, is_set
from scalr_agents.model.release import Names

_KEY = re.compile(r"-----BEGIN (EC |RSA )?PRIVATE KEY-----\s(?:(?!-----).)+-----END (EC |RSA )?PRIVATE KEY-----", re.DOTALL)


def ca_bundle(tls: Tls) -> dict[str, str | Deferred]:
    """Content of the Secret with the CA bundle, unless an existing one is used."""
    made = is_set(tls.ca_bundle) and not is_set(tls.ca_bundle_secret.name)
    return {tls.ca_bundle_secret.key: tls.ca_bundle} if made else {}


def client_cert(tls: Tls) -> dict[str, str | Deferred]:
    """Content of the Secret with the client certificate and key, unless an existing one is used."""
    existing = tls.client_cert_secret
    made = is_set(tls.client_cert) and is_set(tls.client_key) and not is_set(existing.name)
    return {existing.cert_key: tls.client_cert, existing.key_key: tls.client_key} if made else {}


def ca_environment(tls: Tls) -> Env:
    """The variables with the path of the CA bundle."""
    return variables({"SCALR_AGENT_CA_CERT": contract.CA_FILE, "SSL_CERT_FILE": contract.CA_FILE}) if tls.has_bundle else []


def environment(tls: Tls) -> Env:
    """The variables with the paths of the CA bundle and of the client certificate."""
    directory = contract.CLIENT_CERT_DIR
    files = {"SCALR_AGENT_TLS_CERT_FILE": f"{directory}/tls.crt", "SCALR_AGENT_TLS_KEY_FILE": f"{directory}/tls.key"}
    return ca_environment(tls) + (variables(files) if _has_pair(tls) else [])


def of_pod(tls: Tls, names: Names) -> list[Manifest]:
    """The volumes of the CA bundle and of the client certificate."""
    bundle, pair = tls.ca_bundle_secret, tls.client_cert_secret
    keys = [(bundle.key, bundle.key)]
    files = [(pair.cert_key, "tls.crt"), (pair.key_key, "tls.key")]
    return [
        *([_volume(contract.CA_VOLUME, bundle.name, names.ca_bundle_secret, keys)] if tls.has_bundle else []),
        *([_volume(contract.CLIENT_CERT_VOLUME, pair.name, names.client_cert_secret, files)] if _has_pair(tls) else []),
    ]


def ca_mounts(tls: Tls) -> list[Manifest]:
    """The volume mount of the CA bundle."""
    return [mount(contract.CA_VOLUME, contract.CA_FILE, tls.ca_bundle_secret.key, read_only=True)] if tls.has_bundle else []


def mounts(tls: Tls) -> list[Manifest]:
    """The volume mounts of the CA bundle and of the client certificate."""
    return ca_mounts(tls) + ([mount(contract.CLIENT_CERT_VOLUME, contract.CLIENT_CERT_DIR, read_only=True)] if _has_pair(tls) else [])


def _has_pair(tls: Tls) -> bool:
    """Whether there is a Secret with the client certificate and its key."""
    return is_set(tls.client_cert_secret.name) or bool(client_cert(tls))


def _volume(name: str, existing: str | Deferred, made: str, files: Sequence[tuple[str, str]]) -> Manifest:
    """The volume of a Secret, an existing one or the one that is made here, with its keys as files."""
    items = [{"key": key, "path": path} for key, path in files]
    return {"name": name, "secret": {"secretName": existing if is_set(existing) else made, "items": items}}


def check(path: str, settings: Tls) -> Findings:
    """The CA bundle and the client certificate."""
    yield from checks.ca_bundle(f"{path}.caBundle", settings.ca_bundle)
    if is_set(settings.ca_bundle) and is_set(settings.ca_bundle_secret.name):
        yield warning(f"{path}.caBundle", f"has no effect: {path}.caBundleSecret.name is set, and the existing Secret takes precedence")
    yield from _check_client_cert(path, settings.client_cert, settings.client_key, settings.client_cert_secret)


def _check_client_cert(path: str, certificate: str | Deferred, key: str | Deferred, existing: ClientCertSecret) -> Findings:
    """Certificate and key for mutual TLS: both or neither, as PEM, under two keys of a Secret."""
    if existing.cert_key == existing.key_key:
        yield error(f"{path}.clientCertSecret.keyKey", f"{existing.key_key!r} is already the key of the certificate; use another key")
    given = {"clientCert": certificate, "clientKey": key}
    for name, value in given.items():
        if is_set(value) and is_set(existing.name):
            yield warning(f"{path}.{name}", "has no effect: clientCertSecret.name is set, and the existing Secret takes precedence")
    if is_set(existing.name):
        return
    if is_set(certificate) != is_set(key):
        missing, present = ("clientKey", "clientCert") if is_set(certificate) else ("clientCert", "clientKey")
        yield error(f"{path}.{present}", f"requires {missing}: without it, the agent does not use mutual TLS")
    for name, value, form in (("clientCert", certificate, checks.CERTIFICATE), ("clientKey", key, _KEY)):
        if isinstance(value, str) and value and not form.search(value):
            yield error(f"{path}.{name}", f"not PEM: expected a {'private key' if form is _KEY else 'certificate'}")
