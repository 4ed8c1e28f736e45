"""What a stack asks of a cluster: its pods, what they name, and what deploying it takes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scalr_agents import observability
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.manifests import volumes
from scalr_agents.charts.shared.manifests.objects import WORKLOADS
from scalr_agents.charts.shared.network.policies import wants_api_server
from scalr_agents.charts.shared.pods import claim_of, containers, templates
from scalr_agents.cluster import paths
from scalr_agents.cluster.answers import Seen
from scalr_agents.doctor.facts import Access
from scalr_agents.model.manifests import Key, Manifest, key_of
from scalr_agents.model.release import COMPONENT
from scalr_agents.stack import Stack

OWNED = ("create", "get", "list", "watch", "patch", "delete")
"""Verbs that Pulumi needs for what it deploys: it reads, applies, awaits and removes objects."""
SEEN = ("get", "list", "watch")
"""Verbs for what it only looks at, to see that a workload is ready."""
KEPT = ("CustomResourceDefinition", "Namespace")
"""Kinds that Pulumi takes over if they exist, and never deletes."""
_AWAITED = {"Deployment": (("", "pods"), ("apps", "replicasets"), ("", "persistentvolumeclaims")), "StatefulSet": (("", "pods"),)}
"""What Pulumi looks at to see that a workload is ready."""
_API_SERVER = (
    Access("get", "", "services", "default", "kubernetes"),
    Access("get", "discovery.k8s.io", "endpointslices", "default", "kubernetes"),
)
"""Where Pulumi looks up the addresses of the API server for network policies."""
_OWN_GROUPS = ("", "apps", "autoscaling", "batch", "policy")
"""API groups of Kubernetes itself. The others end with `.k8s.io`."""
_ALWAYS_THERE = ("ConfigMap", "kube-root-ca.crt")


@dataclass(frozen=True, kw_only=True, eq=False)
class Pod:
    """A kind of pods that the stack brings to the cluster."""

    agent: AnyAgent
    name: str
    """What messages call them: `task pods`."""
    maker: Manifest
    """The object that makes them, for instance a Deployment."""
    template: Manifest

    @property
    def kind(self) -> str:
        """Kind of the object that makes them."""
        return str(self.maker["kind"])

    @property
    def is_task(self) -> bool:
        """Whether Jobs make them, which the agent creates from a template."""
        return self.kind not in WORKLOADS

    @property
    def spec(self) -> Mapping[str, Any]:
        spec: Mapping[str, Any] = self.template["spec"]
        return spec

    @property
    def namespace(self) -> str:
        return self.agent.release.namespace

    @property
    def called(self) -> str:
        """What messages call them; unique in a stack."""
        return f"{self.name} of agent {self.agent.name}"

    @property
    def may_reach_metadata_service(self) -> bool:
        """Whether the agent's policies leave it open, or there is none that closes it."""
        return any(pods.metadata_service for pods in self.agent.pods if pods.come_from(self.template))


@dataclass(frozen=True)
class Reference:
    """An object that pods name, and that the stack does not make."""

    key: Key
    keys: frozenset[str] = frozenset()
    """Keys that a Secret or ConfigMap must have."""
    pull: bool = False
    """Whether it is a pull secret."""


