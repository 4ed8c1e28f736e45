"""Differences between agent versions: the tables, their effect on defaults, and versions that were not compared."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents import charts, stack
from scalr_agents.charts import CHARTS
from scalr_agents.charts.shared import secrets
from scalr_agents.model.findings import errors
from scalr_agents.model.maps import lookup, merge
from scalr_agents.model.release import NEWEST, Line, numbers

from tests.helpers.agent_job import nested, value_paths
from tests.helpers.changes import changes
from tests.helpers.command_line import TOKEN, cli
from tests.helpers.components import record
from tests.helpers.validated import LINES, validate

URL = "https://acme.scalr.io"
GIVEN = {"agent": {"url": URL, "token": TOKEN}}
DIFFERENCES: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "version_differences.yaml").read_text())
TABLES: Mapping[str, Any] = {chart: charts.find(chart).versions for chart in CHARTS}
PUBLISHED = [(chart, one.agent) for chart, table in TABLES.items() for one in table.published]
UNKNOWN = [(line, path) for line in LINES for path in TABLES[line.chart].unsupported(line.default_version)]
OF_DEFAULTS = {
    "agent-job": ["task.job.activeDeadlineSeconds"],
    "agent-local": [],
    "agent-k8s": ["workerNodeSelector", "securityContext", "agent.data_home"],
}
"""What is found about an agent with its address and token alone."""
NEWER = [f"{NEWEST[:-1]}1", "98.0.0", "99.0.1"]


def objects(chart: str, version: str, given: dict[str, Any] | None = None) -> dict[str, Any]:
    checked = validate(chart, merge(GIVEN, given or {}), release="runs", namespace="scalr", agent_version=version)
    assert errors(checked.findings) == []
    return checked.by_role(secrets.known_digest(checked.secret_data))


def upgrades() -> Iterator[tuple[str, str, str]]:
    """Each published version with the one before, within a line."""
    for chart, table in TABLES.items():
        for one, other in pairwise(table.published):
            if table.line(one.agent) is table.line(other.agent):
                yield chart, one.agent, other.agent


@pytest.mark.parametrize(("chart", "before", "after"), list(upgrades()))
def test_differences_between_versions(chart: str, before: str, after: str) -> None:
    older = json.loads(json.dumps(objects(chart, before)).replace(before, after))
    assert changes(older, objects(chart, after)) == DIFFERENCES[chart][after]


def test_every_version_is_among_the_differences() -> None:
    assert {(chart, version) for chart, found in DIFFERENCES.items() for version in found} == {(c, after) for c, _, after in upgrades()}


@pytest.mark.parametrize("chart", CHARTS)
def test_a_table_covers_the_lines_of_its_chart(chart: str) -> None:
    table, own = TABLES[chart], [line for line in LINES if line.chart == chart]
    assert table.rows[0].since == own[0].oldest
    assert {line.oldest for line in own} <= {row.since for row in table.rows}
    assert [row.since for row in table.rows] == sorted({row.since for row in table.rows})
    for line in own:
        assert table.row(line.default_version).since >= line.oldest
    agents = [numbers(one.agent) for one in table.published]
    assert agents == sorted(set(agents))
    assert table.published[-1].agent == NEWEST


@pytest.mark.parametrize(
    ("version", "since"),
    [
        ("0.57.0", (0, 57)),
        ("0.58.3", (0, 57)),
        ("0.60.9", (0, 60)),
        ("0.61.3", (0, 61, 3)),
        ("0.61.9", (0, 61, 4)),
        ("0.64.0", (0, 63, 1)),
        ("1.0.3", (1, 0, 0)),
        ("1.0.9", (1, 0, 4)),
        ("1.2.9", (1, 2)),
        ("1.4.0", (1, 3)),
        ("99.0.1", (1, 3)),
    ],
)
def test_a_version_without_a_chart_has_the_row_of_the_version_before(version: str, since: tuple[int, ...]) -> None:
    assert TABLES["agent-job"].row(version).since == since


@pytest.mark.parametrize(
    ("path", "knowing", "ignorant"),
    [
        ("global.imageNamespace", "0.60 or newer", {"0.57.0": "0.57 to 0.59", "0.59.0": "0.57 to 0.59"}),
        ("task.worker.image.tag", "0.57 to 0.59", {"0.60.0": "0.60 or newer", "1.4.0": "0.60 or newer"}),
        ("agent.labels", "0.61.3 or newer", {"0.60.0": "0.57 to 0.60"}),
        ("task.startupTimeoutSeconds", "0.61.4 or newer", {"0.60.0": "0.57 to 0.61.3", "0.61.3": "0.57 to 0.61.3"}),
        ("agent.sentryDsn", "0.65 or newer", {"0.63.1": "0.57 to 0.63"}),
        ("global.tls.clientCert", "1.0.0, 1.1 or newer", {"0.65.1": "0.57 to 0.65", "1.0.5": "1.0.4 to 1.0.5"}),
        ("agent.binaryCache.sizeLimit", "1.2 or newer", {"0.60.0": "0.57 to 1.1"}),
        ("task.job.backoffLimit", "1.3 or newer", {"0.57.0": "0.57 to 1.2", "1.2.1": "0.57 to 1.2"}),
    ],
)
def test_versions_that_support_a_value(path: str, knowing: str, ignorant: dict[str, str]) -> None:
    table = TABLES["agent-job"]
    assert table.supported_range(path) == knowing
    for version, words in ignorant.items():
        assert not table.supports(version, path)
        assert table.unsupported_range(version, path) == words


@pytest.mark.parametrize(("line", "path"), UNKNOWN, ids=[f"{line.chart}-{line.generation}-{path}" for line, path in UNKNOWN])
def test_a_value_that_a_line_does_not_know_is_an_error_that_names_the_versions(line: Line, path: str) -> None:
    def found(value: Any) -> list[tuple[str, str, str]]:
        given = merge(GIVEN, nested(path, value))
        checked = validate(line.chart, given, agent_version=line.default_version).findings
        return [(each.severity, each.path, each.message) for each in checked if "do not support it" in each.message]

    ignorant, knowing = TABLES[line.chart].unsupported_range(line.default_version, path), TABLES[line.chart].supported_range(path)
    message = f"unknown key {path.rpartition('.')[2]!r}: agents {ignorant} do not support it; agents {knowing} do (see the agent version)"
    assert any(f"{value}.".startswith(f"{path}.") for value in value_paths(charts.find(line.chart).model))
    assert found("x") == [("error", path, message)]
    empty: tuple[Any, ...] = (None, "", [], {}, {"key": ""})
    assert [value for value in empty if found(value)] == []  # as in a chart's own values file, which people copy


@pytest.mark.parametrize(
    ("chart", "version", "given", "known"),
    [
        ("agent-job", "1.3.0", {"task": {"job": {"backoffLimit": 2}}}, True),
        ("agent-job", "1.2.0", {"agent": {"providerNetworkMirrors": [{"url": "https://m.acme/"}]}}, False),
        ("agent-local", "1.2.0", {"agent": {"providerNetworkMirrors": [{"url": "https://m.acme/"}]}}, False),
        ("agent-job", "1.0.0", {"global": {"tls": {"clientCertSecret": {"name": "mine"}}}}, True),
        ("agent-job", "1.0.4", {"global": {"tls": {"clientCertSecret": {"name": "mine"}}}}, False),
        ("agent-local", "1.0.0", {"agent": {"tls": {"clientCertSecret": {"name": "mine"}}}}, True),
        ("agent-local", "1.0.5", {"agent": {"tls": {"clientCertSecret": {"name": "mine"}}}}, False),
        ("agent-local", "1.0.5", {"persistence": {"data": {"enabled": True}}}, False),
        ("agent-local", "1.1.0", {"persistence": {"data": {"enabled": True}}}, True),
        ("agent-local", "0.58.0", {"persistence": {"emptyDir": {"sizeLimit": "30Gi"}}}, True),
        ("agent-local", "0.60.0", {"persistence": {"emptyDir": {"sizeLimit": "30Gi"}}}, False),
        ("agent-k8s", "0.60.0", {"agent": {"container_task_image": "acme/runs:1"}}, True),
        ("agent-k8s", "0.59.0", {"agent": {"container_task_image": "acme/runs:1"}}, False),
    ],
)
def test_values_of_other_versions_are_errors(chart: str, version: str, given: dict[str, Any], known: bool) -> None:
    found = errors(charts.check(chart, merge(GIVEN, given), release="runs", namespace="scalr", agent_version=version))
    assert [finding for finding in found if "do not support it" not in finding.message] == []
    assert (found == []) is known


@pytest.mark.parametrize(
    ("version", "variable", "advice"),
    [
        ("0.57.0", "SCALR_AGENT_DISCONNECT_ON_STOP", "remove it"),
        ("0.59.0", "SCALR_AGENT_DISCONNECT_ON_STOP", ""),
        ("0.59.0", "SCALR_AGENT_STATE_PERSISTENCE_ENABLED", "remove it"),
        ("0.60.0", "SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB", ""),
        ("1.2.0", "SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB", "overrides the variable of agent.binaryCache.sizeLimit"),
        ("1.2.0", "SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES", "remove it"),
        ("1.3.0", "SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES", "overrides the variable of agent.providerCache.dropKernelPages"),
    ],
)
def test_overriding_variables_of_a_version_is_a_warning(version: str, variable: str, advice: str) -> None:
    extra = {"agent": {"extraEnv": {variable: "1"}}}
    found = charts.check("agent-job", merge(GIVEN, extra), release="runs", namespace="scalr", agent_version=version)
    messages = [finding.message for finding in found if finding.path == f"agent.extraEnv.{variable}"]
    assert [advice in message for message in messages] == ([True] if advice else [])


@pytest.mark.parametrize(("sum_of", "code", "words"), [("the loop", 0, "it runs"), ("another", 1, "Checksum verification failed")])
def test_the_runner_of_agents_0_60_downloads_its_loop(sum_of: str, code: int, words: str, tmp_path: Path) -> None:
    """With a curl that serves a loop of ours, whose checksum stands in place of the real one's, or does not."""
    [_, _, script] = lookup(objects("agent-job", "0.60.0")["task-template"], "spec", "jobTemplate", "spec", "template", "spec")[
        "containers"
    ][0]["command"]
    loop = tmp_path / "loop"
    loop.write_text("echo it runs\n")
    served = subprocess.run(["sha256sum", loop], capture_output=True, text=True, check=True).stdout.split()[0]
    curl = tmp_path / "curl"
    curl.write_text(
        f'#!/bin/sh\ntest "$2" = https://storage.googleapis.com/runner-exec-loop/d299348/exec_loop.sh || exit 9\ncp {loop} "$4"\n'
    )
    curl.chmod(0o755)
    known = "365410cdb41ab9f22f11f41b55c6abc04281c0209fc118d31b22e12bff6a07ae"
    assert known in script
    script = script.replace("/tmp/exec-loop.sh", str(tmp_path / "exec-loop.sh"))
    script = script.replace(known, served) if sum_of == "the loop" else script
    shell = shutil.which("sh")
    assert shell
    done = subprocess.run([shell, "-c", script], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=False)
    assert (done.returncode, words in done.stdout) == (code, True), done.stderr


