"""Defaults of a release's chart: ours are omitted, others are kept, and unknown ones are reported."""

from typing import Any

import pytest
from scalr_agents import charts
from scalr_agents.charts import CHARTS
from scalr_agents.charts.shared.versions import Published
from scalr_agents.migration import adopt
from scalr_agents.migration.adopt import release as known
from scalr_agents.migration.adopt.release import About, AboutError
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import Values, lookup, merge
from scalr_agents.model.release import LineError

from tests.helpers.command_line import TOKEN
from tests.helpers.releases import CASES, GOLDEN, KEPT, PLAIN, URL, of_values, take_over

WHOLE = {
    name: case
    for name, case in CASES.items()
    if name in {"agent-job-0.59", "agent-job-1.4", "agent-local-1.2", "agent-k8s-0.60"} or name.endswith("-all")
}
"""Releases with minimal user values, with all their values."""
GIVEN = {"agent": {"url": URL, "token": TOKEN}}
MEMORY = KEPT["agent-job", "1.4.0"]


def stack_values(adopted: adopt.Adoption) -> Values:
    assert errors(adopted.findings) == []
    ((_, agent),) = adopted.stack["config"]["scalr-agents:agents"].items()
    found: Values = agent.get("values", {})
    return found


def pruned(value: Any) -> Any:
    """Without what says nothing, switches as text, and rules without the fields that they do not use."""
    if isinstance(value, dict):
        return {key: below for key, item in value.items() if (below := pruned(item)) not in (None, {}, [], "")}
    if isinstance(value, list):
        return [pruned(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else value


@pytest.mark.parametrize("case", WHOLE.values(), ids=WHOLE)
def test_chart_defaults_match_its_values_file(case: Any) -> None:
    (published,) = [one for one in charts.find(case.chart).versions.published if one.chart == case.chart_version]
    assert published.agent == case.version
    assert pruned(merge(known.of_chart(case.chart, published), GIVEN)) == pruned(merge(case.values, GIVEN))


@pytest.mark.parametrize("case", WHOLE.values(), ids=WHOLE)
def test_a_stack_has_only_values_other_than_our_defaults(case: Any) -> None:
    kept = KEPT.get((case.chart, case.version), {})
    adopted = take_over(case, given=merge(case.values, GIVEN))
    assert stack_values(adopted) == merge({"agent": {"url": URL}}, kept)
    assert "all values are given; those equal to the defaults are left out" in adopted.notes


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("agent-job-1.4", "task.runner.resources.limits", {"task": {"runner": {"resources": {"limits": None}}}}),
        ("agent-job-1.4", "agent.replicaCount", {"agent": {"replicaCount": None}}),
        ("agent-job-0.59", "agent.resources.limits.memory", {"agent": {"resources": {"limits": {"memory": None}}}}),
        ("agent-job-0.59", "global.podSecurityContext", {"global": {"podSecurityContext": None}}),
        ("agent-local-1.2", "securityContext.procMount", {"securityContext": {"procMount": None}}),
        ("agent-k8s-0.60", "agent.worker_drain_timeout", {"agent": {"worker_drain_timeout": None}}),
        ("agent-k8s-0.60", "agent.ca_cert", {}),
        ("agent-job-1.4", "task.podDisruptionBudget.maxUnavailable", {}),
    ],
)
def test_unset_values_stay_unset(name: str, path: str, expected: Values) -> None:
    """Of a default that a user has set to null, helm get values --all prints nothing."""
    case = GOLDEN[name]
    whole = merge(case.whole, GIVEN)
    *parents, key = path.split(".")
    del lookup(whole, *parents)[key]
    kept = MEMORY if name == "agent-job-1.4" and not path.startswith("task.runner") else {}
    assert stack_values(take_over(case, given=whole)) == merge(merge({"agent": {"url": URL}}, kept), expected)


def test_unknown_values_are_not_unset() -> None:
    ours = {path for chart in CHARTS for path in charts.find(chart).versions.ours}
    assert {"agent.minReadySeconds", "task.buffer", "task.job.activeDeadlineSeconds"} < ours
    for case in WHOLE.values():
        values = stack_values(take_over(case))
        assert [path for path in ours if lookup(values, *path.split(".")) is not None] == []
        assert "null" not in str(values)


def test_a_budget_of_a_user_is_kept() -> None:
    case = GOLDEN["agent-job-1.4"]
    given = merge(case.whole, {"task": {"podDisruptionBudget": {"minAvailable": 5, "maxUnavailable": None}}})
    assert stack_values(take_over(case, given=given))["task"]["podDisruptionBudget"] == {"minAvailable": 5}


