"""Cross-checks of certificate authorities and client certificates."""

import re

from scalr_agents.charts.shared.values import ClientCertSecret, Tls
from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.maps import Deferred, is_set

_KEY = re.compile(r"-----BEGIN (EC |RSA )?PRIVATE KEY-----\s(?:(?!-----).)+-----END (EC |RSA )?PRIVATE KEY-----", re.DOTALL)


def tls(path: str, settings: Tls) -> Findings:
    """The CA bundle and the client certificate."""
    yield from checks.ca_bundle(f"{path}.caBundle", settings.ca_bundle)
    if is_set(settings.ca_bundle) and is_set(settings.ca_bundle_secret.name):
        yield warning(f"{path}.caBundle", f"has no effect: {path}.caBundleSecret.name is set, and the existing Secret takes precedence")
    yield from client_cert(path, settings.client_cert, settings.client_key, settings.client_cert_secret)


def client_cert(path: str, certificate: str | Deferred, key: str | Deferred, existing: ClientCertSecret) -> Findings:
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
