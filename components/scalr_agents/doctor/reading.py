"""What the API server answers, as facts. Values of Secrets and ConfigMaps are left behind here."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from scalr_agents.cluster.answers import Json
from scalr_agents.doctor.facts import Content, DaemonSet, Definition, Namespace, Node, Owner, StorageClass, Volume
from scalr_agents.model import requests

_LEVEL = "pod-security.kubernetes.io/enforce"
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_HELM = "meta.helm.sh/release-"
_DOCKER = {".dockerconfigjson": "auths", ".dockercfg": ""}
"""Keys of pull secrets, and where the registries are in them."""


def groups(answer: Json | None) -> frozenset[str]:
    """The API groups that are served."""
    return frozenset(group["name"] for group in (answer or {}).get("groups", ()))


def node(item: Json) -> Node:
    status = item.get("status", {})
    info = status.get("nodeInfo", {})
    return Node(
        name=item["metadata"]["name"],
        labels=item["metadata"].get("labels", {}),
        taints=item.get("spec", {}).get("taints", []),
        allocatable=requests.amounts(status.get("allocatable")),
        kubelet=info.get("kubeletVersion", ""),
        runtime=info.get("containerRuntimeVersion", ""),
    )


def with_pods(nodes: Sequence[Node], pods: Iterable[Json]) -> list[Node]:
    """The nodes with what the pods on them request. Placeholders have a negative priority and make room for any of our pods."""
    requested: dict[str, list[Mapping[str, Decimal]]] = {}
    for pod in pods:
        on = pod["spec"].get("nodeName")
        if on and pod["spec"].get("priority", 0) >= 0:
            requested.setdefault(on, []).append({**requests.of_pod(pod["spec"]), "pods": Decimal(1)})
    return [replace(each, requested=requests.added(requested.get(each.name, ()))) for each in nodes]


def with_drivers(nodes: Sequence[Node], csi_nodes: Iterable[Json]) -> list[Node]:
    """The nodes with the CSI drivers that run on them."""
    drivers = {item["metadata"]["name"]: frozenset(each["name"] for each in item["spec"].get("drivers") or ()) for item in csi_nodes}
    return [replace(each, drivers=drivers.get(each.name, frozenset())) for each in nodes]


def owner(item: Json) -> Owner:
    metadata = item["metadata"]
    annotations = metadata.get("annotations", {})
    release = annotations.get(f"{_HELM}name", "")
    return Owner(
        release=f"{annotations.get(f'{_HELM}namespace', '')}/{release}" if release else "",
        managers=frozenset(entry.get("manager", "") for entry in metadata.get("managedFields", ()) if not entry.get("subresource")),
    )


def definition(item: Json) -> Definition:
    return Definition(
        served=frozenset(version["name"] for version in item["spec"]["versions"] if version["served"]),
        owner=owner(item),
        terminating="deletionTimestamp" in item["metadata"],
    )


def namespace(item: Json) -> Namespace:
    terminating = item.get("status", {}).get("phase") == "Terminating"
    return Namespace(terminating=terminating, level=item["metadata"].get("labels", {}).get(_LEVEL, ""))


def storage_class(item: Json) -> StorageClass:
    annotations = item["metadata"].get("annotations", {})
    return StorageClass(name=item["metadata"]["name"], is_default=annotations.get(_DEFAULT_CLASS) == "true")


def volume(item: Json) -> Volume:
    spec = item["spec"]
    claim = spec.get("claimRef", {})
    return Volume(
        storage_class=spec.get("storageClassName", ""),
        claim=f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "",
        phase=item.get("status", {}).get("phase", ""),
    )


def content(item: Json) -> Content:
    data = {**(item.get("data") or {}), **(item.get("binaryData") or {})}
    return Content(
        keys=frozenset(data),
        type=item.get("type", ""),
        registries=frozenset(_registries(data)),
        phase=item.get("status", {}).get("phase", ""),
    )


def _registries(data: Mapping[str, str]) -> Iterator[str]:
    """The registries of a pull secret. What is not readable says nothing: it may be in a form that only its registry's helper knows."""
    for key, within in _DOCKER.items():
        try:
            parsed = json.loads(base64.b64decode(data.get(key, "")))
            yield from map(str, parsed[within] if within else parsed)
        except (ValueError, KeyError, TypeError):
            continue


def daemon_set(item: Json) -> DaemonSet:
    containers = item["spec"]["template"]["spec"].get("containers", ())
    return DaemonSet(
        name=item["metadata"]["name"],
        arguments=[word for container in containers for word in (*container.get("command", ()), *container.get("args", ()))],
    )