@pytest.mark.parametrize(
    ("chart", "version", "kept", "named"),
    [
        ("agent-job", "0.58.0", {}, ""),
        ("agent-job", "1.4.0", MEMORY, "task.runner.resources.limits.memory"),
        (
            "agent-job",
            "0.57.0",
            {"persistence": {"cache": {"persistentVolumeClaim": {"storage": "50Gi"}}}},
            "persistence.cache.persistentVolumeClaim.storage",
        ),
        (
            "agent-local",
            "0.57.0",
            {
                "agent": {"dataDir": "/var/lib/scalr-agent"},
                "resources": {"limits": {"cpu": "2000m"}},
                "persistence": {"emptyDir": {"sizeLimit": "20Gi"}},
                "terminationGracePeriodSeconds": 360,
            },
            "agent.dataDir, resources.limits.cpu, persistence.emptyDir.sizeLimit, terminationGracePeriodSeconds",
        ),
    ],
)
def test_missing_defaults_are_looked_up(chart: str, version: str, kept: Values, named: str) -> None:
    adopted = of_values({}, chart, version)
    assert stack_values(adopted) == merge({"agent": {"url": URL}}, kept)
    published = next(one for one in charts.find(chart).versions.published if one.agent == version)
    note = f"the values have no chart defaults; those of {chart} {published.chart} are assumed (helm get values --all prints all values)"
    assert adopted.notes[0] == (f"{note}; these differ from ours and are kept: {named}" if named else note)


def test_user_values_override_looked_up_defaults() -> None:
    given = {"task": {"runner": {"resources": {"limits": {"memory": "3Gi"}}}}, "agent": {"replicaCount": 1}}
    assert stack_values(of_values(given, version="1.4.0")) == {"agent": {"url": URL, "replicaCount": 1}, "task": given["task"]}
    unset = {"task": {"runner": {"resources": {"limits": None}}}}
    assert stack_values(of_values(unset, version="1.4.0"))["task"] == unset["task"]


def test_a_partial_values_file_is_not_complete() -> None:
    """Who copies a chart's file leaves out what there is no need for: that has its default then, and is not unset."""
    case = GOLDEN["agent-job-1.4"]
    copied = merge(case.whole, GIVEN)
    del copied["agent"]["binaryCache"]
    del copied["task"]["runner"]["resources"]["limits"]["memory"]
    adopted = take_over(case, given=copied)
    assert "agent-job 0.6.5 are assumed" in adopted.notes[0]
    assert stack_values(adopted)["task"]["runner"]["resources"]["limits"]["memory"] == "2048Mi"


@pytest.mark.parametrize(
    ("chart", "agent", "chart_version"), [("agent-job", "1.9.0", ""), ("agent-job", "1.4.0", "0.6.9"), ("agent-local", "0.58.3", "")]
)
def test_unknown_defaults_are_a_warning(chart: str, agent: str, chart_version: str) -> None:
    adopted = adopt.take_over(
        GIVEN, chart=chart, release="runs", namespace="scalr", agent_version=agent, chart_version=chart_version or None
    )
    (warning,) = [finding for finding in adopted.findings if "its defaults are not known" in finding.message]
    assert (warning.severity, warning.path) == ("warning", f"{chart} {chart_version or f'of agents {agent}'}")
    assert "helm get values --all" in warning.message
    assert stack_values(adopted) == {"agent": {"url": URL}}


def test_values_of_an_unknown_chart_are_kept() -> None:
    case = GOLDEN["agent-job-1.4"]
    adopted = adopt.take_over(merge(case.whole, GIVEN), chart="agent-job", release="runs", namespace="scalr", agent_version="1.9.0")
    budget = {"podDisruptionBudget": {"maxUnavailable": 0}}
    assert stack_values(adopted) == merge({"agent": {"url": URL}, "task": budget}, MEMORY)
    assert [finding for finding in adopted.findings if "defaults are not known" in finding.message] == []
    assert [note for note in adopted.notes if "values that the release unsets with null are not found" in note] != []


@pytest.mark.parametrize("chart", CHARTS)
def test_without_a_version_the_defaults_are_unknown(chart: str) -> None:
    adopted = adopt.take_over(GIVEN, chart=chart, release="runs", namespace="scalr")
    (warning,) = [finding for finding in adopted.findings if finding.path == chart]
    assert warning.severity == "warning"
    assert "the release may change in unexpected ways" in warning.message
    assert "--metadata, --chart-version or --agent-version" in warning.message
    assert stack_values(adopted) == {"agent": {"url": URL}}
    known = of_values({}, chart, PLAIN[chart])
    assert [finding for finding in known.findings if "unexpected ways" in finding.message] == []


