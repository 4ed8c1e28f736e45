"""The command `scalr-agents adopt`, as users run it."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from scalr_agents import stack
from scalr_agents.model.findings import errors
from scalr_agents.stack import source

from tests.helpers.command_line import REPOSITORY, TOKEN, cli, process
from tests.helpers.releases import GOLDEN, URL, printed, take_over
from tests.migration.instructions import FORGET, RESTART_POLICY


@pytest.mark.parametrize(
    "text", ["", "null\n", "{}\n", "USER-SUPPLIED VALUES:\nnull\n", "COMPUTED VALUES:\n{}\n", "USER-SUPPLIED VALUES:\r\n"]
)
def test_a_release_without_values(text: str) -> None:
    done = cli("adopt", "runs", "agent-local", "-n", "scalr", stdin=text)
    assert done.returncode == 0, done.stderr
    assert "values" not in yaml.safe_load(done.stdout)["config"]["scalr-agents:agents"]["runs"]


def test_the_command(tmp_path: Path) -> None:
    given_values = f'USER-SUPPLIED VALUES:\nagent:\n  token: {TOKEN}\n  url: {URL}\ntask: {{runner: {{image: {{tag: "1.10"}}}}}}\n'
    done = process("adopt", "runs", "-n", "scalr", "--agent-version", "0.58.0", stdin=given_values)
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout + done.stderr
    instructions = [
        "set the secrets (the command asks for the value):",
        "  pulumi config set --secret --path 'scalr-agents:secrets.runs.token'",
        "after pulumi up:",
        "  # remove a field that Jobs do not have",
        f"  {RESTART_POLICY}",
        "  # Helm's marks and managed fields: otherwise fields that Helm has set stay when you remove them from the stack",
        f"  {FORGET}",
        "  # Helm's records of the release; never run helm uninstall, which deletes the objects",
        "  kubectl delete secret -n scalr -l owner=helm,name=runs",
        "  # stop taking over existing objects",
        "  pulumi config set --path 'scalr-agents:kubernetes.upsertExisting' false",
    ]
    notes = [
        "the values have no chart defaults; those of agent-job 0.5.65 are assumed (helm get values --all prints all values)",
        "changes on the cluster are not listed; give the manifest with --manifest to list them",
        "pulumi up rolls the controllers once; runs continue",
    ]
    assert done.stderr.splitlines() == [*(f"note: {note}" for note in notes), *instructions]
    assert done.stdout.partition("---\n")[0].splitlines() == [f"# {line}" for line in instructions]
    (tmp_path / "Pulumi.yaml").write_text("name: scalr-agents\n")
    (tmp_path / "Pulumi.prod.yaml").write_text(done.stdout)
    read = stack.load(source.read(tmp_path, "prod").config, directory=tmp_path, demand_tokens=False)
    assert errors(read.findings) == []
    assert [manifest["metadata"]["name"] for manifest in read.objects() if manifest["kind"] == "Deployment"] == ["scalr-agent"]
    (tmp_path / "values.yaml").write_text(given_values)
    again = cli("adopt", "runs", "-n", "scalr", "--agent-version", "0.58.0", "-f", tmp_path / "values.yaml")
    assert (again.stdout, again.stderr) == (done.stdout, done.stderr)


def test_a_file_is_written_once_and_only_without_errors(tmp_path: Path) -> None:
    arguments = ("adopt", "runs", "agent-local", "-n", "scalr", "--write", "Pulumi.prod.yaml")
    file = tmp_path / "Pulumi.prod.yaml"
    refused = cli(*arguments, directory=tmp_path, stdin="tokn: x")
    assert (refused.returncode, file.exists()) == (1, False)

    values_of_release = f"agent: {{token: {TOKEN}}}"
    done = cli(*arguments, directory=tmp_path, stdin=values_of_release)
    assert (done.returncode, done.stdout) == (0, "")
    printed = cli(*arguments[:-2], stdin=values_of_release)
    assert (file.read_text(), done.stderr) == (printed.stdout, printed.stderr)

    file.write_text("config: {mine: true}\n")
    again = cli(*arguments, directory=tmp_path, stdin=values_of_release)
    assert (again.returncode, file.read_text()) == (2, "config: {mine: true}\n")
    assert "Invalid value for --write: Pulumi.prod.yaml: File exists" in again.stderr
    nowhere = cli(*arguments[:-1], "no/where.yaml", directory=tmp_path, stdin=values_of_release)
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "Invalid value for --write: no/where.yaml: No such file or directory" in nowhere.stderr


def test_without_stdin_the_required_input_is_named() -> None:
    command = f"exec {shlex.quote(sys.executable)} -m scalr_agents adopt runs -n scalr <&-"
    done = subprocess.run(["sh", "-c", command], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no values: pipe them in, helm get values runs -n scalr" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "text", "code", "words"),
    [
        (("runs",), "", 2, "Missing option '-n'"),
        (
            ("runs", "-n", "scalr"),
            f"agent: {{token: {TOKEN}}}",
            2,
            "match several charts: agent-job, agent-local, agent-k8s; set --metadata, or add the chart after the release",
        ),
        (
            ("runs", "-n", "scalr"),
            "a: b",
            2,
            "match no known chart; set --metadata, or add the chart after the release (helm list -n scalr shows it under CHART)",
        ),
        (
            ("runs", "agent-x", "-n", "scalr"),
            "",
            2,
            "Invalid value for '[CHART]': 'agent-x' is not one of 'agent-job', 'agent-local', 'agent-k8s'",
        ),
        (("runs", "agent-job", "-n", "scalr", "--agent-version", "0.61.0"), "", 2, "supported: 0.57 to 0.60; 0.61.3 or newer"),
        (("runs", "agent-job", "-n", "scalr"), "a: [", 1, "stdin:2:1: error: "),
        (("runs", "agent-job", "-n", "scalr"), f"tokn: {TOKEN}", 1, "error: tokn: unknown key 'tokn'"),
        (("Runs", "agent-job", "-n", "scalr"), "", 2, "Invalid value for RELEASE: 'Runs' is not a valid release name"),
        (("runs", "agent-job", "-n", "Scalr"), "", 2, "Invalid value for NAMESPACE: 'Scalr' is not a valid namespace"),
    ],
)
def test_refused_releases_print_nothing(arguments: tuple[str, ...], text: str, code: int, words: str) -> None:
    done = cli("adopt", *arguments, stdin=text)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stderr


def release_files(name: str, directory: Path) -> list[str]:
    """What Helm prints about a release, in files."""
    case = GOLDEN[name]
    texts = {
        "metadata": f"NAME: {case.release}\nCHART: {case.chart}\nVERSION: {case.chart_version}\nAPP_VERSION: {case.version}\n",
        "manifest": yaml.safe_dump_all([item for item in case.objects if item["kind"] != "CustomResourceDefinition"], explicit_start=True),
        "values": yaml.safe_dump(case.whole),
    }
    options = []
    for option, text in texts.items():
        (directory / option).write_text(text)
        options += [f"--{option}", str(directory / option)]
    return ["adopt", case.release, "-n", case.namespace, *options]


def test_helm_s_information_is_sufficient(tmp_path: Path) -> None:
    done = cli(*release_files("agent-job-0.59", tmp_path))
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout + done.stderr
    case = GOLDEN["agent-job-0.59"]
    adopted = take_over(case, manifest=[item for item in case.objects if item["kind"] != "CustomResourceDefinition"])
    assert yaml.safe_load(done.stdout) == adopted.stack
    assert done.stderr.splitlines() == [
        *map(str, adopted.findings),
        *(f"note: {note}" for note in adopted.notes),
        *adopted.listing(),
        *adopted.instructions(),
    ]
    assert "changes by the corrections of docs/helm-differences.md:" in done.stderr
    assert "not a correction" not in printed(adopted)


def test_the_version_is_read_from_the_manifest(tmp_path: Path) -> None:
    arguments = release_files("agent-k8s-0.60", tmp_path)
    at = arguments.index("--metadata")
    done = cli(*arguments[:at], *arguments[at + 2 :])
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout) == take_over(GOLDEN["agent-k8s-0.60"]).stack
    assert "the version of the release is not known" not in done.stderr


def test_the_chart_version_determines_the_agent_version() -> None:
    done = cli("adopt", "runs", "agent-job", "-n", "scalr", "--chart-version", "0.5.66", stdin=f"agent: {{token: {TOKEN}}}")
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["config"]["scalr-agents:agents"]["runs"]["agentVersion"] == "0.59.0"
    without = cli("adopt", "runs", "agent-job", "-n", "scalr", stdin=f"agent: {{token: {TOKEN}}}")
    assert without.stderr.startswith("warning: agent-job: the version of the release is not known")
    assert "these would be the values and objects of agents 0.57.0 of December 2025; name the version" in without.stderr


@pytest.mark.parametrize(
    ("option", "text", "code", "words"),
    [
        ("--manifest", f"agent: {{token: {TOKEN}}}", 2, "not a manifest, because every object must have a kind and a name"),
        ("--manifest", f"a: [{TOKEN}", 1, "error: "),
        ("--metadata", f"NAME: other\n# {TOKEN}", 2, "belongs to another release"),
        (
            "--metadata",
            "NAME: runs\nCHART: agent-job\nVERSION: 0.6.5\nAPP_VERSION: 1.4.0\n",
            2,
            "gives agent version '0.59.0', but the met",
        ),
    ],
)
def test_other_files_are_refused(option: str, text: str, code: int, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    arguments = ("adopt", "runs", "agent-job", "-n", "scalr", "--agent-version", "0.59.0", option, tmp_path / "file")
    done = cli(*arguments, stdin=f"agent: {{token: {TOKEN}}}")
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
    assert TOKEN not in done.stderr
    assert "Traceback" not in done.stderr


def test_missing_files_are_named(tmp_path: Path) -> None:
    done = cli("adopt", "runs", "-n", "scalr", "--manifest", tmp_path / "none", stdin="")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path / 'none'}: No such file or directory" in done.stderr


def test_a_manifest_of_another_release_is_refused(tmp_path: Path) -> None:
    arguments = release_files("agent-local-1.2", tmp_path)
    other = ["adopt", "other", *arguments[2:]]
    del other[other.index("--metadata") : other.index("--metadata") + 2]
    done = cli(*other)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: manifest: has no object of release 'other'" in done.stderr