@pytest.mark.parametrize(("chart", "version"), PUBLISHED)
def test_defaults_of_compared_versions_have_these_warnings(chart: str, version: str) -> None:
    found = charts.check(chart, GIVEN, release="runs", namespace="scalr", agent_version=version)
    assert [(finding.severity, finding.path) for finding in found] == [("warning", path) for path in OF_DEFAULTS[chart]]


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("version", NEWER)
def test_a_newer_version_is_a_warning(chart: str, version: str) -> None:
    found = charts.check(chart, GIVEN, release="runs", namespace="scalr", agent_version=version)
    (warning,) = [finding for finding in found if finding.path == "agent_version"]
    assert warning.severity == "warning"
    assert warning.message.startswith(
        f"{version} is newer than {NEWEST}, the newest version that was compared with its Helm chart "
        f"({chart} {TABLES[chart].published[-1].chart})"
    )
    assert changes(json.loads(json.dumps(objects(chart, NEWEST)).replace(NEWEST, version)), objects(chart, version)) == {}


@pytest.mark.parametrize("common", [True, False])
def test_a_newer_version_is_located_in_the_stack(common: bool) -> None:
    agent = {"kind": "agent-local", "namespace": "scalr"}
    words = {"common": {"agentVersion": "99.0.1"}} if common else {"common": {}}
    config = {**words, "agents": {"vcs": agent if common else agent | {"agentVersion": "99.0.1"}}}
    found = stack.load(config, directory=Path(), demand_tokens=False).findings
    place = "scalr-agents:common.agentVersion" if common else "scalr-agents:agents.vcs.agentVersion"
    assert [finding.path for finding in found if f"is newer than {NEWEST}" in finding.message] == [place]


def test_a_newer_version_is_a_warning_in_programs_and_commands() -> None:
    recording = record("AgentLocal", {"namespace": "scalr", "url": URL, "token": TOKEN, "agent_version": "99.0.1"})
    assert any(f"agent_version: 99.0.1 is newer than {NEWEST}" in message for _, message in recording.log)
    done = cli("template", "agent-local", "--agent-version", "99.0.1", stdin="")
    assert f"warning: agent_version: 99.0.1 is newer than {NEWEST}" in done.stderr


def test_nested_values_of_the_older_volume_do_not_hide_a_bad_size() -> None:
    bad = nested("persistence.emptyDir.sizeLimit", "x")
    found = charts.check("agent-local", merge(GIVEN, bad), release="runs", namespace="scalr", agent_version="0.58.0")
    assert [finding.path for finding in errors(found)] == ["persistence.emptyDir.sizeLimit"]
