"""Scheduling as Kubernetes decides them: by tables from its documentation, and by rules that hold for any input."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents.doctor import nodes
from scalr_agents.doctor.objects import Node

TAINT = {"key": "pool", "value": "a", "effect": "NoSchedule"}


def node(cpu: int = 8, pods: int = 110, **more: Any) -> Node:
    return Node(name="n", allocatable={"cpu": Decimal(cpu), "pods": Decimal(pods)}, **more)


@given(st.integers(0, 64), st.integers(0, 40), st.integers(0, 12))
def test_pods_that_are_said_to_fit_do_fit_and_one_more_does_not(quarters: int, cores: int, pods: int) -> None:
    cpu = Decimal(quarters) / 4
    many = nodes.room(node(cores, pods), {"cpu": cpu}, {})
    assert cpu * many <= cores
    assert many <= pods
    assert many == pods or cpu * (many + 1) > cores


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"key": "pool", "value": "a", "effect": "NoSchedule"}, True),
        ({"key": "pool", "operator": "Equal", "value": "a"}, True),
        ({"key": "pool", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "pool", "value": "b", "effect": "NoSchedule"}, False),
        ({"key": "pool", "value": "a", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "pool"}, False),
    ],
)
def test_taints_and_tolerations(toleration: dict[str, str], *, tolerated: bool) -> None:
    assert (nodes.in_the_way(node(taints=[TAINT]), {"tolerations": [toleration]}) == []) is tolerated


def test_a_preference_keeps_no_pod_away() -> None:
    assert nodes.in_the_way(node(taints=[{"key": "pool", "effect": "PreferNoSchedule"}]), {}) == []


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        ({"key": "pool", "operator": "In", "values": ["a", "b"]}, True),
        ({"key": "pool", "operator": "In", "values": ["b"]}, False),
        ({"key": "pool", "operator": "NotIn", "values": ["b"]}, True),
        ({"key": "none", "operator": "NotIn", "values": ["b"]}, True),
        ({"key": "pool", "operator": "Exists"}, True),
        ({"key": "none", "operator": "Exists"}, False),
        ({"key": "none", "operator": "DoesNotExist"}, True),
        ({"key": "size", "operator": "Gt", "values": ["3"]}, True),
        ({"key": "size", "operator": "Lt", "values": ["3"]}, False),
        ({"key": "pool", "operator": "Gt", "values": ["3"]}, False),
    ],
)
def test_required_affinity(expression: dict[str, Any], *, fits: bool) -> None:
    labelled = node(labels={"pool": "a", "size": "4"})
    terms = [{"matchExpressions": [{"key": "absent", "operator": "Exists"}]}, {"matchExpressions": [expression]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    assert nodes.is_selected(labelled, {"affinity": affinity}) is fits
    assert not nodes.is_selected(labelled, {"affinity": affinity, "nodeSelector": {"pool": "b"}})
