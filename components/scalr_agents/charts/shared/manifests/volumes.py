"""Volumes, their mounts and the claims behind them."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.agent_job.values.persistence import Cache, Persistence
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.manifests.objects import Manifest, present
from scalr_agents.charts.shared.values import ClientCertSecret
from scalr_agents.charts.shared.volumes import Claim, Volume
from scalr_agents.model.fields import Deferred, is_set
from scalr_agents.model.release import Release


def claims(persistence: Persistence, release: Release) -> dict[str, Manifest]:
    """The claims made for a release."""
    made: dict[str, tuple[Volume, str]] = {
        "data": (persistence.data, release.names.data_claim),
        "cache": (persistence.cache, release.names.cache_claim),
    }
    return {
        f"{component}-claim": claim(name, component, volume.persistent_volume_claim, release)
        for component, (volume, name) in made.items()
        if volume.enabled and not is_set(volume.persistent_volume_claim.claim_name) and not _on_node(volume)
    }


def _on_node(volume: Volume) -> bool:
    return isinstance(volume, Cache) and bool(volume.host_path.path)


def claim(name: str, component: str | None, settings: Claim, release: Release) -> Manifest:
    """A claim that is made here."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": release.metadata(name, component),
        "spec": {
            "accessModes": [settings.access_mode],
            "resources": {"requests": {"storage": settings.storage}},
            **_storage_class(settings.storage_class_name),
        },
    }


def _storage_class(name: str) -> Manifest:
    """Empty leaves the choice to the cluster; `-` is the empty class, which binds static volumes only."""
    return {"storageClassName": "" if name == "-" else name} if name else {}


def volume(name: str, settings: Volume, made: str) -> Manifest:
    """A volume on its claim, existing or made, on the node, or in an emptyDir."""
    if not settings.enabled:
        return empty(name, settings.empty_dir)
    if isinstance(settings, Cache) and settings.host_path.path:
        return {"name": name, "hostPath": present({"path": settings.host_path.path, "type": settings.host_path.type})}
    existing = settings.persistent_volume_claim.claim_name
    return {"name": name, "persistentVolumeClaim": {"claimName": existing if is_set(existing) else made}}


def without_node(cache: Cache) -> Cache:
    """The cache for pods that use nothing of the node."""
    return cache.model_copy(update={"enabled": False}) if _on_node(cache) else cache


def from_image(name: str, reference: str | Deferred, pull_policy: str) -> Manifest:
    """The files of an image as a volume."""
    return {"name": name, "image": {"reference": reference, "pullPolicy": pull_policy}}


def pod_info() -> Manifest:
    """Labels and annotations of the pod itself, as files."""
    items = [{"path": what, "fieldRef": {"fieldPath": f"metadata.{what}"}} for what in ("labels", "annotations")]
    return {"name": contract.POD_INFO_VOLUME, "downwardAPI": {"items": items}}


def empty(name: str, settings: Mapping[str, Any] | None = None) -> Manifest:
    return {"name": name, "emptyDir": dict(settings or {})}


def ca_bundle(secret: str | Deferred | None, key: str) -> list[Manifest]:
    if secret is None:
        return []
    return [{"name": contract.CA_VOLUME, "secret": {"secretName": secret, "items": [{"key": key, "path": key}]}}]


def ca_bundle_mount(secret: str | Deferred | None, key: str) -> list[Manifest]:
    return [mount(contract.CA_VOLUME, contract.CA_FILE, key, read_only=True)] if secret is not None else []


def client_cert(secret: str | Deferred | None, keys: ClientCertSecret) -> list[Manifest]:
    if secret is None:
        return []
    items = [{"key": keys.cert_key, "path": "tls.crt"}, {"key": keys.key_key, "path": "tls.key"}]
    return [{"name": contract.CLIENT_CERT_VOLUME, "secret": {"secretName": secret, "items": items}}]


def client_cert_mount(secret: str | Deferred | None) -> list[Manifest]:
    return [mount(contract.CLIENT_CERT_VOLUME, contract.CLIENT_CERT_DIR, read_only=True)] if secret is not None else []


def mount(name: str, path: str, sub_path: str = "", *, read_only: bool = False) -> Manifest:
    return present({"name": name, "mountPath": path, "subPath": sub_path, "readOnly": read_only or None})


def directory(settings: Volume, *parts: str) -> str:
    """A directory inside a volume. On a claim it lies below the claim's own `subPath`."""
    below = [settings.persistent_volume_claim.sub_path.strip("/")] if settings.enabled else []
    return "/".join(part for part in (*below, *parts) if part)


def cache_directory(cache: Cache, *parts: str) -> str:
    """A directory of the cache. On a claim, which may hold other things, the cache is in `cache`."""
    return directory(cache, *(["cache"] if cache.enabled else []), *parts)
