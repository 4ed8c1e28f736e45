"""What doctor reads of the objects of a cluster, beside what other commands do: each field with its place in the answer."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator

from scalr_agents.cluster.answers import mapping, parsed
from scalr_agents.cluster.objects import (
    JSON,
    METADATA,
    METADATA_OF_LIST,
    Answered,
    Named,
    Number,
    Object,
    Resource,
    Several,
    Texts,
    at,
    shape,
)
from scalr_agents.model import quantities
from scalr_agents.model.manifests import Key

_HELM = "meta.helm.sh/release-"
_STORAGE = "/apis/storage.k8s.io/v1"
_DOCKER = {".dockerconfigjson": ("auths",), ".dockercfg": ()}
"""Keys of pull secrets, and where the registries are in them."""


def _of_map(read: Callable[[Mapping[str, Any]], Any]) -> BeforeValidator:
    """Reads a map as something else. What is no map is not understood."""
    return BeforeValidator(lambda given: read(given) if isinstance(given, dict) else given)


def _registries_of(data: Mapping[str, Any]) -> Iterator[str]:
    """The registries of a pull secret. What is not readable says nothing: it may be in a form that only its registry's helper knows."""
    for key, within in _DOCKER.items():
        try:
            yield from mapping(parsed(base64.b64decode(data.get(key, ""))), *within)
        except (ValueError, TypeError):
            continue


@shape
class Groups(Answered):
    """The API groups that are served."""

    groups: Several[Named] = ()


@shape
class Node(Object):
    resource = Resource("nodes", "/api/v1")
    taints: Annotated[Several[Texts], at("spec", "taints")] = ()
    allocatable: Annotated[dict[str, Decimal], _of_map(quantities.amounts), at("status", "allocatable")] = field(default_factory=dict)
    kubelet: Annotated[str, at("status", "nodeInfo", "kubeletVersion")] = ""
    """Version of the kubelet, such as `v1.36.3`."""
    runtime: Annotated[str, at("status", "nodeInfo", "containerRuntimeVersion")] = ""
    """Container runtime, such as `containerd://2.1.4`."""


@shape
class Driver(Object):
    """A CSI driver."""

    resource = Resource("csidrivers.storage.k8s.io", _STORAGE)


@shape
class DriversOfNode(Object):
    """A CSINode."""

    resource = Resource("csinodes.storage.k8s.io", _STORAGE)
    drivers: Annotated[Several[Named] | None, at("spec", "drivers")] = ()


@shape
class Request:
    """What a container requests."""

    requests: Annotated[dict[str, Any], at("resources", "requests")] = field(default_factory=dict)
    limits: Annotated[dict[str, Any], at("resources", "limits")] = field(default_factory=dict)
    restart_policy: Annotated[str, at("restartPolicy")] = ""


@shape
class Occupant(Object):
    """A pod that has not ended, as far as it takes room on its node."""

    resource = Resource("pods", "/api/v1", (("fieldSelector", "status.phase!=Succeeded,status.phase!=Failed"),))
    node: Annotated[str, at("spec", "nodeName")] = ""
    priority: Annotated[Number, at("spec", "priority")] = 0
    containers: Annotated[Several[Request], at("spec", "containers")] = ()
    init_containers: Annotated[Several[Request], at("spec", "initContainers")] = ()
    overhead: Annotated[dict[str, Any], at("spec", "overhead")] = field(default_factory=dict)

    @property
    def requests(self) -> Mapping[str, Decimal]:
        """What it requests, and that it is one pod."""
        containers, before = (
            [{"restartPolicy": each.restart_policy, "resources": {"requests": each.requests, "limits": each.limits}} for each in some]
            for some in (self.containers, self.init_containers)
        )
        return {**quantities.of_pod({"containers": containers, "initContainers": before, "overhead": self.overhead}), "pods": Decimal(1)}


@shape
class StorageClass(Object):
    resource = Resource("storageclasses.storage.k8s.io", _STORAGE)
    annotations: Annotated[Texts, at("metadata", "annotations")] = field(default_factory=dict)

    @property
    def is_default(self) -> bool:
        return self.annotations.get("storageclass.kubernetes.io/is-default-class") == "true"


