"""Taking over a Helm release: the printed stack renders the objects of the release, and differences are reported."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from scalr_agents import charts
from scalr_agents.charts import CHARTS
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.migration import adopt
from scalr_agents.model import yaml_io
from scalr_agents.model.findings import errors
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.maps import Values, lookup, merge, without_nulls
from scalr_agents.model.release import LineError

from tests.helpers.command_line import DEADLINE, TOKEN
from tests.helpers.releases import (
    CASES,
    GOLDEN,
    URL,
    Case,
    has_no_task_budget,
    identity,
    is_idle_policy,
    loaded,
    of_values,
    printed,
    take_over,
)
from tests.helpers.validated import LINES, validate

WORKLOADS = {"Deployment", "DaemonSet"}


UNCHANGEABLE: dict[str, list[tuple[str, ...]]] = {
    "Deployment": [("spec", "selector")],
    "DaemonSet": [("spec", "selector")],
    "PersistentVolumeClaim": [("spec", key) for key in ("accessModes", "resources", "storageClassName", "volumeMode")],
    "PersistentVolume": [("spec", "csi")],
    "RoleBinding": [("roleRef",)],
    "ClusterRoleBinding": [("roleRef",)],
    "StorageClass": [("provisioner",), ("parameters",), ("reclaimPolicy",), ("volumeBindingMode",)],
    "Secret": [("type",)],
}
"""What the API server does not let anybody change."""


def unchangeable(manifest: Manifest) -> list[Any]:
    return [lookup(manifest, *path) for path in UNCHANGEABLE.get(manifest["kind"], [])]


def test_every_row_of_every_kind_is_among_the_releases() -> None:
    rows = {(case.chart, charts.find(case.chart).versions.row(case.version).since) for case in GOLDEN.values()}
    assert rows == {(chart, row.since) for chart in CHARTS for row in charts.find(chart).versions.rows}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_printed_stacks_render_the_objects_of_the_release(case: Case) -> None:
    adopted = take_over(case)
    read = loaded(adopted)
    assert errors([*adopted.findings, *read.findings]) == []
    assert read.kubernetes.upsert_existing
    assert read.created_namespaces() == {}
    ours = {identity(manifest): manifest for manifest in read.objects()}
    charts = {identity(manifest): manifest for manifest in case.objects}
    before, after = ("\n".join(step.command for step in steps) for steps in (adopted.before, adopted.after))

    left = charts.keys() - ours.keys()
    assert left == ({key for key in charts if key[0] == "NetworkPolicy"} if is_idle_policy(case) else set())
    for kind, namespace, name in left:
        assert f"kubectl delete {kind.lower()} {name} -n {namespace} " in after

    new = ours.keys() - charts.keys()
    budgets = {key for key in ours if key[0] == "PodDisruptionBudget" and key[2].endswith("-task")}
    assert new == (budgets if has_no_task_budget(case) else set())

    differing = {key for key in ours.keys() & charts.keys() if unchangeable(ours[key]) != unchangeable(charts[key])}
    assert differing == ({key for key in ours if key[0] in WORKLOADS} if case.chart == "agent-k8s" else set())
    for kind, namespace, name in differing:
        assert f" {kind.lower()}/{name} " in before
        assert f" -n {namespace}" in before

    for key in budgets & charts.keys():
        assert charts[key]["spec"].keys() & {"minAvailable", "maxUnavailable"} == {"maxUnavailable"}
        patch = {"spec": {"maxUnavailable": None, "minAvailable": ours[key]["spec"]["minAvailable"]}}
        assert (
            f"kubectl patch poddisruptionbudget {key[2]} -n {key[1]} --type=merge -p '{json.dumps(patch, separators=(',', ':'))}'" in before
        )


@st.composite
def releases(draw: st.DrawFn) -> Case:
    """Releases with the values of two others that are of one kind and line."""
    one: Case = draw(st.sampled_from(list(CASES.values())))
    other = draw(st.sampled_from([case for case in CASES.values() if (case.chart, case.version) == (one.chart, one.version)]))
    name = st.from_regex(r"\A[a-z]([-a-z0-9]{0,20}[a-z0-9])?\Z")
    return one._replace(release=draw(name), namespace=draw(name), values=merge(one.values, other.values))


@given(case=releases(), secret=st.text("abcdefgh", min_size=12, max_size=40))
@settings(deadline=None)
def test_printed_stacks_match_all_values_of_the_release(case: Case, secret: str) -> None:
    mixed = merge(case.with_nulls, {"agent": {"token": secret}})
    adopted = take_over(case, given=without_nulls(mixed))
    about = {"release": case.release, "namespace": case.namespace, "agent_version": case.version}
    direct = validate(case.chart, mixed, naming="chart", inputs=Inputs(disk=True), **about)
    text = printed(adopted)
    assert secret not in text
    assert "PRIVATE KEY" not in text
    assert bool(errors(adopted.findings)) == bool(errors(direct.findings))
    if adopted.stack:
        (agent,) = loaded(adopted).agents
        assert [without_content(manifest) for manifest in agent.objects] == [without_content(manifest) for manifest in direct.objects]


def without_content(manifest: Manifest) -> Manifest:
    """An object without what is secret, and without the digest of that."""
    if manifest["kind"] == "Secret":
        return manifest | {"stringData": sorted(manifest["stringData"])}
    annotations = lookup(manifest, "spec", "template", "metadata", "annotations")
    if annotations is None:
        return manifest
    kept = {key: value for key, value in annotations.items() if key != "checksum/secrets"}
    metadata = {key: value for key, value in manifest["spec"]["template"]["metadata"].items() if key != "annotations"}
    template = manifest["spec"]["template"] | {"metadata": metadata | ({"annotations": kept} if kept else {})}
    return manifest | {"spec": manifest["spec"] | {"template": template}}


def test_agents_are_named_after_their_release() -> None:
    adopted = adopt.take_over({}, chart="agent-local", release="runs.eu", namespace="scalr")
    ((name, agent),) = adopted.stack["config"]["scalr-agents:agents"].items()
    assert (name, agent["release"], "values" in agent) == ("runs-eu", "runs.eu", False)
    assert adopted.secrets == ["pulumi config set --secret --path 'scalr-agents:secrets.runs-eu.token'"]


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.chart}-{line.generation}")
def test_computed_values_omit_defaults(line: Any) -> None:
    given = charts.find(line.chart).versions.defaults(line.default_version)
    defaults = charts.find(line.chart).model.model_validate(given).model_dump(by_alias=True)
    own = {"agent": {"url": URL}, "nameOverride": "agents"}
    adopted = of_values(merge(defaults, own), line.chart, line.default_version)
    assert errors(adopted.findings) == []
    assert adopted.stack["config"]["scalr-agents:agents"]["runs"]["values"] == own
    assert "all values are given; those equal to the defaults are left out" in adopted.notes


@pytest.mark.parametrize(
    ("given_values", "possible"),
    [
        ({"agent": {"token": TOKEN}}, ["agent-job", "agent-local", "agent-k8s"]),
        ({"task": {}}, ["agent-job"]),
        ({"agent": {"replicaCount": 2}}, ["agent-job"]),
        ({"replicaCount": 2}, ["agent-local"]),
        ({"agent": {"tokenExistingSecret": {"name": "pool"}}}, ["agent-job", "agent-local"]),
        ({"agent": {"data_home": "/data"}}, ["agent-k8s"]),
        ({"controllerNodeSelector": {"a": "b"}}, ["agent-job", "agent-k8s"]),
        ({"controller": {"nodeSelector": {"a": "b"}}}, ["agent-job"]),
        ({"tsk": {}}, []),
    ],
)
def test_kinds_are_recognized_by_their_values(given_values: Values, possible: list[str]) -> None:
    assert adopt.charts_of(given_values) == possible


def test_alpha_values_are_refused_with_advice() -> None:
    adopted = of_values({"controller": {"nodeSelector": {"a": "b"}}})
    assert adopted.stack == {}
    assert [finding.path for finding in adopted.findings] == ["controller.nodeSelector", ""]
    assert "If APP VERSION of the release is below 0.57" in adopted.findings[-1].message


def test_findings_are_located_in_the_values() -> None:
    adopted = of_values({"agent": {"replicaCount": "2", "tsk": TOKEN}})
    assert [finding.path for finding in errors(adopted.findings)] == ["agent.replicaCount", "agent.tsk"]
    assert TOKEN not in "".join(map(str, adopted.findings))


@pytest.mark.parametrize("version", ["0.56.0", "0.61.2", "latest"])
def test_unsupported_versions_are_refused(version: str) -> None:
    with pytest.raises(LineError, match=r"0\.57"):
        of_values({}, version=version)


def test_unrelated_warnings_are_omitted() -> None:
    assert f"scalr-agents:agents.runs.values.{DEADLINE}" in {finding.path for finding in loaded(of_values({})).findings}
    assert of_values({}).findings == []
    without = of_values({"task": {"job": {"activeDeadlineSeconds": 0}}})
    assert [finding.path for finding in errors(without.findings)] == [DEADLINE]


def test_the_page_shows_the_printed_output() -> None:
    page = (Path(__file__).parents[2] / "docs" / "adopting.md").read_text()
    (shown,) = re.findall(r"^   ```yaml\n(.*?)^   ```", page, re.MULTILINE | re.DOTALL)
    adopted = of_values({"agent": {"replicaCount": 2}}, version="0.58.0")
    assert yaml_io.load_stack_file(shown) == adopted.stack
    commands = [*adopted.secrets, adopted.after[-2].command, adopted.after[-1].command]
    assert [line for line in commands if f"   {line}\n" not in page] == []


@pytest.mark.parametrize("chart", CHARTS)
def test_a_name_that_leaves_nothing_is_a_finding(chart: str) -> None:
    manifest = [{"kind": "Deployment", "metadata": {"name": "runs"}}]
    adopted = adopt.take_over({"fullnameOverride": "-"}, chart=chart, release="runs", namespace="scalr", manifest=manifest)
    assert [finding.path for finding in errors(adopted.findings)] == ["fullnameOverride", "manifest"]
