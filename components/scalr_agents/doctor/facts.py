"""Facts about a cluster, as far as the credential of the user may see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator

from scalr_agents.cluster.answers import Answer, Found, Hidden, Seen, mapping, text
from scalr_agents.cluster.objects import Object, Resource, at, shape
from scalr_agents.model.manifests import Key
from scalr_agents.model.requests import Resources

_HELM = "meta.helm.sh/release-"


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
class Node:
    """A node of the cluster, with what runs on it."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, Any]] = ()
    allocatable: Resources = field(default_factory=dict)
    requested: Resources = field(default_factory=dict)
    """What the pods on it request, and how many they are (`pods`). Empty if pods cannot be seen."""
    kubelet: str = ""
    """Version of the kubelet, such as `v1.36.3`."""
    runtime: str = ""
    """Container runtime, such as `containerd://2.1.4`."""
    drivers: frozenset[str] = frozenset()
    """CSI drivers that run on it."""


def _managers(given: object) -> object:
    """The field managers of an object itself, not those of its status."""
    if not isinstance(given, list):
        return given
    return frozenset(text(entry, "manager") for entry in given if not text(entry, "subresource"))


def _release(given: object) -> str:
    name = text(given, f"{_HELM}name")
    return f"{text(given, f'{_HELM}namespace')}/{name}" if name else ""


def _served(given: object) -> object:
    if not isinstance(given, list):
        return given
    return frozenset(text(version, "name") for version in given if mapping(version).get("served") is True)


def _words(given: object) -> object:
    """Commands and arguments of containers."""
    if not isinstance(given, list):
        return given
    lists = (mapping(container).get(key) for container in given for key in ("command", "args"))
    return [word for words in lists if isinstance(words, list) for word in words if isinstance(word, str)]


@shape
class Owner:
    """Who owns an object that exists, out of its metadata."""

    release: Annotated[str, BeforeValidator(_release), at("annotations")] = ""
    """Helm release, `namespace/name`; empty if none."""
    managers: Annotated[frozenset[str], BeforeValidator(_managers), at("managedFields")] = frozenset()
    """Field managers."""

    @property
    def pulumi(self) -> str:
        """Field manager of Pulumi, which has one for each object. Empty if Pulumi has not applied it."""
        return min((manager for manager in self.managers if manager.startswith("pulumi-kubernetes")), default="")


@shape
class Owned:
    """An object, of which only the owner is needed."""

    owner: Annotated[Owner, at("metadata")] = Owner()


@shape
class Definition(Owned):
    """A CustomResourceDefinition."""

    served: Annotated[frozenset[str], BeforeValidator(_served), at("spec", "versions")] = frozenset()
    """Versions that the API server serves."""
    terminating: Annotated[bool, BeforeValidator(bool), at("metadata", "deletionTimestamp")] = False


@shape
class Namespace:
    terminating: Annotated[bool, BeforeValidator(lambda phase: phase == "Terminating"), at("status", "phase")] = False
    level: Annotated[str, at("metadata", "labels", "pod-security.kubernetes.io/enforce")] = ""
    """Pod Security level that it enforces; empty if it sets none."""


@shape
class StorageClass(Object):
    resource = Resource("storageclasses.storage.k8s.io", "/apis/storage.k8s.io/v1")
    is_default: Annotated[bool, at("metadata", "annotations", "storageclass.kubernetes.io/is-default-class")] = False


@shape
class Volume(Object):
    """A PersistentVolume."""

    resource = Resource("persistentvolumes", "/api/v1")
    storage_class: Annotated[str, at("spec", "storageClassName")] = ""
    """Name of its class, which need not exist as an object."""
    claim: Annotated[str, BeforeValidator(lambda given: f"{text(given, 'namespace')}/{text(given, 'name')}"), at("spec", "claimRef")] = ""
    """The claim that it is for, `namespace/name`; empty if it is for any claim."""
    phase: Annotated[str, at("status", "phase")] = "Available"

    def may_bind(self, claim: str, storage_class: str) -> bool:
        """Whether a claim of this class may get it. Sizes and access modes are not compared."""
        is_free = self.phase != "Released" if self.claim == claim else not self.claim and self.phase == "Available"
        return is_free and self.storage_class == storage_class


@shape
class DaemonSet(Object):
    resource = Resource("daemonsets.apps", "/apis/apps/v1")
    arguments: Annotated[Sequence[str], BeforeValidator(_words), at("spec", "template", "spec", "containers")] = ()
    """Commands and arguments of all its containers."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """An existing object that pods name, or a claim. Of Secrets and ConfigMaps only the keys are kept, never the values."""

    keys: frozenset[str] = frozenset()
    type: str = ""
    """Type of a Secret."""
    registries: frozenset[str] = frozenset()
    """Registries that a pull secret has credentials for."""
    phase: str = ""
    """Phase of a claim."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What is known about a cluster, as far as the stack needs it."""

    version: str
    """Version of the API server, such as `v1.36.3`."""
    groups: Seen[frozenset[str]] = frozenset()
    """API groups."""
    nodes: Seen[Sequence[Node]] = ()
    pods: Hidden | None = None
    """Why the pods on the nodes cannot be seen; `None` if they can."""
    drivers_on_nodes: Hidden | None = None
    """Why the drivers on the nodes cannot be seen; `None` if they can."""
    allowed: Mapping[Access, Seen[bool]] = field(default_factory=dict)
    definitions: Mapping[str, Found[Definition]] = field(default_factory=dict)
    namespaces: Mapping[str, Found[Namespace]] = field(default_factory=dict)
    drivers: Seen[frozenset[str]] = frozenset()
    """CSI drivers."""
    classes: Seen[Sequence[StorageClass]] = ()
    volumes: Seen[Sequence[Volume]] = ()
    contents: Mapping[Key, Found[Content]] = field(default_factory=dict)
    """Objects that pods name and the stack does not make, and the stack's own claims."""
    owners: Mapping[Key, Found[Owner]] = field(default_factory=dict)
    """Objects that the stack makes and that exist already."""
    releases: Mapping[str, Seen[frozenset[str]]] = field(default_factory=dict)
    """Names of the Helm releases in a namespace."""
    daemon_sets: Seen[Sequence[DaemonSet]] = ()
    autoscaler: Seen[bool] = False
    """Whether the cluster autoscaler has reported its status. Karpenter is among the groups."""
    notes: Sequence[str] = ()
    """What of it is not understood."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Answers to what was submitted, by its subject."""

    def admitted(self, pods: str, spec: Mapping[str, Any]) -> Mapping[str, Any]:
        """The spec of pods as the API server admits them, or as given if it has not."""
        answer = self.answers.get(pods)
        return answer.spec if answer and answer.spec else spec
