"""Pods: parts that charts write into them, and what is in the pods that objects make."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalr_agents.charts.shared import volumes
from scalr_agents.charts.shared.values import Image, PodFields
from scalr_agents.model.forms import ESCALATING
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.maps import Deferred, lookup, merge
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


WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
"""Kinds of objects that keep pods running."""


HARDENED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""What the Pod Security Standard `restricted` requires of every container."""


def pod_fields(values: PodFields) -> Manifest:
    """The fields that are set."""
    return {
        "priorityClassName": values.priority_class_name,
        "runtimeClassName": values.runtime_class_name,
        "hostUsers": None if values.host_users else False,
        "hostAliases": values.host_aliases,
        "dnsPolicy": None if values.dns_policy == "ClusterFirst" else values.dns_policy,
        "dnsConfig": values.dns_config,
        "initContainers": values.init_containers,
    }


def hardened(given: Mapping[str, Any], default: Mapping[str, Any] = HARDENED) -> Manifest:
    """A container's securityContext merged over a hardened default.

    Kubernetes rejects `allowPrivilegeEscalation: false` together with a privilege that implies escalation, so the default is then dropped.
    """
    added = lookup(given, "capabilities", "add")
    escalates = given.get("privileged") is True or (isinstance(added, list) and ESCALATING in added)
    default = {key: value for key, value in default.items() if not (escalates and key == "allowPrivilegeEscalation")}
    return present(merge(default, given))


def layered(general: Mapping[str, Any], specific: Mapping[str, Any]) -> Manifest:
    """A component's settings merged over the global ones; zero and false of the component take precedence too."""
    return present(merge(general, specific))


def image_reference(
    registry: str, image: Image, version: str, complete: str | Deferred | None = None, *, namespace: str = ""
) -> str | Deferred:
    """The complete reference if one is given, else `[registry/]repository:tag`, where the tag defaults to the agent version.

    A `namespace` replaces everything before the last part of the repository.
    """
    if complete is not None:
        return complete
    repository = f"{namespace}/{image.repository.rpartition('/')[2]}" if namespace else image.repository
    return f"{registry}/{repository}:{image.tag or version}" if registry else f"{repository}:{image.tag or version}"


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