@dataclass(frozen=True)
class Needs:
    """What a stack asks of a cluster."""

    stack: Stack
    objects: Sequence[Manifest]

    @classmethod
    def of(cls, stack: Stack) -> "Needs":
        return cls(stack, observability.complete(stack))

    @cached_property
    def pods(self) -> list[Pod]:
        made = ((agent, *each) for agent in self.stack.agents for each in templates(agent.objects))
        return [Pod(agent=agent, name=name, maker=maker, template=template) for agent, name, maker, template in made]

    @cached_property
    def namespaces(self) -> list[str]:
        return sorted({*self.stack.namespaces, *(agent.release.namespace for agent in self.stack.agents)})

    @cached_property
    def own(self) -> dict[Key, Manifest]:
        """The stack's objects, without those that it takes over wherever they are."""
        return {key_of(manifest): manifest for manifest in self.objects if manifest["kind"] not in KEPT}

    @cached_property
    def claims(self) -> dict[Key, Manifest]:
        """The stack's own claims, and those that its StatefulSets create for their first pods."""
        own = {key: manifest for key, manifest in self.own.items() if key.kind == "PersistentVolumeClaim"}
        workloads = (manifest for manifest in self.objects if manifest["kind"] in WORKLOADS)
        return own | {key_of(claim): claim for workload in workloads for claim in volumes.claims_of_first_pod(workload).values()}

    @cached_property
    def definitions(self) -> dict[str, set[str]]:
        """Names of the CustomResourceDefinitions that its objects need, with the versions that must be served."""
        needed: dict[str, set[str]] = {}
        for manifest in self.objects:
            name, version = definition_of(manifest)
            group = name.partition(".")[2]
            if group not in _OWN_GROUPS and not group.endswith(".k8s.io"):
                needed.setdefault(name, set()).add(version)
        return needed

    @cached_property
    def installed(self) -> set[str]:
        """Names of the definitions that the stack installs."""
        return {manifest["metadata"]["name"] for manifest in self.objects if manifest["kind"] == "CustomResourceDefinition"}

    @cached_property
    def references(self) -> list[Reference]:
        """What pods name and the stack does not make, each once."""
        made = {*self.own, *self.claims, *_made_by_operators(self.objects)}
        found: dict[Key, Reference] = {}
        for pod in self.pods:
            for each in _references(pod):
                if each.key not in made and (each.key.kind, each.key.name) != _ALWAYS_THERE:
                    known = found.get(each.key, each)
                    found[each.key] = Reference(each.key, known.keys | each.keys, known.pull or each.pull)
        return list(found.values())

    @cached_property
    def accesses(self) -> list[Access]:
        """What whoever deploys the stack must be allowed to do, apart from `granted`."""
        found: dict[Access, None] = {}
        for manifest in self.objects:
            namespace = manifest["metadata"].get("namespace", "")
            group, plural = paths.group(manifest), paths.plural(manifest["kind"])
            verbs = [verb for verb in OWNED if not (verb == "delete" and manifest["kind"] in KEPT)]
            found |= dict.fromkeys(Access(verb, group, plural, namespace) for verb in verbs)
            for seen in _AWAITED.get(manifest["kind"], ()) if self.stack.kubernetes.await_rollout else ():
                found |= dict.fromkeys(Access(verb, *seen, namespace) for verb in SEEN)
        if any(wants_api_server(agent.pods, agent.inputs) for agent in self.stack.agents):
            found |= dict.fromkeys(_API_SERVER)
        return list(found)

    @cached_property
    def reviewed(self) -> list[Access]:
        """All accesses of which it must be known whether they are allowed."""
        rights = (right for rights in self.granted.values() for right in rights)
        return list(dict.fromkeys([*self.accesses, *self.granted, *rights]))

    @cached_property
    def granted(self) -> dict[Access, tuple[Access, Access]]:
        """What the stack's roles allow, each with the rights to grant it without having it.

        Kubernetes lets nobody grant what they may not do themselves, except those who may `escalate` roles and `bind` them.
        """
        granted: dict[Access, tuple[Access, Access]] = {}
        for manifest in self.objects:
            if manifest["kind"] in ("Role", "ClusterRole"):
                namespace = manifest["metadata"].get("namespace", "")
                group, plural = paths.group(manifest), paths.plural(manifest["kind"])
                escalate, bind = (Access(verb, group, plural, namespace) for verb in ("escalate", "bind"))
                granted |= dict.fromkeys(_allowed(manifest, namespace), (escalate, bind))
        return granted

    def ungranted(self, allowed: Mapping[Access, Seen[bool]]) -> list[Access]:
        """What the stack's roles allow and whoever deploys it may not grant."""
        return [
            access
            for access, rights in self.granted.items()
            if allowed.get(access) is False and not all(allowed.get(right) is True for right in rights)
        ]

    def task_pod(self, agent: AnyAgent) -> Pod | None:
        """Of the pods of an agent, those that execute its runs, or are nearest to them."""
        of_agent = [pod for pod in self.pods if pod.agent is agent]
        by_kind = {pod.kind: pod for pod in of_agent if pod.template["metadata"]["labels"].get(COMPONENT) not in contract.BESIDE_RUNS}
        tasks = [pod for pod in by_kind.values() if pod.is_task]
        return next(iter(tasks), None) or next(filter(None, map(by_kind.get, ("DaemonSet", "Deployment", "StatefulSet"))), None)


