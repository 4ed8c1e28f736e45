"""What pods name, the stack does not make, and the API server does not look for: Secrets and ConfigMaps with their keys, and claims."""

import fnmatch
from collections import defaultdict
from collections.abc import Iterator

from scalr_agents.charts.shared.pods import pulled, registry_of
from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor.facts import Cluster, Content
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs, Reference
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Key
from scalr_agents.model.messages import listed

_PULL_TYPES = ("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg")
_DOCKER_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")


def check(needs: Needs, cluster: Cluster) -> Findings:
    hidden = defaultdict[tuple[str, str, str], list[str]](list)
    for reference in needs.references:
        key = reference.key
        found = cluster.contents.get(key)
        entry = needs.stack.namespaces.get(key.namespace)
        absent = cluster.namespaces.get(key.namespace) is None
        if isinstance(found, Hidden):
            hidden[key.kind, key.namespace, found.reason].append(key.name)
        elif found is not None:
            yield from _existing(reference, found)
        elif not absent or (entry and entry.create):  # else the namespace has its own finding
            advice = "Create it, or correct its name"
            first = f"{advice}. The namespace does not exist yet: create it first, pulumi up takes it over" if absent else advice
            consequence = "images of a private registry cannot be pulled" if reference.pull else "pods that name it cannot start"
            yield error(key.place, f"does not exist; {consequence}", first)
    for (kind, namespace, reason), names in hidden.items():
        and_keys = " and has its keys" if kind in ("Secret", "ConfigMap") else ""
        yield note(f"{kind} {listed(names)} in namespace {namespace}", f"cannot see whether it exists{and_keys}: {reason}")
    yield from _registries(needs, cluster)


def _existing(reference: Reference, found: Content) -> Findings:
    key = reference.key
    missing = sorted(reference.keys - found.keys) if key.kind in ("Secret", "ConfigMap") else []
    if missing:
        yield error(key.place, f"has no key {listed(missing)}; pods that name it cannot start", "Add the key, or correct it in the values")
    if reference.pull and found.type not in _PULL_TYPES:
        advice = "Create it with: kubectl create secret docker-registry"
        yield error(key.place, f"is not an image pull secret: its type is {found.type}", advice)
    if found.phase == "Lost":
        yield error(key.place, "has lost its volume", "Restore the volume, or create the claim again")


def _registries(needs: Needs, cluster: Cluster) -> Findings:
    """Warnings for registries that no pull secret of a pod has credentials for, once there are pull secrets."""
    unknown = defaultdict[tuple[str, tuple[str, ...]], dict[str, None]](dict)
    for pod in needs.pods:
        names = tuple(secret["name"] for secret in pod.spec.get("imagePullSecrets", ()) if isinstance(secret["name"], str))
        found = [cluster.contents.get(Key("Secret", pod.namespace, name)) for name in names]
        known = [content.registries for content in found if isinstance(content, Content) and content.registries]
        if not names or len(known) < len(names):
            continue
        images = (image for image in pulled(pod.spec) if isinstance(image, str))
        for registry in dict.fromkeys(registry_of(image) or _DOCKER_HUB[0] for image in images):
            if not any(_covers(host, registry) for hosts in known for host in hosts):
                unknown[pod.namespace, names][registry] = None
    for (namespace, names), registries in unknown.items():
        problem = f"{'has' if len(names) == 1 else 'have'} no credentials for {listed(registries)}, where images come from"
        advice = "Add them, unless nodes may pull from there anyway"
        yield warning(f"pull secret {listed(f'{namespace}/{name}' for name in names)}", problem, advice)


def _covers(entry: str, registry: str) -> bool:
    """Whether an entry of a pull secret (`https://index.docker.io/v1/`, `*.example.com`) is for a registry."""
    host = entry.partition("://")[2] or entry
    host = host.partition("/")[0]
    if registry in _DOCKER_HUB:
        return host in _DOCKER_HUB
    return host == registry or any(_matches(host, registry))


def _matches(pattern: str, registry: str) -> Iterator[bool]:
    """The kubelet matches `*` within one part of the name."""
    parts, others = pattern.split("."), registry.split(".")
    if "*" in pattern and len(parts) == len(others):
        yield all(fnmatch.fnmatchcase(other, part) for part, other in zip(parts, others, strict=True))
