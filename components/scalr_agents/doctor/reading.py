"""Facts that are made of several answers or fields. Values of Secrets and ConfigMaps are left behind here."""

import base64
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field
from decimal import Decimal
from typing import Annotated, Any

from scalr_agents.cluster.answers import Json, mapping, parsed, text
from scalr_agents.cluster.objects import Named, Number, Object, Resource, Several, Texts, at, shape
from scalr_agents.cluster.view import View
from scalr_agents.doctor.facts import Content, Node
from scalr_agents.model import requests

_DOCKER = {".dockerconfigjson": ("auths",), ".dockercfg": ()}
"""Keys of pull secrets, and where the registries are in them."""


@shape
class NodeAnswer(Object):
    """A node."""

    resource = Resource("nodes", "/api/v1")
    taints: Annotated[Several[Texts], at("spec", "taints")] = ()
    allocatable: Annotated[dict[str, Any], at("status", "allocatable")] = field(default_factory=dict)
    kubelet: Annotated[str, at("status", "nodeInfo", "kubeletVersion")] = ""
    runtime: Annotated[str, at("status", "nodeInfo", "containerRuntimeVersion")] = ""


@shape
class Driver(Object):
    """A CSI driver."""

    resource = Resource("csidrivers.storage.k8s.io", "/apis/storage.k8s.io/v1")


@shape
class DriversOfNode(Object):
    """A CSINode."""

    resource = Resource("csinodes.storage.k8s.io", "/apis/storage.k8s.io/v1")
    drivers: Annotated[Several[Named] | None, at("spec", "drivers")] = ()


@shape
class Request:
    """What a container requests, in the shape that manifests have."""

    resources: dict[str, Any] = field(default_factory=dict)
    restart_policy: str = ""

    @property
    def as_manifest(self) -> Json:
        return {"restartPolicy": self.restart_policy, "resources": {key: mapping(self.resources, key) for key in ("requests", "limits")}}


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
        containers = [each.as_manifest for each in self.containers]
        before = [each.as_manifest for each in self.init_containers]
        spec = {"containers": containers, "initContainers": before, "overhead": self.overhead}
        return {**requests.of_pod(spec), "pods": Decimal(1)}


def nodes(view: View) -> list[Node]:
    """The nodes with what runs on them. Placeholders have a negative priority and make room for any of our pods."""
    requested = defaultdict[str, list[Mapping[str, Decimal]]](list)
    for pod in view.of(Occupant):
        if pod.node and pod.priority >= 0:
            requested[pod.node].append(pod.requests)
    drivers = {each.name: frozenset(driver.name for driver in each.drivers or ()) for each in view.of(DriversOfNode)}
    return [
        Node(
            name=each.name,
            labels=each.labels,
            taints=each.taints,
            allocatable=requests.amounts(each.allocatable),
            requested=requests.added(requested[each.name]),
            kubelet=each.kubelet,
            runtime=each.runtime,
            drivers=drivers.get(each.name, frozenset()),
        )
        for each in view.of(NodeAnswer)
    ]


def groups(answer: Json | None) -> frozenset[str]:
    """The API groups that are served."""
    found = (answer or {}).get("groups")
    return frozenset(text(group, "name") for group in found) if isinstance(found, list) else frozenset()


def content(item: Json) -> Content:
    data = {**mapping(item, "data"), **mapping(item, "binaryData")}
    return Content(
        keys=frozenset(data),
        type=text(item, "type"),
        registries=frozenset(_registries(data)),
        phase=text(item, "status", "phase"),
    )


def _registries(data: Mapping[str, Any]) -> Iterator[str]:
    """The registries of a pull secret. What is not readable says nothing: it may be in a form that only its registry's helper knows."""
    for key, within in _DOCKER.items():
        try:
            yield from mapping(parsed(base64.b64decode(data.get(key, ""))), *within)
        except (ValueError, TypeError):
            continue