TABLE = """\
NAME: runs
CHART: agent-job
VERSION: 0.5.66
APP_VERSION: 0.59.0
ANNOTATIONS: note=a: b
DEPENDENCIES:
NAMESPACE: scalr
REVISION: 3
STATUS: deployed
DEPLOYED_AT: 2026-11-20T10:00:00Z
"""
IN_YAML = (
    "appVersion: 0.59.0\nchart: agent-job\ndeployedAt: 2026-11-20T10:00:00Z\nname: runs\nnamespace: scalr\nrevision: 3\nversion: 0.5.66\n"
)
IN_JSON = (
    '{"name":"runs","chart":"agent-job","version":"0.5.66","appVersion":"0.59.0","namespace":"scalr","revision":3,"status":"deployed"}'
)
KNOWN = About("the metadata", "agent-job", "0.5.66", "0.59.0")


@pytest.mark.parametrize("text", [TABLE, f"\n{TABLE}", IN_YAML, IN_JSON], ids=["table", "after a line", "yaml", "json"])
def test_metadata_in_every_format_of_helm(text: str) -> None:
    assert known.of_metadata(text, "runs", "scalr") == KNOWN


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TABLE.replace("runs", "other"), "belongs to another release: its name is 'other', expected 'runs'"),
        (TABLE.replace("scalr", "elsewhere"), "its namespace is 'elsewhere'"),
        (TABLE.replace("agent-job", "platform"), "names the chart 'platform'; expected one of agent-job, agent-local, agent-k8s"),
        ("", "names no chart"),
        ("a: [", "the metadata is not valid YAML: line 2, column 1: "),
        ("agent:\n  token: x\n", "names no chart"),
    ],
)
def test_useless_metadata_is_refused(text: str, words: str) -> None:
    with pytest.raises(AboutError) as raised:
        known.of_metadata(text, "runs", "scalr")
    assert words in str(raised.value)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_chart_is_read_from_the_manifest(name: str) -> None:
    case = GOLDEN[name]
    assert known.of_manifest(case.objects) == About("the manifest", case.chart, case.chart_version, case.version)
    assert known.of_manifest([item for item in case.objects if item["kind"] != "Deployment"]) == About("the manifest")
    foreign = {"kind": "Deployment", "metadata": {"name": "x", "labels": {"helm.sh/chart": "nginx-1.2.3"}}}
    assert known.of_manifest([foreign, {"kind": "Deployment", "metadata": {"name": "y"}}]) == About("the manifest")


def test_sources_are_merged_and_contradictions_refused() -> None:
    option = About("the command line", agent_version="0.59.0")
    assert known.joined([option, KNOWN]) == KNOWN._replace(source="")
    with pytest.raises(
        AboutError, match=r"the command line gives agent version '0\.58\.0', but the metadata gives '0\.59\.0'; correct one of them"
    ):
        known.joined([option._replace(agent_version="0.58.0"), KNOWN])


UPGRADE = "First upgrade the release with Helm to chart {} (agents {}){}. Then adopt it"
ALPHA = "; for values of the alpha, see scalr-agents convert-values"


@pytest.mark.parametrize(
    ("chart", "version", "following"),
    [
        ("agent-job", "0.56.0", ("0.5.64", "0.57.0", ALPHA)),
        ("agent-job", "0.61.2", ("0.5.68", "0.61.3", ALPHA)),
        ("agent-local", "0.53.1", ("0.5.61", "0.57.0", "")),
        ("agent-k8s", "0.52.0", ("0.5.58", "0.53.0", "")),
    ],
)
def test_old_releases_are_told_the_next_step(chart: str, version: str, following: tuple[str, str, str]) -> None:
    step, table = UPGRADE.format(*following), charts.find(chart).versions
    with pytest.raises(LineError) as raised:
        of_values({}, chart, version)
    supported = "; ".join(line.versions for line in table.lines)
    assert str(raised.value) == f"{chart} does not support agent version {version}; supported: {supported}. {step}"
    if following[:2] == (table.published[0].chart, table.published[0].agent):
        with pytest.raises(AboutError) as refused:
            known.completed(About("", chart, "0.5.9"))
        assert str(refused.value) == f"{chart} 0.5.9 is older than all charts whose releases can be taken over. {step}"


@pytest.mark.parametrize(("chart", "one"), [(chart, one) for chart in CHARTS for one in charts.find(chart).versions.published], ids=str)
def test_every_published_chart_is_taken_over_by_each_of_its_versions(chart: str, one: Published) -> None:
    assert known.completed(About("", chart, one.chart)).agent_version == one.agent
    assert known.completed(About("", chart, "", one.agent)).chart_version == one.chart
    known.supported(chart, one.agent)


def test_unknown_charts_have_no_agent_version() -> None:
    with pytest.raises(AboutError, match=r"agent-job 0\.9\.9 is not known; set --agent-version to APP VERSION"):
        known.completed(About("", "agent-job", "0.9.9"))
