"""Volumes, mounts and variables for the CA bundle and the client certificate of a container."""

from scalr_agents.charts.shared.manifests import environment as env
from scalr_agents.charts.shared.manifests import secrets, volumes
from scalr_agents.charts.shared.values import Tls
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Names


def ca_environment(tls: Tls, names: Names) -> env.Env:
    """The variables with the path of the CA bundle."""
    return env.ca_bundle() if secrets.ca_bundle_reference(tls, names.ca_bundle_secret) is not None else []


def environment(tls: Tls, names: Names) -> env.Env:
    """The variables with the paths of the CA bundle and of the client certificate."""
    certificate = secrets.client_cert_reference(tls, names.client_cert_secret)
    return ca_environment(tls, names) + (env.client_cert() if certificate is not None else [])


def of_pod(tls: Tls, names: Names) -> list[Manifest]:
    """The volumes of the CA bundle and of the client certificate."""
    return [
        *volumes.ca_bundle(secrets.ca_bundle_reference(tls, names.ca_bundle_secret), tls.ca_bundle_secret.key),
        *volumes.client_cert(secrets.client_cert_reference(tls, names.client_cert_secret), tls.client_cert_secret),
    ]


def ca_mounts(tls: Tls, names: Names) -> list[Manifest]:
    """The volume mount of the CA bundle."""
    return volumes.ca_bundle_mount(secrets.ca_bundle_reference(tls, names.ca_bundle_secret), tls.ca_bundle_secret.key)


def mounts(tls: Tls, names: Names) -> list[Manifest]:
    """The volume mounts of the CA bundle and of the client certificate."""
    certificate = secrets.client_cert_reference(tls, names.client_cert_secret)
    return ca_mounts(tls, names) + volumes.client_cert_mount(certificate)
