"""Changes of taking over a release: only corrections, each named, and all changes listed."""

import base64
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from scalr_agents import charts
from scalr_agents.charts import CHARTS
from scalr_agents.charts.shared import crds
from scalr_agents.charts.shared.corrections import ABSENT
from scalr_agents.migration import adopt
from scalr_agents.migration.adopt.changes import between
from scalr_agents.model.findings import errors
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, merge

from tests.helpers.command_line import TOKEN
from tests.helpers.releases import CASES, GOLDEN, Case, printed, take_over
from tests.helpers.validated import validate

DIFFERENCES = (Path(__file__).parents[2] / "docs" / "helm-differences.md").read_text()
ROWS = {str(chart): list(dict.fromkeys(rule.row for rule in charts.find(chart).versions.corrections)) for chart in CHARTS}
"""The rows of the page that a chart's changes may belong to."""
Field = tuple[str, str]
"""Kind and name of an object, and a path in it."""


def unexplained(adopted: adopt.Adoption) -> list[str]:
    return [str(finding) for finding in adopted.findings if finding.message.endswith("; not a correction")]


def listed(adopted: adopt.Adoption) -> set[Field]:
    """The fields that are reported as changed."""
    found = set()
    lines = [line for line in adopted.changes if line.startswith("  ")]
    for line in [*lines, *(text.removeprefix("warning: ") for text in unexplained(adopted))]:
        objects, rest = line.strip().split(": ", 1)
        path = "" if rest.startswith("is ") else rest.split(": ", 1)[0]
        found |= {(name, path) for name in objects.split(", ")}
    return found


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of an object by its path, as in the listing. `null` means absent."""
    if isinstance(value, Mapping):
        value = {key: item for key, item in value.items() if item is not None}
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            name = f"[{key}]" if re.search("[./]", key) else f".{key}" if path else key
            yield from leaves(item, path + name)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) and "name" in item for item in value):
        for item in value:
            yield from leaves(item, f"{path}[{item.get('mountPath', item['name'])}]")
    elif value is not None:
        yield path, value


def fields(objects: list[Manifest]) -> dict[Field, Any]:
    """All leaves of all objects. Of a Secret's content the keys."""
    found: dict[Field, Any] = {}
    for item in objects:
        content = dict(item)
        if item["kind"] == "Secret":
            keys = dict.fromkeys([*(content.pop("data", None) or {}), *(content.pop("stringData", None) or {})], "")
            content["data"] = keys
        found |= {(f"{item['kind']} {item['metadata']['name']}", path): value for path, value in leaves(content)}
    return found


def differing(case: Case, manifest: list[Manifest]) -> set[Field]:
    """The fields in which a manifest and what all values of the release make differ."""
    checked = validate(
        case.chart, case.with_nulls, release=case.release, namespace=case.namespace, agent_version=case.version, naming="chart"
    )
    memory = case.chart == "agent-job" and case.generation == "current"
    assert memory or not errors(checked.findings)
    made = [*crds.objects(checked.release.line).values(), *checked.objects]
    was, becomes = fields(manifest), fields(made)
    return {field for field in was.keys() | becomes.keys() if was.get(field) != becomes.get(field) and not _begins(field, was, becomes)}


def _begins(field: Field, was: Mapping[Field, Any], becomes: Mapping[Field, Any]) -> bool:
    """Whether it is an empty map on one side, and on the other a map of fields that differ themselves."""
    name, path = field
    return any(side.get(field) == {} for side in (was, becomes)) and any(
        other == name and below.startswith((f"{path}.", f"{path}[")) for other, below in was.keys() | becomes.keys()
    )


def is_covered(field: Field, reported: set[Field]) -> bool:
    """Whether a field, or an object that contains it, is reported as changed."""
    name, path = field
    starts = ("", *(path[:end] for end in range(1, len(path) + 1) if end == len(path) or path[end] in ".["))
    return any((name, start) in reported for start in starts)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_only_corrections_change_a_release_and_every_change_is_listed(case: Case) -> None:
    adopted = take_over(case, manifest=case.objects)
    assert errors(adopted.findings) == []
    assert unexplained(adopted) == []
    assert {line for line in adopted.changes if not line.startswith("  ")} <= set(ROWS[case.chart])
    reported = listed(adopted)
    assert [field for field in sorted(differing(case, case.objects)) if not is_covered(field, reported)] == []
    assert TOKEN not in printed(adopted)


@pytest.mark.parametrize("case", GOLDEN.values(), ids=GOLDEN)
def test_unchanged_fields_are_not_listed(case: Case) -> None:
    adopted = take_over(case, manifest=case.objects)
    stays = fields(case.objects).keys() - differing(case, case.objects)
    orders = {field for field in listed(adopted) if field[1].endswith((" (order)", " (times)"))}
    assert sorted((listed(adopted) - orders) & stays) == []