@shape
class Volume(Object):
    """A PersistentVolume."""

    resource = Resource("persistentvolumes", "/api/v1")
    storage_class: Annotated[str, at("spec", "storageClassName")] = ""
    """Name of its class, which need not exist as an object."""
    claim_namespace: Annotated[str, at("spec", "claimRef", "namespace")] = ""
    claim_name: Annotated[str, at("spec", "claimRef", "name")] = ""
    """The claim that it is for; empty if it is for any claim."""
    phase: Annotated[str, at("status", "phase")] = "Pending"

    def may_bind(self, claim: Key, storage_class: str) -> bool:
        """Whether a claim of this class may get it. Sizes and access modes are not compared."""
        is_for_it = (self.claim_namespace, self.claim_name) == (claim.namespace, claim.name)
        is_free = self.phase != "Released" if is_for_it else not self.claim_name and self.phase == "Available"
        return is_free and self.storage_class == storage_class


@shape
class Command:
    """What a container runs."""

    command: Several[str] = ()
    args: Several[str] = ()


@shape
class DaemonSet(Object):
    resource = Resource("daemonsets.apps", "/apis/apps/v1")
    containers: Annotated[Several[Command], at("spec", "template", "spec", "containers")] = ()

    @property
    def arguments(self) -> Sequence[str]:
        """Commands and arguments of all its containers."""
        return [word for container in self.containers for word in (*container.command, *container.args)]


@shape
class Manager:
    """A field manager of an object."""

    manager: str = ""
    subresource: str = ""


@shape
class Owned(Object):
    """An object that exists, of which only the owner is needed."""

    accept = METADATA
    annotations: Annotated[Texts, at("metadata", "annotations")] = field(default_factory=dict)
    managed_fields: Annotated[Several[Manager], at("metadata", "managedFields")] = ()

    @property
    def release(self) -> str:
        """Its Helm release, `namespace/name`; empty if none."""
        name = self.annotations.get(f"{_HELM}name", "")
        return f"{self.annotations.get(f'{_HELM}namespace', '')}/{name}" if name else ""

    @property
    def managers(self) -> frozenset[str]:
        """Field managers of the object itself, not those of its status."""
        return frozenset(each.manager for each in self.managed_fields if not each.subresource)

    @property
    def pulumi(self) -> str:
        """Field manager of Pulumi, which has one for each object. Empty if Pulumi has not applied it."""
        return min((manager for manager in self.managers if manager.startswith("pulumi-kubernetes")), default="")


@shape
class Claim(Owned):
    """A claim that exists."""

    accept = JSON
    phase: Annotated[str, at("status", "phase")] = ""


@shape
class Content(Object):
    """A Secret or ConfigMap that pods name. Only its keys are kept, never the values."""

    type: str = ""
    """Type of a Secret."""
    data: Annotated[frozenset[str], _of_map(frozenset)] = frozenset()
    binary_data: Annotated[frozenset[str], _of_map(frozenset), at("binaryData")] = frozenset()
    registries: Annotated[frozenset[str], _of_map(_registries_of), at("data")] = frozenset()
    """Registries that a pull secret has credentials for."""

    @property
    def keys(self) -> frozenset[str]:
        return self.data | self.binary_data


@shape
class Release(Object):
    """A Helm release, or rather the Secret that Helm keeps it in, of which only the metadata is read."""

    resource = Resource("secrets", "/api/v1", (("labelSelector", "owner=helm"),), METADATA_OF_LIST)


@shape
class Version:
    """A version of a CustomResourceDefinition."""

    name: str
    served: bool = False


@shape
class Definition(Owned):
    """A CustomResourceDefinition."""

    accept = JSON
    versions: Annotated[Several[Version], at("spec", "versions")] = ()

    @property
    def served(self) -> frozenset[str]:
        """Versions that the API server serves."""
        return frozenset(version.name for version in self.versions if version.served)


@shape
class Namespace(Object):
    phase: Annotated[str, at("status", "phase")] = ""

    @property
    def terminating(self) -> bool:
        return self.phase == "Terminating"

    @property
    def level(self) -> str:
        """Pod Security level that it enforces; empty if it sets none."""
        return self.labels.get("pod-security.kubernetes.io/enforce", "")
