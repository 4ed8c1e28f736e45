"""What a stack asks of a cluster: its objects, its pods, and what they name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scalr_agents import observability
from scalr_agents.charts.shared import contract, volumes
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import WORKLOADS, claim_of, containers, templates
from scalr_agents.cluster import paths
from scalr_agents.model.manifests import Key, Manifest, key_of
from scalr_agents.model.release import COMPONENT
from scalr_agents.stack import Stack

KEPT = ("CustomResourceDefinition", "Namespace")
"""Kinds that Pulumi takes over if they exist, and never deletes."""
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
        made = {*self.own, *self.claims}
        for manifest in self.objects:
            if manifest["kind"] == "ExternalSecret":  # the External Secrets Operator makes a Secret of it
                name = manifest.get("spec", {}).get("target", {}).get("name") or manifest["metadata"]["name"]
                made.add(Key("Secret", manifest["metadata"].get("namespace", ""), name))
        found: dict[Key, Reference] = {}
        for pod in self.pods:
            for each in _references(pod):
                if each.key not in made and (each.key.kind, each.key.name) != _ALWAYS_THERE:
                    known = found.get(each.key, each)
                    found[each.key] = Reference(each.key, known.keys | each.keys, known.pull or each.pull)
        return list(found.values())

    def task_pod(self, agent: AnyAgent) -> Pod | None:
        """Of the pods of an agent, those that execute its runs, or are nearest to them."""
        of_agent = [pod for pod in self.pods if pod.agent is agent]
        by_kind = {pod.kind: pod for pod in of_agent if pod.template["metadata"]["labels"].get(COMPONENT) not in contract.BESIDE_RUNS}
        tasks = [pod for pod in by_kind.values() if pod.is_task]
        return next(iter(tasks), None) or next(filter(None, map(by_kind.get, ("DaemonSet", "Deployment", "StatefulSet"))), None)


def definition_of(manifest: Manifest) -> tuple[str, str]:
    """The definition of an object's kind, if it has one, and its version."""
    return f"{paths.plural(manifest['kind'])}.{paths.group(manifest)}", manifest["apiVersion"].rpartition("/")[2]


def _references(pod: Pod) -> Iterator[Reference]:
    kinds = (("secret", "Secret"), ("configMap", "ConfigMap"))
    for secret in pod.spec.get("imagePullSecrets", ()):
        yield from _named("Secret", pod.namespace, secret, pull=True)
    for container in containers(pod.spec):
        for key, kind in kinds:
            for each in container.get("envFrom", ()):
                yield from _named(kind, pod.namespace, each.get(f"{key}Ref", {}))
            for variable in container.get("env", ()):
                given = variable.get("valueFrom", {}).get(f"{key}KeyRef", {})
                yield from _named(kind, pod.namespace, given, [given["key"]] if given else [])
    for volume in pod.spec.get("volumes", ()):
        yield from _named("PersistentVolumeClaim", pod.namespace, {"name": claim_of(volume)})
        for source in (volume, *volume.get("projected", {}).get("sources", ())):
            for key, kind in kinds:
                given = source.get(key, {})
                named = {"name": given.get("name") or given.get("secretName"), "optional": given.get("optional")}
                yield from _named(kind, pod.namespace, named, [item["key"] for item in given.get("items", ())])


def _named(kind: str, namespace: str, given: Mapping[str, Any], keys: Iterable[str] = (), *, pull: bool = False) -> Iterator[Reference]:
    """A reference by name, unless it is optional, or known only to Pulumi."""
    name = given.get("name")
    if isinstance(name, str) and name and not given.get("optional"):
        yield Reference(Key(kind, namespace, name), frozenset(keys), pull)