def definition_of(manifest: Manifest) -> tuple[str, str]:
    """The definition of an object's kind, if it has one, and its version."""
    return f"{paths.plural(manifest['kind'])}.{paths.group(manifest)}", manifest["apiVersion"].rpartition("/")[2]


def _allowed(role: Manifest, namespace: str) -> Iterator[Access]:
    for rule in role.get("rules", ()):
        for verb in rule["verbs"]:
            yield from (Access(verb, "", "", path=path) for path in rule.get("nonResourceURLs", ()))
            for group in rule.get("apiGroups", ()):
                for resource in rule.get("resources", ()):
                    names = rule.get("resourceNames") or [""]
                    yield from (Access(verb, group, resource, namespace, name) for name in names)


def _made_by_operators(objects: Sequence[Manifest]) -> Iterator[Key]:
    """Secrets that the External Secrets Operator makes from the stack's objects."""
    for manifest in objects:
        if manifest["kind"] == "ExternalSecret":
            metadata = manifest["metadata"]
            name = manifest.get("spec", {}).get("target", {}).get("name") or metadata["name"]
            yield Key("Secret", metadata.get("namespace", ""), name)


def _references(pod: Pod) -> Iterator[Reference]:
    spec = pod.spec
    for secret in spec.get("imagePullSecrets", ()):
        yield from _named("Secret", pod.namespace, secret, pull=True)
    for container in containers(spec):
        yield from _of_variables(container, pod.namespace)
    for volume in spec.get("volumes", ()):
        yield from _named("PersistentVolumeClaim", pod.namespace, {"name": claim_of(volume)})
        for source in (volume, *volume.get("projected", {}).get("sources", ())):
            yield from _of_files(source, pod.namespace)


def _named(kind: str, namespace: str, given: Mapping[str, Any], keys: Iterable[str] = (), *, pull: bool = False) -> Iterator[Reference]:
    """A reference by name, unless it is optional, or known only to Pulumi."""
    name = given.get("name")
    if isinstance(name, str) and name and not given.get("optional"):
        yield Reference(Key(kind, namespace, name), frozenset(keys), pull)


def _of_variables(container: Mapping[str, Any], namespace: str) -> Iterator[Reference]:
    for source, kind in (("secret", "Secret"), ("configMap", "ConfigMap")):
        for each in container.get("envFrom", ()):
            yield from _named(kind, namespace, each.get(f"{source}Ref", {}))
        for variable in container.get("env", ()):
            given = variable.get("valueFrom", {}).get(f"{source}KeyRef", {})
            yield from _named(kind, namespace, given, [given["key"]] if given else [])


def _of_files(source: Mapping[str, Any], namespace: str) -> Iterator[Reference]:
    for key, kind in (("secret", "Secret"), ("configMap", "ConfigMap")):
        given = source.get(key, {})
        named = {"name": given.get("name") or given.get("secretName"), "optional": given.get("optional")}
        yield from _named(kind, namespace, named, [item["key"] for item in given.get("items", ())])
