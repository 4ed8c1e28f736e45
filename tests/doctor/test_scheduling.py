"""Scheduling and admission as Kubernetes decides them: by tables from its documentation, and by rules that hold for any input."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scalr_agents.doctor import scheduling
from scalr_agents.doctor.checks import quotas
from scalr_agents.doctor.facts import Limit, Node, Quota

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
    assert scheduling.of_container(container, "requests") == {"cpu": Decimal(1), "memory": Decimal(2**30)}


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
    each = [scheduling.of_container(container, "requests")["cpu"] for container in before]
    together = sum((scheduling.of_container(container, "requests")["cpu"] for container in containers), Decimal(0))
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


def limit(kind: str = "Container", **bounds: dict[str, Decimal]) -> Limit:
    return Limit(name="l", type=kind, **bounds)


@pytest.mark.parametrize(
    ("bounds", "refused"),
    [
        (limit(minimum={"cpu": Decimal(1)}), False),
        (limit(minimum={"cpu": Decimal(2)}), True),
        (limit(maximum={"cpu": Decimal(4)}), True),  # no limit is set
        (limit(maximum={"cpu": Decimal(4)}, default={"cpu": Decimal(4)}), False),
        (limit(maximum={"cpu": Decimal(4)}, default={"cpu": Decimal(5)}), True),
        (limit(ratio={"cpu": Decimal(2)}, default={"cpu": Decimal(2)}), False),
        (limit(ratio={"cpu": Decimal(2)}, default={"cpu": Decimal(3)}), True),
        (limit("Pod", minimum={"cpu": Decimal(2)}), False),
        (limit("Pod", minimum={"cpu": Decimal(3)}), True),
        (limit("PersistentVolumeClaim", maximum={"storage": Decimal(1)}), False),
    ],
)
def test_limit_ranges(bounds: Limit, *, refused: bool) -> None:
    assert bool(list(quotas.out_of_bounds(pod("1", "1"), [bounds]))) is refused


@pytest.mark.parametrize(
    ("hard", "taken"),
    [
        ("cpu", 2),
        ("requests.cpu", 2),
        ("limits.cpu", 6),
        ("pods", 1),
        ("count/pods", 1),
        ("requests.nvidia.com/gpu", 1),
        ("persistentvolumeclaims", 0),
        ("memory", 0),
    ],
)
def test_what_a_pod_takes_of_a_quota(hard: str, taken: int) -> None:
    resources = {"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}
    gpu = {"requests": {"cpu": "1", "nvidia.com/gpu": "1"}, "limits": {"cpu": "3"}}
    spec = {"containers": [{"name": "a", "resources": resources}, {"name": "b", "resources": gpu}]}
    assert quotas.demand(spec, Quota(name="q", hard={hard: Decimal(9)})) == {hard: Decimal(taken)}


@given(st.dictionaries(st.sampled_from(["cpu", "memory", "limits.cpu", "pods", "requests.memory"]), st.integers(0, 9).map(Decimal)))
def test_what_is_set_or_defaulted_is_not_unset(hard: dict[str, Decimal]) -> None:
    quota = Quota(name="q", hard=hard)
    defaults = limit(default={"cpu": Decimal(1), "memory": Decimal(1)}, default_request={"cpu": Decimal(1), "memory": Decimal(1)})
    bare = {"containers": [{"name": "c"}]}
    assert quotas.unset(quotas.completed(bare, [defaults]), quota) == []
    assert set(quotas.unset(bare, quota)) == hard.keys() - {"pods"}
