"""Classes of agents: what a size becomes for every kind, what overrides it, and what a kind has no value for."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents.charts import find
from scalr_agents.model import quantities

from tests.helpers.kinds import JOB, K8S, KINDS, LEGACY_JOB, LEGACY_LOCAL, LOCAL, Kind, load, of_one, values_of

AMOUNTS = {"requests": {"cpu": "1500m", "memory": "1Gi"}, "limits": {"memory": "24Gi"}}
POOL = {"selector": {"pool": "large"}, "tolerations": [{"key": "pool"}]}
SELECTED = {"nodeSelector": {"pool": "large"}, "tolerations": [{"key": "pool"}]}
OF_K8S = {"container_task_cpu_request": 1.5, "container_task_mem_limit": 24576}
WORKSPACE = {"emptyDir": {"sizeLimit": "30Gi"}}
CURRENT_JOB, CURRENT_LOCAL, CURRENT_K8S = ([kind for kind in KINDS if kind[0] == chart][-1] for chart in (JOB, LOCAL, K8S))


def sized(size: dict[str, Any], **words: Any) -> dict[str, Any]:
    return {"classes": {"large": size}, **of_one(**{"class": "large", **words})}


@pytest.mark.parametrize(
    ("kind", "size", "values"),
    [
        *(
            (kind, size, values)
            for kind in (CURRENT_JOB, LEGACY_JOB)
            for size, values in (
                ({"disk": "30Gi"}, {"persistence": {"data": WORKSPACE}}),
                ({"nodes": POOL}, {"agent": SELECTED, "task": SELECTED}),
                ({"deadlineSeconds": 7200}, {"task": {"job": {"activeDeadlineSeconds": 7200}}}),
                ({"buffer": 2}, {"task": {"buffer": {"replicas": 2}}}),
            )
        ),
        (
            CURRENT_JOB,
            {"resources": AMOUNTS},
            {"task": {"runner": {"resources": AMOUNTS}}},
        ),
        (
            CURRENT_LOCAL,
            {"resources": AMOUNTS, "disk": "30Gi", "nodes": POOL},
            {
                "resources": AMOUNTS,
                "persistence": {"data": WORKSPACE},
                **SELECTED,
            },
        ),
        (LEGACY_LOCAL, {"disk": "30Gi"}, {"persistence": WORKSPACE}),
        (
            CURRENT_K8S,
            {"resources": AMOUNTS, "nodes": POOL},
            {
                "agent": OF_K8S,
                **{f"{part}{word[0].upper()}{word[1:]}": each for part in ("controller", "worker") for word, each in SELECTED.items()},
            },
        ),
    ],
)
def test_a_size_becomes_values(kind: Kind, size: dict[str, Any], values: dict[str, Any]) -> None:
    assert values_of(kind, sized(size)) == values


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, ("9Gi", {"pool": "large"}, 7200)),
        ({"values": {"task": {"runner": {"resources": {"limits": {"memory": "6Gi"}}}}}}, ("6Gi", {"pool": "large"}, 7200)),
        ({"nodes": {"selector": {"pool": "own"}}}, ("9Gi", {"pool": "own"}, 7200)),
        ({"nodes": {"selector": {"zone": "a"}}}, ("9Gi", {"pool": "large", "zone": "a"}, 7200)),
        ({"valuesFiles": ["own.yaml"]}, ("9Gi", {"pool": "large"}, 60)),
    ],
)
def test_an_agents_own_words_override_its_class(words: dict[str, Any], expected: tuple[str, dict[str, str], int], tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("task: {job: {activeDeadlineSeconds: 60}}\n")
    size = {"resources": {"limits": {"memory": "9Gi"}}, "nodes": {"selector": {"pool": "large"}}, "deadlineSeconds": 7200}
    made = load(CURRENT_JOB, sized(size, **words), tmp_path).agents[0].values.task
    memory = made.runner.resources["limits"]["memory"]
    assert (memory, made.node_selector, made.job.active_deadline_seconds) == expected


SIZES = st.tuples(st.integers(1, 10**6), st.sampled_from(["", "k", "M", "G", "Ki", "Mi", "Gi"])).map(lambda size: f"{size[0]}{size[1]}")


@given(SIZES, st.integers(1, 64000))
def test_agent_k8s_gets_at_least_the_memory_and_exactly_the_cores(memory: str, cores: int) -> None:
    settings = find(K8S).settings(find(K8S).versions, None)
    made = settings.resources({"limits": {"cpu": f"{cores}m", "memory": memory}})["agent"]
    spare = made["container_task_mem_limit"] * 2**20 - quantities.parse(memory)
    assert 0 <= spare < 2**20
    assert round(made["container_task_cpu_limit"] * 1000) == cores
