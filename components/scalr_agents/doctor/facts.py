"""Facts about a cluster, as far as the credential of the user may see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scalr_agents.cluster.answers import Answer, Found, Hidden, Seen
from scalr_agents.doctor.objects import DaemonSet, Definition, Namespace, Owned, StorageClass, Volume
from scalr_agents.model.manifests import Key
from scalr_agents.model.requests import Resources


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
    owners: Mapping[Key, Found[Owned]] = field(default_factory=dict)
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
