"""What doctor makes of the answers of the API server. The values of Secrets stay behind."""

import base64
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

import pytest
from hypothesis import given, strategies as st
from kubernetes.client import ApiClient, Configuration
from scalr_agents.cluster.answers import Listed, understood
from scalr_agents.cluster.api import Api, Query
from scalr_agents.cluster.objects import Object
from scalr_agents.cluster.view import View
from scalr_agents.doctor import facts
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.objects import (
    Content,
    DaemonSet,
    Definition,
    DriversOfNode,
    Namespace,
    Node,
    Occupant,
    Owned,
    StorageClass,
    Volume,
)
from scalr_agents.model.manifests import Key

from tests.doctor.clusters import needs_of

KEYS = st.sampled_from(["auths", "a"])
LEAVES = st.none() | st.booleans() | st.text(max_size=3)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner), max_leaves=4)
HIDDEN = "hidden-password"


T = TypeVar("T")


def read(kind: type[T], item: dict[str, Any]) -> T:
    """What is made of an answer in which everything is understood."""
    found, odd = understood(kind, item)
    assert found is not None
    assert odd == []
    return found


def cluster(*items: Object) -> Cluster:
    """A cluster with these objects."""
    lists = {(kind, ""): Listed([item for item in items if type(item) is kind]) for kind in map(type, items)}
    return Cluster(view=View(at=datetime(2026, 5, 1, tzinfo=UTC), lists=lists))


def pod(node: str | None, cpu: str, priority: int = 0) -> Occupant:
    container = {"resources": {"requests": {"cpu": cpu}}}
    return read(Occupant, {"metadata": {"name": "a"}, "spec": {"nodeName": node, "priority": priority, "containers": [container]}})


def test_pods_take_room_on_their_nodes_and_placeholders_none() -> None:
    pods = [pod("a", "1"), pod("a", "500m"), pod("b", "2"), pod(None, "4"), pod("a", "8", priority=-10)]
    assert cluster(*pods).requested == {
        "a": {"cpu": Decimal("1.5"), "pods": Decimal(2)},
        "b": {"cpu": Decimal(2), "pods": Decimal(1)},
    }


def test_drivers_are_those_of_the_node() -> None:
    answers = [
        {"metadata": {"name": "a"}, "spec": {"drivers": [{"name": "efs.csi.aws.com"}]}},
        {"metadata": {"name": "b"}, "spec": {"drivers": None}},
    ]
    found = cluster(*(read(DriversOfNode, answer) for answer in answers)).drivers
    assert found == {"a": frozenset({"efs.csi.aws.com"}), "b": frozenset()}


def test_a_node() -> None:
    info = {"kubeletVersion": "v1.36.3", "containerRuntimeVersion": "containerd://2.1.4"}
    taint = {"key": "pool", "value": "a", "effect": "NoSchedule"}
    status = {"allocatable": {"cpu": "3920m", "memory": "1Gi", "odd": {}}, "nodeInfo": info}
    answer = {"metadata": {"name": "a", "labels": {"pool": "a"}}, "spec": {"taints": [taint]}, "status": status}
    assert read(Node, answer) == Node(
        name="a",
        labels={"pool": "a"},
        taints=(taint,),
        allocatable={"cpu": Decimal("3.920"), "memory": Decimal(2**30)},
        kubelet="v1.36.3",
        runtime="containerd://2.1.4",
    )


class Listing(Api):
    """In place of the API of a cluster with pods of each phase on a node, as it selects them by their fields."""

    def reach(self) -> str:
        return "v1.36.3"

    def get(self, path: str, query: Query = (), accept: str = "") -> None:
        return None

    def listed(self, kind: type[Any], path: str, query: Query = (), accept: str = "") -> Listed[Any]:
        if path != "/api/v1/pods":
            return Listed()
        left_out = dict(query)["fieldSelector"].split(",")
        phases = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
        return Listed([pod("a", "1") for phase in phases if f"status.phase!={phase}" not in left_out])

    def review(self, attributes: Any) -> bool:
        return True


def test_pods_that_have_ended_take_no_room() -> None:
    found = facts.read(Listing(ApiClient(Configuration()), "the cluster"), needs_of(), [])
    assert found.requested == {"a": {"cpu": Decimal(3), "pods": Decimal(3)}}


def encoded(content: Any) -> str:
    return base64.b64encode(json.dumps(content).encode()).decode()


