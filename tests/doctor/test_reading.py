"""Answers of the API server become facts, and the values of Secrets stay behind."""

import base64
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scalr_agents.doctor import reading
from scalr_agents.doctor.facts import Content, Node, Owner, Volume

KEYS = st.sampled_from(["auths", "a"])
LEAVES = st.none() | st.booleans() | st.text(max_size=3)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner), max_leaves=4)
HIDDEN = "hidden-password"


def pod(node: str | None, cpu: str, priority: int = 0) -> dict[str, Any]:
    container = {"resources": {"requests": {"cpu": cpu}}}
    return {"spec": {"nodeName": node, "priority": priority, "containers": [container]}}


def test_pods_take_room_on_their_nodes_and_placeholders_none() -> None:
    pods = [pod("a", "1"), pod("a", "500m"), pod("b", "2"), pod(None, "4"), pod("a", "8", priority=-10), pod("gone", "1")]
    a, b = reading.with_pods([Node(name="a"), Node(name="b")], pods)
    assert a.requested == {"cpu": Decimal("1.5"), "pods": Decimal(2)}
    assert b.requested == {"cpu": Decimal(2), "pods": Decimal(1)}


def test_drivers_are_those_of_the_node() -> None:
    answers = [
        {"metadata": {"name": "a"}, "spec": {"drivers": [{"name": "efs.csi.aws.com"}]}},
        {"metadata": {"name": "b"}, "spec": {"drivers": None}},
    ]
    nodes = reading.with_drivers([Node(name="a"), Node(name="b"), Node(name="c")], answers)
    assert [node.drivers for node in nodes] == [frozenset({"efs.csi.aws.com"}), frozenset(), frozenset()]


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
    content = reading.content({"metadata": {}, "type": "Opaque", "data": data})
    assert content == Content(keys=frozenset(data), type="Opaque", registries=frozenset(registries))
    assert HIDDEN not in repr(content)


@given(JSON)
def test_no_pull_secret_breaks_the_reading(content: Any) -> None:
    reading.content({"metadata": {}, "data": {".dockerconfigjson": encoded(content), ".dockercfg": encoded(content)}})


def test_owners_are_the_helm_release_and_the_managers_of_the_object_itself() -> None:
    annotations = {"meta.helm.sh/release-name": "runs", "meta.helm.sh/release-namespace": "scalr"}
    managed = [{"manager": "helm"}, {"manager": "kubelet", "subresource": "status"}]
    assert reading.owner({"metadata": {"annotations": annotations, "managedFields": managed}}) == Owner(
        release="scalr/runs", managers=frozenset({"helm"})
    )
    assert reading.owner({"metadata": {}}) == Owner()


def test_volumes_are_of_a_class_and_for_a_claim() -> None:
    bound = {"spec": {"storageClassName": "nfs", "claimRef": {"namespace": "scalr", "name": "cache"}}, "status": {"phase": "Bound"}}
    assert reading.volume(bound) == Volume(storage_class="nfs", claim="scalr/cache", phase="Bound")
    assert reading.volume({"spec": {}, "status": {"phase": "Available"}}) == Volume(phase="Available")
