"""Scheduling as Kubernetes decides them: by tables from its documentation, and by rules that hold for any input."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scalr_agents.doctor import scheduling
from scalr_agents.doctor.facts import Node

CPU = st.integers(0, 64).map(lambda cores: f"{cores * 250}m")
RESOURCES = st.fixed_dictionaries({"requests": st.fixed_dictionaries({"cpu": CPU})})
CONTAINERS = st.lists(st.fixed_dictionaries({"name": st.just("c"), "resources": RESOURCES}), max_size=4)


def pod(*cpus: str, before: tuple[str, ...] = (), staying: tuple[str, ...] = ()) -> dict[str, Any]:
    def container(cpu: str) -> dict[str, Any]:
        return {"name": "c", "resources": {"requests": {"cpu": cpu}}}

    init = [*({**container(cpu), "restartPolicy": "Always"} for cpu in staying), *map(container, before)]
    return {"containers": [*map(container, cpus)], "initContainers": init}


def node(cpu: int = 8, pods: int = 110, **more: Any) -> Node:
    return Node(name="n", allocatable={"cpu": Decimal(cpu), "pods": Decimal(pods)}, **more)


@pytest.mark.parametrize(
    ("spec", "cores"),
    [
        (pod("1", "500m"), "1.5"),
        (pod("1", before=("3",)), "3"),
        (pod("4", before=("3",)), "4"),
        (pod("1", staying=("500m",)), "1.5"),
        (pod("1", before=("1",), staying=("500m",)), "1.5"),
        (pod("1", before=("2",), staying=("500m",)), "2.5"),
        ({**pod("1"), "overhead": {"cpu": "250m"}}, "1.25"),
    ],
)
def test_what_a_pod_requests(spec: dict[str, Any], cores: str) -> None:
    assert scheduling.of_pod(spec) == {"cpu": Decimal(cores)}


def test_a_request_that_is_not_set_equals_the_limit() -> None:
    container = {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}}
    assert scheduling.of_container(container) == {"cpu": Decimal(1), "memory": Decimal(2**30)}


@given(CONTAINERS, CONTAINERS, st.integers(0, 40), st.integers(0, 12))
def test_pods_that_are_said_to_fit_do_fit_and_one_more_does_not(
    containers: list[dict[str, Any]], before: list[dict[str, Any]], cores: int, pods: int
) -> None:
    needed = scheduling.of_pod({"containers": containers, "initContainers": before})
    many = scheduling.room(node(cores, pods), needed)
    cpu = needed.get("cpu", Decimal(0))
    assert cpu * many <= cores
    assert many <= pods
    assert many == pods or cpu * (many + 1) > cores


@given(CONTAINERS, CONTAINERS)
def test_a_pod_needs_as_much_as_any_of_its_phases(containers: list[dict[str, Any]], before: list[dict[str, Any]]) -> None:
    cpu = scheduling.of_pod({"containers": containers, "initContainers": before}).get("cpu", Decimal(0))
    each = [scheduling.of_container(container)["cpu"] for container in before]
    together = sum((scheduling.of_container(container)["cpu"] for container in containers), Decimal(0))
    assert cpu == max([together, *each])


TAINT = {"key": "pool", "value": "a", "effect": "NoSchedule"}


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
    assert (scheduling.in_the_way(node(taints=[TAINT]), {"tolerations": [toleration]}) == []) is tolerated


def test_a_preference_keeps_no_pod_away() -> None:
    assert scheduling.in_the_way(node(taints=[{"key": "pool", "effect": "PreferNoSchedule"}]), {}) == []


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
    assert scheduling.is_selected(labelled, {"affinity": affinity}) is fits
    assert not scheduling.is_selected(labelled, {"affinity": affinity, "nodeSelector": {"pool": "b"}})