@pytest.mark.parametrize(
    ("data", "registries"),
    [
        ({".dockerconfigjson": encoded({"auths": {"ghcr.io": {"auth": HIDDEN}}})}, {"ghcr.io"}),
        ({".dockercfg": encoded({"ghcr.io": {"auth": HIDDEN}})}, {"ghcr.io"}),
        ({".dockerconfigjson": encoded({"credHelpers": {"ghcr.io": "helper"}})}, set()),
        ({".dockerconfigjson": "not base64"}, set()),
        ({"token": HIDDEN}, set()),
    ],
)
def test_of_secrets_only_keys_and_registries_are_kept(data: dict[str, str], registries: set[str]) -> None:
    content = read(Content, {"metadata": {"name": "a"}, "type": "Opaque", "data": data, "binaryData": None})
    assert content == Content(name="a", data=frozenset(data), type="Opaque", registries=frozenset(registries))
    assert HIDDEN not in repr(content)


@given(JSON)
def test_no_pull_secret_breaks_the_reading(content: Any) -> None:
    read(Content, {"metadata": {"name": "a"}, "data": {".dockerconfigjson": encoded(content), ".dockercfg": encoded(content)}})


def test_volumes_are_of_a_class_and_for_a_claim() -> None:
    spec = {"storageClassName": "nfs", "claimRef": {"namespace": "scalr", "name": "cache"}}
    reserved = read(Volume, {"metadata": {"name": "v"}, "spec": spec, "status": {"phase": "Available"}})
    cache, other = Key("PersistentVolumeClaim", "scalr", "cache"), Key("PersistentVolumeClaim", "scalr", "other")
    assert [reserved.may_bind(cache, "nfs"), reserved.may_bind(other, "nfs"), reserved.may_bind(cache, "")] == [True, False, False]
    free = read(Volume, {"metadata": {"name": "v"}, "spec": {}, "status": {"phase": "Available"}})
    assert [free.may_bind(cache, ""), free.may_bind(other, "")] == [True, True]
    assert not read(Volume, {"metadata": {"name": "v"}}).may_bind(cache, "")


def managed(*managers: dict[str, str], **annotations: str) -> dict[str, Any]:
    return {"metadata": {"name": "a", "annotations": annotations, "managedFields": managers}}


def is_default(annotation: str) -> dict[str, Any]:
    return managed(**{"storageclass.kubernetes.io/is-default-class": annotation})


OF_HELM = {"meta.helm.sh/release-name": "runs", "meta.helm.sh/release-namespace": "scalr"}
VERSIONS = [{"name": "v1", "served": True}, {"name": "v2", "served": False}]
CONTAINERS = [{"name": "a", "command": ["x"], "args": ["y"]}, {"name": "b", "args": ["z"]}, {"name": "c"}]


@pytest.mark.parametrize(
    ("kind", "item", "attribute", "expected"),
    [
        (Owned, managed({"manager": "helm"}, **OF_HELM), "release", "scalr/runs"),
        (Owned, managed({"manager": "helm"}, {"manager": "kubelet", "subresource": "status"}), "managers", ["helm"]),
        (Owned, managed({"manager": "helm"}), "pulumi", ""),
        (Owned, managed({"manager": "pulumi-kubernetes-1a2b"}), "pulumi", "pulumi-kubernetes-1a2b"),
        (Owned, managed({"manager": "pulumi-kubernetes-1a2b"}), "release", ""),
        (Definition, {**managed(), "spec": {"versions": VERSIONS}}, "served", {"v1"}),
        (Namespace, {"metadata": {"name": "a", "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}, "level", "restricted"),
        (Namespace, managed(), "level", ""),
        (Namespace, managed(), "terminating", False),
        (Namespace, {**managed(), "status": {"phase": "Terminating"}}, "terminating", True),
        *((StorageClass, is_default(word), "is_default", word == "true") for word in ("true", "false", "True", "1")),
        (DaemonSet, {**managed(), "spec": {"template": {"spec": {"containers": CONTAINERS}}}}, "arguments", ["x", "y", "z"]),
    ],
)
def test_what_is_read_of_an_object(kind: type[Object], item: dict[str, Any], attribute: str, expected: object) -> None:
    found = getattr(read(kind, item), attribute)
    assert ([*found] if attribute == "managers" else found) == expected
