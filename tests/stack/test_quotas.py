"""Quotas of namespaces: their objects, and whether the stack's own pods and one run fit into them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scalr_agents import output
from scalr_agents.model import quantities
from scalr_agents.model.maps import merge

from tests.helpers.kinds import stack_of
from tests.helpers.plain import findings, load
from tests.helpers.schemas import assert_valid

WORDS = {"pods": 20, "cpu": 40, "memory": "80Gi", "disk": "200Gi"}
META = {"name": "scalr-agents", "namespace": "scalr"}
JOB: dict[str, Any] = {"kind": "agent-job", "agentVersion": "1.4.0"}


def limited(quota: dict[str, Any], **more: Any) -> dict[str, Any]:
    return merge({"namespaces": {"scalr": {"quota": quota}}}, more)


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    ("quota", "hard", "defaults"),
    [
        ({"pods": 20}, {"pods": "20"}, {}),
        ({"cpu": 40}, {"requests.cpu": "40"}, {"cpu": "100m"}),
        (
            WORDS,
            {"pods": "20", "requests.cpu": "40", "requests.memory": "80Gi", "requests.ephemeral-storage": "200Gi"},
            {"cpu": "100m", "memory": "128Mi", "ephemeral-storage": "256Mi"},
        ),
    ],
)
def test_objects(quota: dict[str, Any], hard: dict[str, str], defaults: dict[str, str], *, create: bool) -> None:
    loaded = load({"namespaces": {"scalr": {"create": create, "quota": quota}}})
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": META,
        "spec": {"limits": [{"type": "Container", "defaultRequest": defaults}]},
    }
    wanted = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": META, "spec": {"hard": hard}}
    assert list(loaded.quotas().values()) == [*([limits] if defaults else []), wanted]
    for manifest in loaded.quotas().values():
        assert_valid(manifest)
    kinds = [manifest["kind"] for manifest in loaded.objects()]
    before = ["CustomResourceDefinition", *(["Namespace"] if create else [])]
    assert kinds[: kinds.index("ServiceAccount")] == [*before, *(["LimitRange"] if defaults else []), "ResourceQuota"]


def test_all_else_stays_as_it_is() -> None:
    added = load(limited(WORDS)).quotas().values()
    plain, with_quota = load({"namespaces": {"scalr": {}}}), load(limited(WORDS))
    assert [each for each in with_quota.objects() if each not in added] == plain.objects()
    assert with_quota.images() == plain.images()
    assert output.text(list(added), "yaml").count("kind: ") == 2


@pytest.mark.parametrize(
    ("quota", "found"),
    [
        (WORDS, []),
        (None, []),
        ({}, [("", "empty; set at least one of pods, cpu, memory, disk")]),
        (
            {"cpu": 0, "disk": "-1Gi"},
            [(f".{word}", f"{given} allows no pods; set a higher limit") for word, given in (("cpu", 0), ("disk", "-1Gi"))],
        ),
        ({"pods": 0}, [(".pods", "input should be greater than 0; given the number 0")]),
        ({"pods": 1e300}, [(".pods", "input should be less than or equal to 2147483647; given a number with more than 40 digits")]),
        ({"runs": 3, "cpu": 8}, [(".runs", "unknown key 'runs'; allowed: pods, cpu, memory, disk")]),
        ({"memory": "8GB"}, [(".memory", "not a Kubernetes quantity; write 8G or 8Gi; given '8GB'")]),
    ],
)
def test_mistakes(quota: dict[str, Any] | None, found: list[tuple[str, str]]) -> None:
    wanted = [("error", f"scalr-agents:namespaces.scalr.quota{word}", message) for word, message in found]
    assert findings({"namespaces": {"scalr": {"quota": quota}}}) == wanted


def no_room(word: str, limit: str, left: str, run: str, least: str) -> str:
    never = f"a run of agent 'runs' requests {run} and would never start; set at least {least}"
    return f"{word}: {limit}, which leaves {left} for runs, but {never}"


SIDECAR = {
    "name": "logs",
    "image": "logs:1",
    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True},
}
BUFFER = {"values": {"task": {"buffer": {"replicas": 2}}}}


@pytest.mark.parametrize(
    ("quota", "agent", "found"),
    [
        ({"pods": 2}, {}, []),
        ({"pods": 1}, {}, [no_room("pods", "1", "0", "1", "2")]),
        ({"pods": 2}, {"values": {"agent": {"replicaCount": 3}}}, ["pods: 2, but the pods that always run here request 3; set at least 4"]),
        ({"pods": 3}, BUFFER, [no_room("pods", "3", "0", "1", "4")]),
        ({"pods": 2}, {"values": {"task": {"buffer": {"replicas": None}}}}, []),
        ({"pods": 2}, {"prePull": True}, [no_room("pods", "2", "0", "1", "3")]),
        ({"cpu": "850m", "memory": "1024Mi", "disk": "4658Mi"}, {}, []),
        (
            {"cpu": "849m", "memory": "895Mi", "disk": "4657Mi"},
            {},
            [
                no_room("cpu", "849m", "749m", "750m", "850m"),
                no_room("memory", "895Mi", "767Mi", "768Mi", "896Mi"),
                no_room("disk", "4657Mi", "4401Mi", "4402Mi", "4658Mi"),
            ],
        ),
        (
            {"cpu": 1},
            {"values": {"task": {"sidecars": [SIDECAR], "buffer": {"replicas": 1}}}},
            [no_room("cpu", "1", "150m", "850m", "1700m")],
        ),
        ({"pods": 1, "cpu": "10m"}, {"namespace": "elsewhere"}, []),
    ],
)
def test_room_for_the_pods_that_always_run_and_for_one_run(quota: dict[str, Any], agent: dict[str, Any], found: list[str]) -> None:
    loaded = load(limited(quota, agents={"runs": agent}))
    assert [f"{finding.at[-1]}: {finding.message}" for finding in loaded.findings if finding.severity == "error"] == found


def test_agents_that_scale_count_with_their_smallest_number() -> None:
    values = {"agent": {"shutdownMode": "drain"}, "terminationGracePeriodSeconds": 3600}
    local = {"kind": "agent-local", "agentVersion": "1.4.0", "scaling": {"min": 3, "max": 9}, "values": values}
    loaded = stack_of({"local": local}, namespaces={"scalr": {"quota": {"pods": 2}}})
    assert [finding.message for finding in loaded.findings if finding.severity == "error"] == [
        "2, but the pods that always run here request 3; set at least 3"
    ]


def test_all_agents_of_the_namespace_count() -> None:
    agents: dict[str, dict[str, Any]] = {
        "small": JOB,
        "large": {**JOB, "values": {"task": {"runner": {"resources": {"requests": {"cpu": "3"}}}}}},
        "local": {"kind": "agent-local", "agentVersion": "1.4.0", "values": {"replicaCount": 2}},
    }
    loaded = stack_of(agents, namespaces={"scalr": {"quota": {"cpu": 4, "pods": 4}}})
    assert [(finding.path, finding.message) for finding in loaded.findings if finding.severity == "error"] == [
        (
            "scalr-agents:namespaces.scalr.quota.pods",
            "4, which leaves 0 for runs, but a run of agent 'small' requests 1 and would never start; set at least 5",
        ),
        (
            "scalr-agents:namespaces.scalr.quota.cpu",
            "4, which leaves 1800m for runs, but a run of agent 'large' requests 3250m and would never start; set at least 5450m",
        ),
    ]


@given(st.integers(1, 3), st.integers(0, 3), st.integers(1, 40), st.integers(64, 4096))
def test_the_least_that_a_finding_names_is_enough_and_less_is_not(controllers: int, placeholders: int, tenths: int, megabytes: int) -> None:
    requested = {"cpu": f"{tenths * 100}m", "memory": f"{megabytes}M"}
    task = {"buffer": {"replicas": placeholders}, "runner": {"resources": {"requests": requested, "limits": {"memory": "8Gi"}}}}
    agents = {"runs": {"values": {"agent": {"replicaCount": controllers}, "task": task}}}

    def least(quota: dict[str, Any]) -> dict[str, str]:
        found = load(limited(quota, agents=agents)).findings
        return {str(each.at[-1]): each.message.rpartition(" ")[2] for each in found if each.path.startswith("scalr-agents:namespaces")}

    enough = least({"pods": 1, "cpu": "1m", "memory": "1Mi", "disk": "1Mi"})
    assert int(enough["pods"]) == controllers + placeholders + 1
    assert least({**enough, "pods": int(enough["pods"])}) == {}
    thousandths = int(quantities.parse(enough["cpu"]) * 1000)
    less = {"cpu": f"{thousandths - 1}m", **{word: f"{_mebibytes(enough[word]) - 1}Mi" for word in ("memory", "disk")}}
    assert least({**less, "pods": int(enough["pods"]) - 1}) == enough


def _mebibytes(size: str) -> int:
    return int(size.removesuffix("Mi"))
