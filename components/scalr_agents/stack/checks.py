"""Checks on the stack as a whole: agents that own the same objects, and namespaces that reject their pods."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scalr_agents.charts.shared.agent import Agent, AnyAgent
from scalr_agents.charts.shared.pods import pods
from scalr_agents.model.findings import Finding, Path, almost, error, warning
from scalr_agents.model.forms import LONGEST_LABEL, is_dns_label
from scalr_agents.model.manifests import Manifest, key_of
from scalr_agents.model.messages import too_long
from scalr_agents.stack import pod_security
from scalr_agents.stack.model import PREFIX, AgentEntry, Namespace, place

if TYPE_CHECKING:
    from scalr_agents.stack.caches import Claim

_LEVEL = "pod-security.kubernetes.io/"
_SYSTEM = "kube-system"
_IN_EVERY_CLUSTER = (_SYSTEM, "kube-public", "kube-node-lease", "default")


def collisions(agents: Sequence[AnyAgent], claims: "Sequence[Claim]") -> Iterator[Finding]:
    """Errors for agents and caches that own the same object, and for agents whose workloads select the same pods."""
    owners: dict[tuple[str, ...], AnyAgent | Claim] = {}
    everything: list[AnyAgent | Claim] = [*agents, *claims]
    for one in everything:
        releases = [one.release] if isinstance(one, Agent) else []
        selected = [("pods of", release.namespace, release.base_name, release.name) for release in releases]
        for owned in [*selected, *map(key_of, one.objects)]:
            other = owners.setdefault(owned, one)
            if other is not one:
                same_release = isinstance(one, Agent) and isinstance(other, Agent) and one.release.name == other.release.name
                yield error(
                    place(one.name) if isinstance(one, Agent) else one.place,
                    f"owns {_listed(owned)}, and so does {_called(other)}; "
                    + ("set another `release` for one of them" if same_release else "give one of them another name"),
                )
                break


def _called(owner: "AnyAgent | Claim") -> str:
    return f"agent {owner.name!r}" if isinstance(owner, Agent) else f"cache {owner.cache!r}"


def _listed(owned: tuple[str, ...]) -> str:
    if owned[0] == "pods of":
        return f"the pods of release {owned[3]!r} in namespace {owned[1]!r}"
    kind, namespace, name = owned
    return f"{kind} {name!r} in namespace {namespace!r}" if namespace else f"{kind} {name!r}"


def pod_admission(namespaces: Mapping[str, Namespace], agents: Sequence[AnyAgent]) -> Iterator[Finding]:
    """Errors for pods that their namespace would reject."""
    for agent in agents:
        name = agent.release.namespace
        level = enforced(namespaces[name]) if name in namespaces else None
        for pod, spec in pods(agent.objects) if level else ():
            reasons = pod_security.violations(spec, level or "privileged")
            if reasons:
                advice = f"set {PREFIX}:namespaces.{name}.podSecurity to a level that allows this, or change the agent's values"
                yield error(
                    place(agent.name),
                    f"namespace {name!r} enforces {level} and would reject its {pod}: {'; '.join(reasons)}; {advice}",
                )


def namespaces(entries: Mapping[str, Namespace]) -> Iterator[Finding]:
    """Findings on names that Kubernetes rejects, and on keys that have no effect."""
    for name, entry in entries.items():
        here = (f"{PREFIX}:namespaces", name)
        if not is_dns_label(name):
            message = f"{name!r} is not a valid namespace name; use at most {LONGEST_LABEL} lower case letters, digits and '-'"
            yield error(here, f"{message}{too_long(name, LONGEST_LABEL)}")
        if entry.labels and not entry.create:
            yield error((*here, "labels"), "has no effect: create is false; set the labels where the namespace is managed")
        if any(label.startswith(_LEVEL) for label in entry.labels):
            yield error((*here, "labels"), "sets the Pod Security level; use podSecurity instead, which is checked")
        if name in _IN_EVERY_CLUSTER and entry.create:
            yield _existing(here, name, enforced(entry))


def _existing(here: Path, name: str, level: pod_security.Level | None) -> Finding:
    """What is wrong with creating a namespace that every cluster has: the stack takes it over, with the level that it enforces."""
    if name == _SYSTEM and level != "privileged":
        return error(here, f"would enforce {level} there, and the cluster's own pods would no longer start; set create: false")
    message = f"exists in every cluster, and {level} would be enforced for everything that runs in it; set create: false"
    return warning(here, message)


def unlisted_namespaces(entries: Mapping[str, Namespace], agents: Mapping[str, AgentEntry]) -> Iterator[Finding]:
    """Warnings for agents whose namespace is not listed, while one with almost the same name is, or is one of the cluster's own."""
    for name, agent in agents.items():
        if agent.namespace in _IN_EVERY_CLUSTER:
            message = f"{agent.namespace!r} exists in every cluster, and others use it too; give agents a namespace of their own"
            yield warning((*place(name), "namespace"), message)
        meant = None if agent.namespace in entries else almost(agent.namespace, list(entries))
        if meant is not None:
            yield warning(
                (*place(name), "namespace"),
                f"{agent.namespace!r} is not among {PREFIX}:namespaces; did you mean {meant!r}? If not, add it (create: false if existing)",
            )


def namespace_manifest(name: str, entry: Namespace) -> Manifest:
    levels = {f"{_LEVEL}{mode}": enforced(entry) for mode in ("enforce", "warn")}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": levels | entry.labels}}


def enforced(namespace: Namespace) -> pod_security.Level | None:
    """The level that a namespace enforces, if it is known."""
    return namespace.pod_security or ("restricted" if namespace.create else None)
