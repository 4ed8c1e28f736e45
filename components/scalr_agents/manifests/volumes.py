"""Volumes, their mounts and the claims behind them."""

from collections.abc import Mapping
from typing import Any

from scalr_agents import contract
from scalr_agents.manifests.objects import Manifest, present
from scalr_agents.release import Release
from scalr_agents.values.agent_job.persistence import Cache, Claim, Data, Persistence
from scalr_agents.values.fields import Deferred, is_set


def claims(persistence: Persistence, release: Release) -> dict[str, Manifest]:
    """The claims made for a release."""
    made: dict[str, tuple[Data | Cache, str]] = {
        "data": (persistence.data, release.names.data_claim),
        "cache": (persistence.cache, release.names.cache_claim),
    }
    return {
        f"{component}-claim": _claim(name, component, volume.persistent_volume_claim, release)
        for component, (volume, name) in made.items()
        if volume.enabled and not is_set(volume.persistent_volume_claim.claim_name)
    }


def _claim(name: str, component: str, claim: Claim, release: Release) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": release.metadata(name, component),
        "spec": {
            "accessModes": [claim.access_mode],
            "resources": {"requests": {"storage": claim.storage}},
            **_storage_class(claim.storage_class_name),
        },
    }


def _storage_class(name: str) -> Manifest:
    """Empty leaves the choice to the cluster; `-` is the empty class, which binds static volumes only."""
    return {"storageClassName": "" if name == "-" else name} if name else {}


def volume(name: str, settings: Data | Cache, made: str) -> Manifest:
    """A volume on its claim, existing or made, or in an emptyDir."""
    if not settings.enabled:
        return empty(name, settings.empty_dir)
    claim = settings.persistent_volume_claim.claim_name
    return {"name": name, "persistentVolumeClaim": {"claimName": claim if is_set(claim) else made}}


def empty(name: str, settings: Mapping[str, Any] | None = None) -> Manifest:
    return {"name": name, "emptyDir": dict(settings or {})}


def ca_bundle(secret: str | Deferred | None, key: str) -> list[Manifest]:
    if secret is None:
        return []
    return [{"name": contract.CA_VOLUME, "secret": {"secretName": secret, "items": [{"key": key, "path": key}]}}]


def ca_bundle_mount(secret: str | Deferred | None, key: str) -> list[Manifest]:
    return [mount(contract.CA_VOLUME, contract.CA_FILE, key, read_only=True)] if secret is not None else []


def mount(name: str, path: str, sub_path: str = "", *, read_only: bool = False) -> Manifest:
    return present({"name": name, "mountPath": path, "subPath": sub_path, "readOnly": read_only or None})


def directory(settings: Data | Cache, *parts: str) -> str:
    """A directory inside a volume. On a claim it lies below the claim's own `subPath`."""
    below = [settings.persistent_volume_claim.sub_path.strip("/")] if settings.enabled else []
    return "/".join(part for part in (*below, *parts) if part)


def cache_directory(cache: Cache, *parts: str) -> str:
    """A directory of the cache. On a claim, which may hold other things, the cache is in `cache`."""
    return directory(cache, *(["cache"] if cache.enabled else []), *parts)
