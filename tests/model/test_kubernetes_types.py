"""Kubernetes types in values: errors are found before deployment, with their path."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from scalr_agents import charts
from scalr_agents.charts import CHARTS
from scalr_agents.model import kubernetes_types, parse as shapes
from scalr_agents.model.findings import errors, warnings
from scalr_agents.model.maps import merge
from scalr_agents.stack.model import Nodes

from tests.helpers import kubernetes_types as script
from tests.helpers.agent_job import CURRENT, MINIMUM, nested
from tests.helpers.kinds import JOB, load, of_one

UNKNOWN = {"noSuchField": 1}
AFFINITY: dict[str, Any] = {
    "requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}
    ]
}


def findings(given: dict[str, Any], chart: str = JOB) -> dict[str, str]:
    found = charts.check(chart, merge(MINIMUM, given), release="runs", namespace="scalr", agent_version=CURRENT)
    return {finding.path: finding.message for finding in errors(found)}


def open_fields(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, bool]]:
    """Every value that is of a type of Kubernetes, and whether it is a list."""
    for name, field in model.model_fields.items():
        here, kind = (*path, field.alias or name), field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from open_fields(kind, here)
        elif kind in (dict[str, Any], list[dict[str, Any]]):
            yield ".".join(here), kind == list[dict[str, Any]]


OPEN = [(charts.find(chart).model, *field) for chart in CHARTS for field in open_fields(charts.find(chart).model)]


@pytest.mark.parametrize(("model", "path", "is_list"), [*OPEN, *((Nodes, *field) for field in open_fields(Nodes))])
def test_every_type_of_kubernetes_is_checked(model: type[BaseModel], path: str, is_list: bool) -> None:
    found = {finding.path: finding.message for finding in shapes.parse(model, nested(path, [UNKNOWN] if is_list else UNKNOWN))[1]}
    message = found[f"{path}[0].noSuchField" if is_list else f"{path}.noSuchField"]
    assert message.startswith("unknown field 'noSuchField' (")


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        (
            nested("task.tolerations", [{"key": "a", "effect": "NoSchedul"}]),
            "task.tolerations[0].effect",
            "given 'NoSchedul'; did you mean 'NoSchedule'? allowed: NoSchedule, PreferNoSchedule, NoExecute",
        ),
        (
            nested("agent.tolerations", [{}, {"operator": "Is"}]),
            "agent.tolerations[1].operator",
            "given 'Is'; allowed: Exists, Equal, Lt, Gt",
        ),
        (
            nested("task.affinity", {"nodeAfinity": {}}),
            "task.affinity.nodeAfinity",
            "unknown field 'nodeAfinity' (Affinity of Kubernetes 1.37); did you mean 'nodeAffinity'?",
        ),
        (
            nested("task.affinity.podAffinity.preferred", []),
            "task.affinity.podAffinity.preferred",
            "unknown field 'preferred' (PodAffinity of Kubernetes 1.37); allowed: preferredDuringSchedulingIgnoredDuringExecution",
        ),
        (
            nested("global.podSecurityContext.runAsUser", "1000"),
            "global.podSecurityContext.runAsUser",
            "expected a whole number, given '1000'; write it without quotes",
        ),
        (
            nested("task.runner.securityContext.runAsGroup", 2**63),
            "task.runner.securityContext.runAsGroup",
            "given the number 9223372036854775808, which is too large for Kubernetes (int64)",
        ),
        (
            nested("agent.controller.securityContext.privileged", "no"),
            "agent.controller.securityContext.privileged",
            "expected true or false",
        ),
        (
            nested("task.worker.resources.limits", {"memroy": "1Gi"}),
            "task.worker.resources.limits.memroy",
            "unknown resource 'memroy'; did you mean 'memory'? allowed: cpu, memory, ephemeral-storage, hugepages-<size>, <domain>/<name>",
        ),
        (nested("task.runner.resources.limits.cpu", {}), "task.runner.resources.limits.cpu", "not a Kubernetes quantity"),
        (nested("task.podSecurityContext.seccompProfile", {}), "task.podSecurityContext.seccompProfile", "missing: type"),
        (
            nested("task.sidecars", [{"name": "s", "env": [{"name": "A", "value": 5}]}]),
            "task.sidecars[0].env[0].value",
            "expected a string, given a number; quote it",
        ),
        (nested("task.sidecars", [{"name": "s", "args": "-v"}]), "task.sidecars[0].args", "expected a list, given a string"),
        (
            nested("task.sidecars", [{"name": "s", "livenessProbe": {"tcpSocket": {"port": True}}}]),
            "task.sidecars[0].livenessProbe.tcpSocket.port",
            "expected a whole number or a string, given true",
        ),
        (nested("task.extraVolumes", [{"name": "v", "csi": []}]), "task.extraVolumes[0].csi", "expected a map, given a list"),
        (
            nested("task.extraVolumes", [{"name": "v", "csi": {"driver": "d", "volumeAttributes": {"a.b": 1}}}]),
            "task.extraVolumes[0].csi.volumeAttributes.a\\.b",
            "expected a string, given a number; quote it",
        ),
        (nested("persistence.data.emptyDir.sizeLimit", "4GB"), "persistence.data.emptyDir.sizeLimit", "not a Kubernetes quantity"),
        (nested("task.extraVolumes", [None]), "task.extraVolumes[0]", "expected a map, given null"),
        (nested("global.imagePullSecrets", ["regcred"]), "global.imagePullSecrets[0]", "expected a map, given a string"),
        (nested("task.affinity", "zone"), "task.affinity", "expected a map, given a string"),
        (nested("task.tolerations", {"key": "a"}), "task.tolerations", "expected a list, given a map"),
    ],
)
def test_invalid_kubernetes_types_are_errors(given: dict[str, Any], path: str, message: str) -> None:
    assert {path: findings(given).get(path, "")[: len(message)]} == {path: message}


def test_all_errors_are_reported_at_once() -> None:
    sidecar = {"name": "s", "imag": "x", "tty": "yes", "resources": {"limits": {"cpu": "fast", "memroy": 1}}}
    assert sorted(findings(nested("task", {"sidecars": [5, sidecar], "extraVolumes": [{"emptyDir": {"size": 1}}]}))) == [
        "task.extraVolumes[0]",
        "task.extraVolumes[0].emptyDir.size",
        "task.sidecars[0]",
        "task.sidecars[1].imag",
        "task.sidecars[1].resources.limits.cpu",
        "task.sidecars[1].resources.limits.memroy",
        "task.sidecars[1].tty",
    ]


@pytest.mark.parametrize(
    "given",
    [
        nested("task.extraVolumes", [{"name": "v", "emptyDir": {}, "typo": 1}]) | {},
        nested("agent", {"replicaCount": 2, "topologySpreadConstraints": [{"topologyKey": "zone"}]}),
        nested("agent", {"replicaCount": 2, "affinity": {"podAntiAfinity": AFFINITY}}),
    ],
)
def test_invalid_parts_have_no_further_findings(given: dict[str, Any]) -> None:
    mounting = merge(given, nested("task.runner.extraVolumeMounts", [{"name": "v", "mountPath": "/v"}])) if "task" in given else given
    found = charts.check(JOB, merge(MINIMUM, mounting), release="runs", namespace="scalr", agent_version=CURRENT)
    assert len(errors(found)) == 1
    assert [finding for finding in warnings(found) if "spread them" in finding.message] == []


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("task.affinity", {"podAntiAffinity": AFFINITY, "nodeAffinity": None}),
        ("task.tolerations", [{"operator": "Exists", "effect": "", "tolerationSeconds": None}]),
        ("task.podSecurityContext", {"runAsUser": 2000.0, "supplementalGroups": [1, 2.0], "seLinuxOptions": {}, "windowsOptions": None}),
        (
            "task.runner.resources.limits",
            {"cpu": 0.5, "memory": 1e9, "hugepages-2Mi": "2Mi", "nvidia.com/gpu": 1, "ephemeral-storage": "1Gi"},
        ),
        (
            "task.sidecars",
            [
                {
                    "name": "s",
                    "image": "i",
                    "imagePullPolicy": "",
                    "ports": [{"containerPort": 80}],
                    "livenessProbe": {"tcpSocket": {"port": "x"}},
                }
            ],
        ),
        (
            "task.extraVolumes",
            [{"name": "v", "hostPath": {"path": "/x", "type": ""}}, {"name": "w", "projected": {"sources": [{"secret": None}]}}],
        ),
        (
            "agent.controller.extraEnv",
            [{"name": "A", "value": "5"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        ),
    ],
)
def test_valid_kubernetes_types_are_passed_on(path: str, given: Any) -> None:
    assert findings(nested(path, given)) == {}


def test_null_means_an_absent_field() -> None:
    sidecar = {"name": "s", "image": "x", "env": None, "volumeMounts": None, "ports": None, "securityContext": {"runAsUser": None}}
    cache = {"caches": {"shared": {"claim": "c"}}}
    given = {"cache": "shared", "values": {"task": {"sidecars": [sidecar], "tolerations": [{"key": "a", "value": None}]}}}
    loaded = load((JOB, "current"), {**cache, **of_one(**given)})
    assert errors(loaded.findings) == []
    (template,) = (made for made in loaded.objects() if made["kind"] == "AgentTaskTemplate")
    pod = template["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert {**pod["containers"][-1], "resources": None} == {"name": "s", "image": "x", "securityContext": {}, "resources": None}
    assert pod["tolerations"] == [{"key": "a"}]
    assert "x" in loaded.images()


class Later:
    """A value that is known only during deployment."""

    def __bool__(self) -> bool:
        raise AssertionError("read")


def test_outputs_are_accepted_in_every_field() -> None:
    later = Later()
    given = {
        "task": {
            "tolerations": [{"key": later, "effect": later, "tolerationSeconds": later}],
            "affinity": {"nodeAffinity": later},
            "runner": {"resources": {"limits": {"cpu": later, "nvidia.com/gpu": later}, "requests": later}},
            "sidecars": [{"name": "s", "image": later, "env": [{"name": "A", "value": later}], "args": [later], "tty": later}],
            "extraVolumes": [{"name": "v", "csi": {"driver": later, "volumeAttributes": {"a": later}}}],
        },
        "agent": {"podSecurityContext": {"runAsUser": later}},
    }
    rendered = charts.render(JOB, merge(MINIMUM, given), release="runs", namespace="scalr")
    (template,) = (made for made in rendered if made["kind"] == "AgentTask")
    assert template["spec"]["jobTemplate"]["spec"]["template"]["spec"]["tolerations"][0]["effect"] is later


@pytest.mark.parametrize("given", [b"NoSchedule", {"NoSchedule"}, Path("NoSchedule")])
def test_unknown_objects_are_not_outputs(given: object) -> None:
    found = findings(nested("task.tolerations", [{"effect": given, "key": given}]))
    assert found["task.tolerations[0].key"] == f"expected a string, given an object ({type(given).__name__})"
    assert found["task.tolerations[0].effect"].startswith("expected a string, given an object")


def test_the_table_matches_the_newest_schemas() -> None:
    """Renewed by `python -m tests.helpers.kubernetes_types`. Whether enums are current, a test asks the API server."""
    table = kubernetes_types.table()
    enums = {name for name, content in table["types"].items() if isinstance(content, list)}
    plain = {
        name: {field: _without(kind, enums) for field, kind in content.items()}
        for name, content in table["types"].items()
        if isinstance(content, dict)
    }
    assert table["kubernetes"] == script.newest()
    assert plain == script.structs(script.newest())
    assert {kind.strip("[]!") for content in table["types"].values() if isinstance(content, dict) for kind in content.values()} >= enums


def _without(kind: str, enums: set[str]) -> str:
    name = kind.strip("[]!")
    return kind.replace(name, "string") if name in enums else kind


def test_newer_schemas_contain_all_older_fields() -> None:
    oldest = min(int(row.kubernetes.removeprefix("1.")) for chart in CHARTS for row in charts.find(chart).versions.rows)
    releases = [script.structs(f"1.{minor}") for minor in range(oldest, int(script.newest().removeprefix("1.")) + 1)]
    for older, newer in pairwise(releases):
        assert [name for name, fields in older.items() if not fields.items() <= newer.get(name, {}).items()] == []
