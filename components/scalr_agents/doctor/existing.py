"""What must be in the cluster by its name, and what must not: namespaces, what pods name, and objects of the stack that others made."""

import fnmatch
from collections import defaultdict

from scalr_agents.charts.shared.pods import pulled, registry_of
from scalr_agents.cluster.answers import Hidden
from scalr_agents.doctor import error, note, warning
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.needs import Needs, Reference
from scalr_agents.doctor.objects import Claim, Content, Release
from scalr_agents.model.findings import Findings
from scalr_agents.model.manifests import Key
from scalr_agents.model.texts import listed
from scalr_agents.stack.namespaces import enforced

_PULL_TYPES = ("kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg")
_DOCKER_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")
_ADOPT = "To take it over, see docs/adopting.md; otherwise give the agent another release name"


def check_namespaces(needs: Needs, cluster: Cluster) -> Findings:
    """Whether the namespaces of the stack exist, and the Pod Security level that they enforce."""
    for name in needs.namespaces:
        entry, found, subject = needs.stack.namespaces.get(name), cluster.namespace(name), f"namespace {name}"
        created = entry is not None and entry.create
        if isinstance(found, Hidden):
            yield note(subject, f"cannot see whether it exists and what it enforces: {found.reason}")
            continue
        if found is None:
            if not created:
                yield error(subject, "does not exist, and this stack does not create it", "Create it, or set create: true for it")
            continue
        if found.terminating:
            advice = "Wait until it is gone; if it stays, kubectl get namespace -o yaml says under status.conditions what keeps it"
            yield error(subject, "is being deleted, and accepts no new objects", advice)
        stated, enforces = enforced(entry) if entry else None, f"enforces {found.level or 'no Pod Security level'}"
        if created and found.level != stated:
            advice = "Check that this level admits the other pods in it, or set podSecurity to the present level"
            yield warning(subject, f"{enforces}, and pulumi up will set {stated}", advice)
        elif stated and found.level != stated:
            advice = "Correct podSecurity in the stack file, or the label of the namespace"
            yield warning(subject, f"{enforces}, and the stack file says {stated}", advice)


def check_references(needs: Needs, cluster: Cluster) -> Findings:
    """What pods name, the stack does not make, and the API server does not look for: Secrets and ConfigMaps with their keys, and claims."""
    hidden = defaultdict[tuple[str, str, str], list[str]](list)
    for reference in needs.references:
        key = reference.key
        found = cluster.named(key)
        entry = needs.stack.namespaces.get(key.namespace)
        absent = cluster.namespace(key.namespace) is None
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


def _existing(reference: Reference, found: Content | Claim) -> Findings:
    subject = reference.key.place
    if isinstance(found, Claim):
        if found.phase == "Lost":
            yield error(subject, "has lost its volume", "Restore the volume, or create the claim again")
        return
    if missing := sorted(reference.keys - found.keys):
        yield error(subject, f"has no key {listed(missing)}; pods that name it cannot start", "Add the key, or correct it in the values")
    if reference.pull and found.type not in _PULL_TYPES:
        advice = "Create it with: kubectl create secret docker-registry"
        yield error(subject, f"is not an image pull secret: its type is {found.type}", advice)


def _registries(needs: Needs, cluster: Cluster) -> Findings:
    """Warnings for registries that no pull secret of a pod has credentials for, once there are pull secrets."""
    unknown = defaultdict[tuple[str, tuple[str, ...]], dict[str, None]](dict)
    for pod in needs.pods:
        names = tuple(secret["name"] for secret in pod.spec.get("imagePullSecrets", ()) if isinstance(secret["name"], str))
        found = [cluster.named(Key("Secret", pod.namespace, name)) for name in names]
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
    """Whether an entry of a pull secret (`https://index.docker.io/v1/`, `*.example.com`) is for a registry.

    The kubelet matches `*` within one part of the name.
    """
    host = (entry.partition("://")[2] or entry).partition("/")[0]
    if registry in _DOCKER_HUB:
        return host in _DOCKER_HUB
    patterns, parts = host.split("."), registry.split(".")
    return len(patterns) == len(parts) and all(map(fnmatch.fnmatchcase, parts, patterns)) if "*" in host else host == registry


def check_owners(needs: Needs, cluster: Cluster) -> Findings:
    """Objects of the stack that exist already and belong to somebody else, a Helm release of the same name above all."""
    upserts = needs.stack.kubernetes.upsert_existing
    of_migration, of_others = defaultdict[str, list[Key]](list), defaultdict[str, list[Key]](list)
    hidden: list[Key] = []
    for key, manifest in needs.own.items():
        found = cluster.existing(manifest)
        if isinstance(found, Hidden):
            hidden.append(key)
        elif found and found.release:
            of_migration[found.release].append(key)
        elif found and not found.pulumi:
            of_others[listed(sorted(found.managers)) or "an unknown field manager"].append(key)
    for release, keys in of_migration.items():
        problem = f"owns objects of this stack: {listed(map(str, keys))}"
        if upserts:
            yield note(f"Helm release {release}", f"{problem}; pulumi up takes them over (upsertExisting)")
        else:
            yield error(f"Helm release {release}", f"{problem}; pulumi up would fail, because they exist", _ADOPT)
    for managers, keys in of_others.items():
        problem = f"exist already, and Pulumi did not create them: {listed(map(str, keys))}"
        if not upserts:
            advice = "pulumi up would fail: delete them, or set kubernetes.upsertExisting. This is fine if a GitOps tool deploys this stack"
            yield warning(f"objects of {managers}", problem, advice)
    yield from _releases(needs, cluster, set(of_migration))
    if hidden:
        yield note(listed(map(str, hidden)), "cannot see whether they exist already: your credential lacks the permission")


def _releases(needs: Needs, cluster: Cluster, known: set[str]) -> Findings:
    """Helm releases with the name of an agent's, as Helm's own records tell."""
    for namespace in needs.namespaces:
        releases = cluster.view.seen(Release, namespace)
        if isinstance(releases, Hidden):
            yield note(f"Helm releases in namespace {namespace}", f"cannot see them: {releases.reason}")
            continue
        names = {each.labels.get("name") for each in releases}
        for agent in needs.stack.agents:
            release = agent.release
            if release.namespace == namespace and release.name in names and f"{namespace}/{release.name}" not in known:
                problem = f"has the same name as agent {agent.name}, but none of its objects; both may serve the same agent pool"
                yield warning(f"Helm release {namespace}/{release.name}", problem, _ADOPT)
