"""Quotas of namespaces: their objects, and whether the stack's own pods and one run fit into them."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from scalr_agents import output
from scalr_agents.model import quantities
from scalr_agents.model.maps import merge

from tests.helpers.plain import load
from tests.helpers.schemas import assert_valid

WORDS = {"pods": 20, "cpu": 40, "memory": "80Gi", "disk": "200Gi"}
META = {"name": "scalr-agents", "namespace": "scalr"}


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
