"""Volumes of pods, their mounts, and the claims behind them."""

from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.shared.values import Claim, Volume
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import is_set


def claim(metadata: Manifest, settings: Claim) -> Manifest:
    """A claim that is made here, or the template of one."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": {
            "accessModes": [settings.access_mode],
            "resources": {"requests": {"storage": settings.storage}},
            **_storage_class(settings.storage_class_name),
        },
    }


def claims_of_first_pod(workload: Manifest) -> dict[str, Manifest]:
    """The claims that a StatefulSet creates for the first of its pods, by the name of their volume."""
    claims = {}
    for template in workload["spec"].get("volumeClaimTemplates", ()):
        volume, owner = template["metadata"]["name"], workload["metadata"]
        own = {"name": f"{volume}-{owner['name']}-0", "namespace": owner["namespace"]}
        claims[volume] = template | {"metadata": template["metadata"] | own}
    return claims


def first_pod(workload: Manifest) -> Manifest:
    """The template of a workload's pods, on the claims that a StatefulSet creates for the first one."""
    template: Manifest = workload["spec"]["template"]
    claims = claims_of_first_pod(workload).items()
    added = [{"name": volume, "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}} for volume, claim in claims]
    return template | {"spec": template["spec"] | {"volumes": [*added, *template["spec"].get("volumes", ())]}} if added else template


def _storage_class(name: str) -> Manifest:
    """Empty leaves the choice to the cluster; `-` is the empty class, which binds static volumes only."""
    return {"storageClassName": "" if name == "-" else name} if name else {}


def volume(name: str, settings: Volume, made: str) -> Manifest:
    """A volume on its claim, existing or made, or in an emptyDir."""
    if not settings.enabled:
        return empty(name, settings.empty_dir)
    existing = settings.persistent_volume_claim.claim_name
    return {"name": name, "persistentVolumeClaim": {"claimName": existing if is_set(existing) else made}}


def empty(name: str, settings: Mapping[str, Any] | None = None) -> Manifest:
    return {"name": name, "emptyDir": dict(settings or {})}


def mount(name: str, path: str, sub_path: str = "", *, read_only: bool = False) -> Manifest:
    return present({"name": name, "mountPath": path, "subPath": sub_path, "readOnly": read_only or None})


def directory(settings: Volume, *parts: str) -> str:
    """A directory inside a volume. On a claim it lies below the claim's own `subPath`."""
    below = [settings.persistent_volume_claim.sub_path.strip("/")] if settings.enabled else []
    return "/".join(part for part in (*below, *parts) if part)
