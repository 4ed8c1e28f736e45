"""Requests and limits for the disk of a node, from what pods write."""

from typing import Any

import pytest
from scalr_agents.charts.shared import contract, disk
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.pods import WORKLOADS
from scalr_agents.model.maps import lookup, merge

from tests.helpers.opaque import Later
from tests.helpers.schemas import assert_valid
from tests.helpers.validated import LINES, validate

ON = Inputs(disk=True)
TOKEN = {"agent": {"url": "https://acme.scalr.io", "token": "t0ken-0123456789"}}
FILLED = {"requests": {"ephemeral-storage": "9Gi"}, "limits": {"ephemeral-storage": "9Gi"}}


def container(name: str, resources: Any = None, *, read_only: bool = False, tmp: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "securityContext": {"readOnlyRootFilesystem": read_only}}
    return made | ({"resources": resources} if resources else {}) | ({"volumeMounts": [{"name": "t", "mountPath": "/tmp"}]} if tmp else {})


def empty(name: str, **settings: Any) -> dict[str, Any]:
    return {"name": name, "emptyDir": settings}


def amounts(spec: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Requests and limits of each container."""
    resources = [each.get("resources", {}) for each in disk.accounted(spec, "20Gi", ON)["containers"]]
    return [(lookup(each, "requests", contract.DISK), lookup(each, "limits", contract.DISK)) for each in resources]


@pytest.mark.parametrize(
    ("containers", "volumes", "expected"),
    [
        ([container("a", read_only=True)], [], [("50Mi", "50Mi")]),
        ([container("a", tmp=True)], [], [("256Mi", "1074Mi")]),
        ([container("a")], [], [("256Mi", "20530Mi")]),
        ([container("a", read_only=True)], [empty("data-dir", sizeLimit="4Gi")], [("4146Mi", "4146Mi")]),
        ([container("a", read_only=True)], [empty("data-dir")], [("50Mi", "20530Mi")]),
        ([container("a", read_only=True)], [empty("cache-dir", sizeLimit="1Gi")], [("50Mi", "1074Mi")]),
        ([container("a", read_only=True)], [empty("x", sizeLimit="1Gi", medium="Memory")], [("50Mi", "50Mi")]),
        ([container("a", read_only=True)], [{"name": "c", "persistentVolumeClaim": {"claimName": "c"}}], [("50Mi", "50Mi")]),
        (
            [container("a", read_only=True), container("b", read_only=True)],
            [empty("data-dir", sizeLimit="4Gi"), empty("cache-dir", sizeLimit="1Gi")],
            [("4146Mi", "5170Mi"), ("50Mi", "50Mi")],
        ),
        (
            [container("a", FILLED), container("b", read_only=True)],
            [empty("data-dir", sizeLimit="4Gi")],
            [("9Gi", "9Gi"), (None, None)],
        ),
        (
            [container("a", {"requests": FILLED["requests"]}), container("b", read_only=True)],
            [empty("data-dir", sizeLimit="4Gi")],
            [("9Gi", None), ("4146Mi", "4146Mi")],
        ),
    ],
)
def test_amounts(containers: Any, volumes: Any, expected: Any) -> None:
    assert amounts({"containers": containers, "volumes": volumes}) == expected


def test_volumes_without_a_limit_get_one() -> None:
    kept = [empty("a", sizeLimit="1Gi"), empty("b", medium="Memory"), {"name": "c", "emptyDir": None}]
    made = disk.accounted({"containers": [container("x")], "volumes": kept}, "2Gi", ON)["volumes"]
    assert made == [empty("a", sizeLimit="1Gi"), empty("b", medium="Memory"), empty("c", sizeLimit="2Gi")]


def test_what_is_known_only_later_stays() -> None:
    later: Any = Later()
    assert amounts({"containers": [{"name": "x", "resources": {"limits": later}}]}) == [(None, None)]
    spec = {
        "containers": [{"name": "x", "securityContext": later, "volumeMounts": later}],
        "volumes": [{"name": "a", "emptyDir": later}, empty("b", medium=later, sizeLimit="1Gi")],
    }
    made = disk.accounted(spec, "2Gi", ON)
    assert made["volumes"] == spec["volumes"]
    assert made["containers"][0]["resources"]["limits"] == {"ephemeral-storage": "5170Mi"}


def test_other_resources_stay() -> None:
    given = {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}
    (made,) = disk.accounted({"containers": [container("x", given, read_only=True)]}, "2Gi", ON)["containers"]
    assert made["resources"] == {
        "requests": {"cpu": "1", "ephemeral-storage": "50Mi"},
        "limits": {"memory": "1Gi", "ephemeral-storage": "50Mi"},
    }


def test_nothing_changes_where_it_is_not_asked_for() -> None:
    spec = {"containers": [container("x")], "volumes": [empty("a")]}
    assert disk.accounted(spec, "2Gi", Inputs()) == spec


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.chart}-{line.generation}")
def test_every_pod_of_every_kind_is_accounted(line: Any) -> None:
    for role, manifest in validate(line.chart, TOKEN, agent_version=line.default_version, inputs=ON).by_role().items():
        if manifest["kind"] not in (*WORKLOADS, "AgentTask", "AgentTaskTemplate"):
            continue
        assert_valid(manifest)
        template = manifest["spec"].get("jobTemplate", manifest)["spec"]["template"]
        resources = [each["resources"] for each in template["spec"]["containers"]]
        assert all("ephemeral-storage" in each[kind] for each in resources for kind in ("requests", "limits")), role
        assert all("sizeLimit" in volume["emptyDir"] for volume in template["spec"]["volumes"] if "emptyDir" in volume), role


DEFAULTS = {
    "agent-job": ("6194Mi", "26724Mi"),
    "agent-local": ("45106Mi",),
    "agent-k8s": ("4146Mi", "20530Mi"),
}
"""The limits of the pods of each kind on default values: what a run, or an agent, may write at most."""


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.chart}-{line.generation}")
def test_limits_on_default_values(line: Any) -> None:
    made = validate(line.chart, TOKEN, agent_version=line.default_version, inputs=ON).by_role()
    pods = [made[role]["spec"] for role in ("deployment", "daemon-set") if role in made]
    pods += [made[role]["spec"]["jobTemplate"]["spec"] for role in ("task-template",) if role in made]
    limits = [[each["resources"]["limits"]["ephemeral-storage"] for each in pod["template"]["spec"]["containers"]] for pod in pods]
    assert tuple(f"{sum(int(limit.removesuffix('Mi')) for limit in each)}Mi" for each in limits) == DEFAULTS[line.chart]


@pytest.mark.parametrize(
    ("chart", "path", "limit", "is_warned"),
    [
        ("agent-job", "task.runner", "4Gi", True),
        ("agent-job", "task.runner", "5Gi", False),
        ("agent-job", "task.worker", "1Gi", True),
        ("agent-local", "", "23Gi", True),
        ("agent-local", "", "24Gi", False),
    ],
)
def test_a_limit_below_the_volumes_is_a_warning(chart: str, path: str, limit: str, is_warned: bool) -> None:
    given: dict[str, Any] = {"resources": {"limits": {"ephemeral-storage": limit}}}
    for key in reversed(path.split(".") if path else []):
        given = {key: given}
    found = validate(chart, merge(TOKEN, given), agent_version="1.4.0").findings
    at = f"{path}.resources.limits.ephemeral-storage".lstrip(".")
    assert [finding.severity for finding in found if finding.path == at] == (["warning"] if is_warned else [])


@pytest.mark.parametrize(("volumes", "is_warned"), [({"sizeLimit": "30Gi"}, True), ({"sizeLimit": "30Gi", "medium": "Memory"}, False)])
def test_a_limit_is_compared_with_the_volumes_that_pods_get(volumes: dict[str, str], *, is_warned: bool) -> None:
    given = {"persistence": {"emptyDir": volumes}, "resources": {"limits": {"ephemeral-storage": "33Gi"}}}
    found = validate("agent-local", merge(TOKEN, given), agent_version="0.59.0").findings
    start = "the containers' limits for the disk add up to less than those of the pod's volumes (61440Mi)"
    assert [finding.message.startswith(start) for finding in found] == ([True] if is_warned else [])
