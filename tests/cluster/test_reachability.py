"""The evaluator of NetworkPolicies, by the semantics of their API. It needs no control plane."""

from typing import Any

import pytest

from tests.cluster.dialects import Manifest
from tests.cluster.reachability import Destination, Network, matches, policy_types

_LABELS = {"app": "web", "tier": "front"}


@pytest.mark.parametrize(
    ("selector", "matched"),
    [
        ({}, True),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "tier": "front"}}, True),
        ({"matchLabels": {"app": "web", "tier": "back"}}, False),
        ({"matchLabels": {"zone": "a"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["api", "web"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["api"]}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["api"]}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}, True),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}, {"key": "zone", "operator": "Exists"}]}, False),
    ],
)
def test_selectors(selector: Manifest, matched: bool) -> None:
    assert matches(selector, _LABELS) is matched


@pytest.mark.parametrize(
    ("spec", "types"),
    [
        ({}, ["Ingress"]),
        ({"egress": []}, ["Ingress"]),
        ({"egress": [{}]}, ["Ingress", "Egress"]),
        ({"policyTypes": ["Egress"]}, ["Egress"]),
        ({"policyTypes": ["Ingress"], "egress": [{}]}, ["Ingress"]),
    ],
)
def test_policy_types(spec: Manifest, types: list[str]) -> None:
    assert policy_types(spec) == types


def _namespace(name: str) -> Manifest:
    return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}


def _pod(namespace: str, **labels: str) -> Manifest:
    ports = [{"name": "web", "containerPort": 8080}, {"name": "dns", "containerPort": 53, "protocol": "UDP"}]
    return {"metadata": {"name": "pod", "namespace": namespace, "labels": labels}, "spec": {"containers": [{"ports": ports}]}}


def _policy(*rules: Any, name: str = "policy", **spec: Any) -> Manifest:
    return {
        "metadata": {"name": name, "namespace": "here"},
        "spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": list(rules), **spec},
    }


def _network(*policies: Manifest) -> Network:
    return Network(policies, [_namespace("here"), _namespace("there")])


_HERE = _pod("here", app="web")
_OUTSIDE = Destination("192.0.2.1")
_OUTSIDE_6 = Destination("2001:db8::1")
_POD_HERE = Destination("10.0.0.1", _pod("here", app="api"))
_POD_THERE = Destination("10.0.0.2", _pod("there", app="api"))
_ONLY_LABELS = Destination(pod=_pod("there", app="api"))


@pytest.mark.parametrize(
    ("rule", "reached"),
    [
        ({}, [_OUTSIDE, _OUTSIDE_6, _POD_HERE, _POD_THERE, _ONLY_LABELS]),
        ({"to": []}, [_OUTSIDE, _OUTSIDE_6, _POD_HERE, _POD_THERE, _ONLY_LABELS]),
        ({"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}, [_OUTSIDE, _POD_HERE, _POD_THERE]),
        ({"to": [{"ipBlock": {"cidr": "::/0"}}]}, [_OUTSIDE_6]),
        ({"to": [{"ipBlock": {"cidr": "10.0.0.0/30", "except": ["10.0.0.1/32"]}}]}, [_POD_THERE]),
        ({"to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["192.0.2.0/24", "10.0.0.2/32"]}}]}, [_POD_HERE]),
        ({"to": [{"podSelector": {}}]}, [_POD_HERE]),
        ({"to": [{"podSelector": {"matchLabels": {"app": "web"}}}]}, []),
        ({"to": [{"namespaceSelector": {}}]}, [_POD_HERE, _POD_THERE, _ONLY_LABELS]),
        ({"to": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "there"}}}]}, [_POD_THERE, _ONLY_LABELS]),
        ({"to": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "web"}}}]}, []),
        ({"to": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "api"}}}]}, [_POD_HERE, _POD_THERE, _ONLY_LABELS]),
        ({"to": [{"podSelector": {}}, {"ipBlock": {"cidr": "192.0.2.0/24"}}]}, [_OUTSIDE, _POD_HERE]),
    ],
)
def test_peers(rule: Manifest, reached: list[Destination]) -> None:
    network = _network(_policy(rule))
    everything = [_OUTSIDE, _OUTSIDE_6, _POD_HERE, _POD_THERE, _ONLY_LABELS]
    assert [destination for destination in everything if network.reaches(_HERE, destination, 443)] == reached


@pytest.mark.parametrize(
    ("ports", "reached"),
    [
        (None, [(53, "UDP"), (53, "TCP"), (8080, "TCP"), (8081, "TCP"), (443, "SCTP")]),
        ([], [(53, "UDP"), (53, "TCP"), (8080, "TCP"), (8081, "TCP"), (443, "SCTP")]),
        ([{"port": 53}], [(53, "TCP")]),
        ([{"port": 53, "protocol": "UDP"}], [(53, "UDP")]),
        ([{"protocol": "SCTP"}], [(443, "SCTP")]),
        ([{"port": 8080, "endPort": 8081}], [(8080, "TCP"), (8081, "TCP")]),
        ([{"port": "web"}], [(8080, "TCP")]),
        ([{"port": "dns"}], []),
        ([{"port": "dns", "protocol": "UDP"}], [(53, "UDP")]),
        ([{"port": 53}, {"port": 8081}], [(53, "TCP"), (8081, "TCP")]),
    ],
)
def test_ports(ports: list[Manifest] | None, reached: list[tuple[int, str]]) -> None:
    rule = {} if ports is None else {"ports": ports}
    asked = [(53, "UDP"), (53, "TCP"), (8080, "TCP"), (8081, "TCP"), (443, "SCTP")]
    network = _network(_policy(rule))
    assert [(port, protocol) for port, protocol in asked if network.reaches(_HERE, _POD_HERE, port, protocol)] == reached


def test_named_ports_apply_only_to_pods() -> None:
    assert not _network(_policy({"ports": [{"port": "web"}]})).reaches(_HERE, _OUTSIDE, 8080)


@pytest.mark.parametrize(
    ("policies", "selecting", "reached"),
    [
        ([], [], True),
        ([_policy()], ["policy"], False),
        ([_policy(podSelector={"matchLabels": {"app": "api"}})], [], True),
        ([_policy(policyTypes=["Ingress"])], [], True),
        ([{**_policy(), "metadata": {"name": "policy", "namespace": "there"}}], [], True),
        ([_policy(name="b"), _policy({}, name="a")], ["a", "b"], True),
        ([_policy({"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}, {"ports": [{"port": 53}]})], ["policy"], False),
    ],
)
def test_policies_add_up(policies: list[Manifest], selecting: list[str], reached: bool) -> None:
    network = _network(*policies)
    assert network.selecting(_HERE) == selecting
    assert network.reaches(_HERE, _OUTSIDE, 443) is reached