@st.composite
def mutated(draw: st.DrawFn) -> tuple[Case, list[Manifest]]:
    """A release with another manifest: one field of it was something else, was not there, or there was one more."""
    case: Case = draw(st.sampled_from(list(GOLDEN.values())))
    manifest = deepcopy(case.objects)
    item = draw(st.sampled_from([item for item in manifest if item["kind"] not in ("CustomResourceDefinition", "Secret")]))
    places = [place for place in _places(item) if place[1] not in ("kind", "name", "mountPath") and place != (item, "metadata")]
    parent, key = draw(st.sampled_from(places))
    match draw(st.sampled_from(["other", "gone", "more"])):
        case "other":
            parent[key] = draw(st.sampled_from(["another", 7, True, ["x"]]))
        case "gone":
            del parent[key]
        case "more":
            parent["further"] = {"field": "x"}
    return case, manifest


def _places(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield value, key
            yield from _places(item)
    elif isinstance(value, list):
        for item in value:
            yield from _places(item)


@given(mutated())
@settings(deadline=None)
def test_every_difference_to_the_manifest_is_listed(drawn: tuple[Case, list[Manifest]]) -> None:
    case, manifest = drawn
    adopted = take_over(case, manifest=manifest)
    reported = listed(adopted)
    assert [field for field in sorted(differing(case, manifest)) if not is_covered(field, reported)] == []


@pytest.mark.parametrize("chart", CHARTS)
def test_every_row_is_in_the_document(chart: str) -> None:
    own = DIFFERENCES if chart == "agent-job" else DIFFERENCES.partition(f"\n## {chart}\n")[2].partition("\n## ")[0]
    shared = DIFFERENCES.partition("\n## Further differences\n")[2].partition("\n## Values a chart")[0]
    labels = DIFFERENCES.partition("\n## Labels\n")[2].partition("\n## ")[0]
    subjects = {line.split(" | ")[0].removeprefix("| ") for line in f"{own}\n{shared}\n{labels}".splitlines() if line.startswith("| ")}
    assert [row for row in ROWS[chart] if row not in subjects] == []


CLAIM: Values = {"persistence": {"enabled": True}}
ORDERED = ("spec.containers (order)", ["a", "b"], ["b", "a"])


@pytest.mark.parametrize(
    ("name", "changed", "item", "path", "words"),
    [
        (
            "agent-job-1.4",
            {"task": {"runner": {"resources": {"limits": {"memory": "4Gi"}}}}},
            "AgentTaskTemplate scalr-agent-task-template",
            "spec.jobTemplate.spec.template.spec.containers[runner].resources.limits.memory: ",
            '"2048Mi" becomes "4Gi"',
        ),
        ("agent-local-1.2", {"replicaCount": 3}, "Deployment scalr-agent-agent-local", "spec.replicas: ", "1 becomes 3"),
        ("agent-local-1.2", CLAIM, "PersistentVolumeClaim scalr-agent-agent-local", "", "is new"),
        (
            "agent-k8s-0.60",
            {"extraEnv": {"A": "b"}},
            "DaemonSet scalr-agent-agent-k8s-worker",
            "spec.template.spec.containers[agent-k8s].env[A]: ",
            '{"name": "A", "value": "b"} is new',
        ),
    ],
)
def test_other_changes_are_warnings(name: str, changed: Values, item: str, path: str, words: str) -> None:
    case = GOLDEN[name]
    adopted = take_over(case, given=merge(case.whole, changed), manifest=case.objects)
    assert f"warning: {item}: {path}{words}; not a correction" in unexplained(adopted)


def _pod(*containers: Manifest) -> list[Manifest]:
    return [{"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": list(containers)}}]


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("ab", "ba", [("spec.containers (order)", ["a", "b"], ["b", "a"])]),
        ("xab", "bya", [("spec.containers[y]", ABSENT, {"name": "y"}), ("spec.containers[x]", {"name": "x"}, ABSENT), ORDERED]),
        ("aab", "ab", [("spec.containers[a] (times)", 2, 1)]),
        ("ab", "abb", [("spec.containers[b] (times)", 1, 2)]),
        ("aba", "bab", [("spec.containers[a] (times)", 2, 1), ("spec.containers[b] (times)", 1, 2), ORDERED]),
        ("ab", "a", [("spec.containers[b]", {"name": "b"}, ABSENT)]),
        ("abc", "acb", [("spec.containers (order)", ["a", "b", "c"], ["a", "c", "b"])]),
    ],
)
def test_the_order_of_a_list_is_compared(before: str, after: str, changed: list[tuple[str, Any, Any]]) -> None:
    found = between(*(_pod(*({"name": name} for name in names)) for names in (before, after)))
    assert [(change.path, change.was, change.becomes) for change in found] == changed


def test_foreign_objects_stay() -> None:
    case = GOLDEN["agent-local-1.2"]
    other: Manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "outer", "namespace": case.namespace}}
    assert unexplained(take_over(case, manifest=[*case.objects, other])) == [
        "warning: ConfigMap outer: is not in the stack, and stays in the cluster; not a correction"
    ]


