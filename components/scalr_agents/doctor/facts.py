"""Facts about a cluster, as far as the credential of the user may see them, by the names that a stack has for things."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, NamedTuple

from scalr_agents.cluster import paths, view
from scalr_agents.cluster.answers import Answer, Found, Hidden, Seen
from scalr_agents.cluster.api import Api, at_once
from scalr_agents.cluster.objects import Answered, Object
from scalr_agents.cluster.view import View
from scalr_agents.doctor import objects
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Definition, Namespace, Owned
from scalr_agents.model import quantities
from scalr_agents.model.manifests import Key, Manifest

GROUPS, AUTOSCALER = "/apis", "/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status"
LISTED: Sequence[type[Object]] = (
    objects.Node,
    objects.Occupant,
    objects.DriversOfNode,
    objects.Driver,
    objects.StorageClass,
    objects.Volume,
    objects.DaemonSet,
)
"""What is listed in the whole cluster."""


class Access(NamedTuple):
    """Something that a credential may do, or may not."""

    verb: str
    group: str
    resource: str
    """Plural name, with its subresource if there is one: `pods/log`."""
    namespace: str = ""
    """Empty for the cluster."""
    name: str = ""
    path: str = ""
    """A path of the API server that is no resource, such as `/metrics`; then only `verb` has a meaning."""

    @property
    def what(self) -> str:
        """The resource as `kubectl auth can-i` writes it."""
        if self.path:
            return self.path
        plural, slash, subresource = self.resource.partition("/")
        named = f" {self.name}" if self.name else ""
        return f"{plural}.{self.group}{slash}{subresource}{named}" if self.group else f"{self.resource}{named}"


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What is known about a cluster, as far as the stack needs it."""

    view: View
    allowed: Mapping[Access, Seen[bool]] = field(default_factory=dict)
    """Whether the credential may do something, as the API server says."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Answers to what was submitted, by its subject."""

    def named(self, key: Key) -> Found[Any]:
        """A namespace, or something that pods name: a `Content` or a `Claim`."""
        return self.view.objects.get(path_of(key))

    def namespace(self, name: str) -> Found[Namespace]:
        return self.named(Key("Namespace", "", name))

    def definition(self, name: str) -> Found[Definition]:
        return self.view.objects.get(path_of_definition(name))

    def existing(self, manifest: Manifest) -> Found[Owned]:
        """What has the name of an object of the stack already."""
        return self.view.objects.get(paths.path(manifest))

    def admitted(self, pods: str, spec: Mapping[str, Any]) -> Mapping[str, Any]:
        """The spec of pods as the API server admits them, or as given if it has not."""
        answer = self.answers.get(pods)
        return answer.spec if answer and answer.spec else spec

    @property
    def groups(self) -> Seen[frozenset[str]]:
        """The API groups that are served."""
        found: Found[objects.Groups] = self.view.objects.get(GROUPS)
        return found if isinstance(found, Hidden) else frozenset(each.name for each in found.groups) if found else frozenset()

    @cached_property
    def requested(self) -> Mapping[str, quantities.Resources]:
        """What the pods on each node request, and how many they are (`pods`).

        Placeholders have a negative priority and make room for any of our pods.
        """
        found = defaultdict[str, list[Mapping[str, Decimal]]](list)
        for pod in self.view.of(objects.Occupant):
            if pod.node and pod.priority >= 0:
                found[pod.node].append(pod.requests)
        return {node: quantities.added(of_node) for node, of_node in found.items()}

    @cached_property
    def drivers(self) -> Mapping[str, frozenset[str]]:
        """The CSI drivers that run on each node."""
        return {each.name: frozenset(driver.name for driver in each.drivers or ()) for each in self.view.of(objects.DriversOfNode)}


def read(api: Api, needs: Needs, accesses: Iterable[Access]) -> Cluster:
    """The facts, with what the credential may do of these accesses. Raises `ClusterError`."""
    named = [each.key for each in needs.references]
    claims = [key for key in (*needs.claims, *named) if key.kind == "PersistentVolumeClaim"]
    paths_of: dict[str, type[Answered]] = {
        GROUPS: objects.Groups,
        AUTOSCALER: Owned,
        **dict.fromkeys(map(path_of_definition, needs.definitions), Definition),
        **{path_of(Key("Namespace", "", name)): Namespace for name in needs.namespaces},
        **dict.fromkeys(map(paths.path, needs.own.values()), Owned),
        **dict.fromkeys(map(path_of, named), objects.Content),
        **dict.fromkeys(map(path_of, claims), objects.Claim),
    }
    lists: list[tuple[type[Object], str]] = [(kind, "") for kind in LISTED]
    lists += [(objects.Release, namespace) for namespace in needs.namespaces]
    found, accesses = view.read(api, lists, paths_of), list(dict.fromkeys(accesses))
    with at_once() as pool:
        return Cluster(view=found, allowed=dict(zip(accesses, pool.map(partial(is_allowed, api), accesses), strict=True)))


def path_of(key: Key) -> str:
    """The path of an object of the core group."""
    return f"{paths.of_kind('v1', key.kind, key.namespace)}/{key.name}"


def path_of_definition(name: str) -> str:
    return f"{paths.of_kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')}/{name}"


def is_allowed(api: Api, access: Access) -> Seen[bool]:
    """Whether the credential may do something, as the API server says."""
    if access.path:
        return api.review({"nonResourceAttributes": {"verb": access.verb, "path": access.path}})
    resource, _, subresource = access.resource.partition("/")
    scope = {"group": access.group, "namespace": access.namespace, "name": access.name}
    return api.review({"resourceAttributes": {"verb": access.verb, "resource": resource, "subresource": subresource, **scope}})
