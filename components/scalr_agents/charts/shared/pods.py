"""The pods that objects make: their templates, and the claims, containers and images in them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared.manifests import volumes
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import lookup
from scalr_agents.model.release import COMPONENT

_PODS = {
    "agent": "controller pods",
    "controller": "controller pods",
    "worker": "worker pods",
    "task": "task pods",
    "buffer": "placeholder pods",
    "cache-preparation": "pods that prepare the cache",
    "pre-pull": "pods that keep images",
}
"""Names of pods in messages, by their component label."""


def pods(objects: Sequence[Manifest]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The pods of an agent: what messages call them, and their spec."""
    return ((name, template["spec"]) for name, _, template in templates(objects))


def templates(objects: Sequence[Manifest]) -> Iterator[tuple[str, Manifest, Manifest]]:
    """The objects of an agent that make pods: what messages call the pods, the object, and the template of its pods."""
    for manifest in objects:
        template = volumes.first_pod(manifest) if manifest["kind"] in WORKLOADS else template_of(manifest)
        if template:
            yield _PODS.get(template["metadata"]["labels"].get(COMPONENT, ""), "pods"), manifest, template


def template_of(manifest: Manifest) -> Manifest:
    """The template of the pods that an object makes, directly or with Jobs; empty if it makes none."""
    template: Manifest = lookup(manifest, "spec", "template") or lookup(manifest, "spec", "jobTemplate", "spec", "template") or {}
    return template


def claims_of(spec: Mapping[str, Any]) -> Iterator[str]:
    """The names of the claims that a pod mounts, as far as they are known before deployment."""
    yield from filter(None, map(claim_of, spec.get("volumes", ())))


def claim_of(volume: Mapping[str, Any]) -> str | None:
    """The name of the claim behind a volume; `None` if it has none, or one that is known only during deployment."""
    name = lookup(volume, "persistentVolumeClaim", "claimName")
    return name if isinstance(name, str) else None


def containers(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """All containers of a pod, first those that prepare it."""
    return *spec.get("initContainers", ()), *spec["containers"]


def pulled(spec: Mapping[str, Any]) -> Iterator[Any]:
    """Images that a node pulls for a pod. One that is known only during deployment is no string."""
    yield from (container["image"] for container in containers(spec))
    yield from (volume["image"]["reference"] for volume in spec.get("volumes", ()) if "image" in volume)


def registry_of(image: str) -> str:
    """The registry of an image, as container runtimes read its name. Empty for an image of Docker Hub that does not say so."""
    first, slash, _ = image.partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else ""


def images(objects: Sequence[Manifest]) -> Iterator[str]:
    """Images of an agent's pods, and of its runs as far as the agent sets them."""
    for _, spec in pods(objects):
        yield from map(str, pulled(spec))
        for container in containers(spec):
            variables = {variable["name"]: variable.get("value") for variable in container.get("env", ())}
            yield from filter(None, [variables.get("SCALR_AGENT_CONTAINER_TASK_IMAGE")])