def test_changes_are_grouped_by_correction() -> None:
    adopted = take_over(GOLDEN["agent-job-1.4"], manifest=GOLDEN["agent-job-1.4"].objects)
    lines = list(adopted.listing())
    assert lines[0] == "changes by the corrections of docs/helm-differences.md:"
    at = lines.index("  Hardening of containers")
    path, becomes = "spec.containers[{}].securityContext", '{"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}} is new'
    assert lines[at + 1 : at + 3] == [
        f"    AgentTaskTemplate scalr-agent-task-template: spec.jobTemplate.spec.template.{path.format('worker')}: {becomes}",
        f"    Deployment scalr-agent: spec.template.{path.format('controller')}: {becomes}",
    ]
    alike = next(line for line in lines if '"Helm" becomes "pulumi"' in line)
    assert "Role scalr-agent-role, RoleBinding scalr-agent-role-binding, " in alike


SECRET = "hunter2-hunter2"
AUTHORIZED = "https://me:hunter2-hunter2@acme.io/"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (("spec", "template", "spec", "containers", 0, "env"), [{"name": "DB_PASSWORD", "value": SECRET}]),
        (("spec", "template", "spec", "containers", 0, "env"), [{"name": "ANY", "value": AUTHORIZED}]),
        (("spec", "template", "spec", "containers", 0, "env"), [{"name": "ANY", "value": base64.b64encode(AUTHORIZED.encode()).decode()}]),
        (("spec", "template", "spec", "containers", 0, "args"), ["--password", SECRET]),
        (("spec", "template", "spec", "containers", 0, "args"), [f"--token={SECRET}"]),
        (("spec", "template", "metadata", "annotations"), {"acme.io/api-key": SECRET}),
        (("metadata", "annotations"), {"acme.io/note": f"password: {SECRET}"}),
        (("spec", "template", "spec", "volumes"), [{"name": "v", "csi": {"volumeAttributes": {"note": f"token={SECRET}"}}}]),
        (("spec", "template", "spec", "hostname"), TOKEN),
        (("spec", "template", "spec", "hostname"), f"x-{TOKEN}-x"),
        (("metadata", "labels"), {"a": TOKEN}),
    ],
)
@pytest.mark.parametrize("name", ["agent-job-1.4", "agent-local-0.60"])
def test_no_secret_of_a_manifest_is_printed(name: str, path: tuple[str | int, ...], content: Any) -> None:
    """Whether it looks like one, or is what a Secret of the manifest holds."""
    case = GOLDEN[name]
    manifest = deepcopy(case.objects)
    place: Any = next(item for item in manifest if item["kind"] == "Deployment")
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = content
    text = printed(take_over(case, manifest=manifest))
    assert str(path[-1]) in text
    assert [secret for secret in (SECRET, TOKEN, base64.b64encode(TOKEN.encode()).decode()) if secret in text] == []


@given(case=st.sampled_from(list(GOLDEN.values())), secret=st.text("abcdefgh", min_size=12, max_size=40), data=st.data())
@settings(deadline=None)
def test_secret_contents_are_not_printed(case: Case, secret: str, data: st.DataObject) -> None:
    manifest = deepcopy(case.objects)
    for item in manifest:
        if item["kind"] == "Secret":
            item["data"] = {"token": base64.b64encode(secret.encode()).decode()}
    texts = [place for item in manifest if item["kind"] != "Secret" for place in _places(item) if isinstance(place[0][place[1]], str)]
    parent, key = data.draw(st.sampled_from([place for place in texts if place[1] not in ("kind", "name", "mountPath")]))
    parent[key] = data.draw(st.sampled_from([secret, f"x{secret}x", base64.b64encode(f"a {secret}".encode()).decode()]))
    text = printed(take_over(case, manifest=manifest))
    assert secret not in text
    assert parent[key] not in text


@pytest.mark.parametrize("name", ["agent-job-1.4", "agent-local-1.2", "agent-k8s-0.60"])
def test_secrets_of_values_are_not_printed_from_the_manifest(name: str) -> None:
    case = GOLDEN[name]
    variables = {"extraEnv": {"MY_TOKEN": SECRET, "USED": "$(HARMLESS)", "HARMLESS": "open"}}
    manifest = deepcopy(case.objects)
    for item in manifest:
        if item["kind"] in ("Deployment", "DaemonSet"):
            item["spec"]["template"]["spec"]["containers"][0]["env"].append({"name": "MY_TOKEN", "value": SECRET})
            item["spec"]["template"]["metadata"].setdefault("annotations", {})["note"] = SECRET
    adopted = take_over(case, given=merge(case.whole, {"agent": variables} if case.chart == "agent-job" else variables), manifest=manifest)
    assert SECRET not in printed(adopted)
    assert any("env[MY_TOKEN]: " in line and '"value": "(not shown)"' in line for line in adopted.changes)
