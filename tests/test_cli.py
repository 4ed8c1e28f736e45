"""The command line: output, files and exit codes. A few tests start processes, one for each kind of exit."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from scalr_agents.model.release import NEWEST

from tests.helpers.command_line import DEADLINE, REPOSITORY, STACK, TOKEN, Done, cli, process, stack

SET = "pulumi config set --secret --path"


def documents(done: Done) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def test_render_prints_the_local_stack() -> None:
    done = process("render")
    kinds = [document["kind"] for document in documents(done)]
    assert kinds[0] == "CustomResourceDefinition"
    assert kinds[-1] == "Deployment"
    assert "placeholder: <secret scalr-agents:secrets.runs.token> is encrypted or not set" in done.stderr


def test_render_finds_the_project_from_a_directory_below() -> None:
    assert cli("render", directory=REPOSITORY / "stacks" / "values").stdout == cli("render", "local", "--project", REPOSITORY).stdout


def test_render_is_the_same_every_time_and_in_json(project: Path) -> None:
    stack(project, STACK)
    done = process("render", "dev", directory=project)
    assert done.stdout == process("render", "dev", directory=project).stdout
    assert json.loads(cli("render", "dev", "-o", "json", directory=project).stdout) == {
        "apiVersion": "v1",
        "kind": "List",
        "items": documents(done),
    }


def test_render_never_prints_the_ciphertext(project: Path) -> None:
    stack(project, STACK)
    done = cli("render", "dev", directory=project)
    assert "v1:xyz" not in done.stdout + done.stderr
    assert "token: <secret scalr-agents:secrets.runs.token>" in done.stdout


def test_render_omits_unknown_secrets(project: Path) -> None:
    stack(project, STACK.replace("{token: {secure: v1:xyz}}", "{token: {secure: v1:xyz}, env: {A: known}}"))
    done = cli("render", "dev", "-d", "out", directory=project)
    files = {file.name: oct(file.stat().st_mode & 0o777) for file in (project / "out").iterdir()}
    assert done.returncode == 0
    assert done.stdout == ""
    assert "left out: Secret runs-agent-job in namespace scalr: <secret scalr-agents:secrets.runs.token> is not known here" in done.stderr
    assert files["scalr_secret_runs-agent-job-env.yaml"] == "0o600"
    assert files["scalr_deployment_runs-agent-job.yaml"] == "0o644"
    assert "scalr_secret_runs-agent-job.yaml" not in files


def test_render_removes_stale_files(project: Path) -> None:
    stack(project, STACK)
    cli("render", "dev", "-d", "out", directory=project)
    stack(project, STACK.replace("runs:", "web:"))
    done = cli("render", "dev", "-d", "out", directory=project)
    assert done.returncode == 0
    assert "removed: scalr_deployment_runs-agent-job.yaml\n" in done.stderr
    assert [file.name for file in (project / "out").iterdir() if "_runs" in file.name] == []


def test_render_refuses_a_directory_with_other_files(project: Path) -> None:
    stack(project, STACK)
    done = cli("render", "dev", "-d", "stacks", directory=project)
    assert (done.returncode, done.stdout) == (2, "")
    refused = "Invalid value for --directory: stacks contains files that were not written by `render -d`: Pulumi.dev.yaml; move them"
    assert refused in done.stderr
    assert [file.name for file in (project / "stacks").iterdir()] == ["Pulumi.dev.yaml"]


@pytest.mark.parametrize(("options", "code"), [((), 1), (("--allow-unknown",), 0)])
def test_render_reports_an_unread_environment(project: Path, options: tuple[str, ...], code: int) -> None:
    stack(project, f"environment: [acme/prod]\n{STACK}")
    done = cli("render", "dev", *options, directory=project)
    assert done.returncode == code
    assert "Pulumi.dev.yaml: environment: is not read" in done.stderr
    assert done.stdout.startswith("---\n")


def test_a_token_may_come_from_an_environment(project: Path) -> None:
    stack(project, f"environment: [acme/prod]\n{STACK.replace('{token: {secure: v1:xyz}}', '{}')}")
    assert cli("check", "dev", directory=project).returncode == 0


def test_render_exits_1_on_errors_and_prints_nothing(project: Path) -> None:
    stack(project, STACK.replace("kind: agent-job", "kind: agent-jop"))
    done = process("render", "dev", directory=project)
    assert (done.returncode, done.stdout) == (1, "")
    allowed = "allowed: 'agent-job', 'agent-local' or 'agent-k8s'"
    assert done.stderr == f"stacks/Pulumi.dev.yaml:3:32: error: scalr-agents:agents.runs.kind: given 'agent-jop'; {allowed}\n"


@pytest.mark.parametrize(
    ("content", "options", "code", "words"),
    [
        (STACK, (), 0, ""),
        (STACK, ("--strict",), 0, ""),
        (STACK.replace("https", "http"), (), 0, "warning: scalr-agents:common.url: http://"),
        (STACK.replace("https", "http"), ("--strict",), 1, "warning: scalr-agents:common.url: http://"),
        (STACK.replace("{secure: v1:xyz}", TOKEN), (), 0, "is in this file in plain text"),
        (STACK.replace("{token: {secure: v1:xyz}}", "{}"), (), 1, "error: scalr-agents:secrets.runs.token: missing"),
        (STACK.replace("values: {", "values: {agent: {token: {secure: v1:xyz}}, "), (), 1, "secrets belong under scalr-agents:secrets"),
        (STACK.replace("v1:xyz", "..."), (), 1, f"placeholder, not an encrypted value; run: {SET} 'scalr-agents:secrets.runs.token'"),
        (f"{STACK}  scalr-agents:token: {{secure: v1:xyz}}\n", (), 1, f"pulumi config rm 'scalr-agents:token', and: {SET}"),
        (STACK.replace("values: {", f"values: {{agent: {{token: {TOKEN}}}, "), (), 1, "a token in plain text"),
    ],
)
def test_check_prints_findings_and_exit_codes(project: Path, content: str, options: tuple[str, ...], code: int, words: str) -> None:
    stack(project, content)
    done = cli("check", "dev", *options, directory=project)
    assert done.returncode == code
    assert words in done.stdout
    assert TOKEN not in done.stdout + done.stderr
    assert "v1:xyz" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("render", "nope"), "no stack 'nope': /"),
        (("check", "none.yaml"), "none.yaml: No such file or directory"),
        (("check", "--project", "nowhere"), "'nowhere' does not exist"),
        (("template",), "Missing argument 'CHART'"),
        (("template", "agent-job", "-f", "none.yaml"), "none.yaml: No such file or directory"),
        (("template", "agent-job", "--set", "agent"), "--set: expected path=value, such as"),
        (("template", "agent-job", "--set", "agent={"), "--set: agent: not valid YAML"),
        (("template", "agent-job", "--set-string", "agent.debug=1,b=2"), "--set-string: agent.debug: a backslash, a list in braces, or"),
        (("render", "-o", "xml"), "'xml' is not one of"),
        (("nope",), "No such command 'nope'"),
    ],
)
def test_usage_errors_exit_2(project: Path, args: tuple[str, ...], words: str) -> None:
    done = cli(*args, directory=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_process_exits_2_on_usage_errors(project: Path) -> None:
    done, expected = process("nope", directory=project), cli("nope", directory=project)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected.stderr)


def test_template_reads_values_as_helm_does(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("agent: {token: file, replicaCount: 2, debug: yes, nodeSelector: {a: b}}\n")
    (tmp_path / "two.yaml").write_text("agent: {replicaCount: 3, nodeSelector: {c: d}}\n")
    done = cli(
        *("template", "agent-job", "-f", "one.yaml", "-f", "two.yaml", "--release", "runs", "-n", "scalr", "--agent-version", "0.58.0"),
        *("--set-string", "agent.extraEnv.A=1", "--set-string", f"agent.token={TOKEN}", "--set", "agent.extraEnv.A=2"),
        *("--set", "agent.logFormat=json", "--set", "agent.logFormat=plain"),
        directory=tmp_path,
    )
    by_kind = {document["kind"]: document for document in documents(done)}
    pod = by_kind["Deployment"]["spec"]["template"]["spec"]
    environment = {variable["name"]: variable.get("value") for variable in pod["containers"][0]["env"]}
    assert by_kind["Deployment"]["metadata"]["name"] == "runs-agent-job"
    assert by_kind["Deployment"]["metadata"]["labels"]["app.kubernetes.io/version"] == "0.58.0"
    assert by_kind["Deployment"]["spec"]["replicas"] == 3
    assert pod["nodeSelector"] == {"a": "b", "c": "d"}
    assert (environment["SCALR_AGENT_DEBUG"], environment["SCALR_AGENT_LOG_FORMAT"], environment["A"]) == ("true", "plain", "1")
    assert by_kind["Secret"]["stringData"] == {"token": TOKEN}


def test_template_reads_values_from_stdin() -> None:
    done = cli(
        "template",
        "agent-job",
        "--agent-version=0.57.0",
        "-f",
        "-",
        stdin="agent: {token: x, url: 'https://acme.scalr.io'}\ntask: {job: {activeDeadlineSeconds: 60}}\n",
    )
    assert documents(done)[-1]["metadata"]["name"] == "scalr-agent-agent-job"
    assert done.stderr == ""


def test_template_exits_1_on_errors() -> None:
    done = cli("template", "agent-job", "--set", "agent.url=acme")
    assert (done.returncode, done.stdout) == (1, "")
    paths = ["agent.url", "agent.token", DEADLINE, "--agent-version"]
    assert [line.partition(": ")[2].partition(":")[0] for line in done.stderr.splitlines()] == paths


@pytest.mark.parametrize(
    ("chart", "default", "kubernetes"),
    [
        ("agent-job", "0.57.0 of December 2025", "1.35"),
        ("agent-local", "0.59.0 of January 2026", "1.33"),
        ("agent-k8s", "0.53.0 of August 2025", "1.29"),
    ],
)
def test_template_lists_the_supported_agent_versions(chart: str, default: str, kubernetes: str) -> None:
    old = f"not given: these are the values and objects of agents {default}; name the version"
    said = f"{old}. The newest that was compared with its chart is {NEWEST}, for Kubernetes {kubernetes} or newer"
    assert f"warning: --agent-version: {said}\n" in cli("template", chart).stderr
    assert "--agent-version" not in cli("template", chart, "--agent-version", "1.4.0").stderr


def test_template_names_the_file_of_a_finding(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("agent:\n  url: acme\n  replicaCount: two\n  debug: maybe\n  tolerations: [x]\n")
    (tmp_path / "two.yaml").write_text("agent: {replicaCount: three}\n")
    done = cli(
        "template", "agent-job", "-f", "one.yaml", "-f", "two.yaml", "--set=agent.debug=perhaps", "--set=task.joob=1", directory=tmp_path
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert {place for place, _, rest in (line.partition(": error: ") for line in done.stderr.splitlines()) if rest} == {
        "one.yaml:2:3",
        "one.yaml:5:17",
        "two.yaml:1:9",
    }
    assert "\nerror: agent.debug: " in done.stderr
    assert "\nerror: task.joob: " in done.stderr


@pytest.mark.parametrize("command", ["render", "check", "images"])
def test_invalid_yaml_is_a_finding(project: Path, command: str) -> None:
    stack(project, "config: [\n", "broken")
    done = cli(command, "broken", directory=project)
    assert done.returncode == 1
    assert "stacks/Pulumi.broken.yaml:2:1: error: did not find expected node content\n" in done.stdout + done.stderr


def test_check_reports_findings_about_files(project: Path) -> None:
    cached = (
        STACK.replace("namespace: scalr,", "namespace: scalr, cache: runs,") + "  scalr-agents:caches: {runs: {efs: {eksCluster: prod}}}\n"
    )
    stack(project, cached)
    done = cli("check", "dev", directory=project)
    assert "stacks/Pulumi.dev.yaml:5:32: warning: scalr-agents:caches.runs.efs: no AWS region is set" in done.stdout
    stack(project, f"{cached}  aws:region: eu-west-1\n")
    assert cli("check", "dev", directory=project).stdout == ""


@pytest.mark.parametrize("command", ["render", "check", "images"])
def test_a_stack_can_be_given_as_a_file(project: Path, tmp_path: Path, command: str) -> None:
    stack(project, STACK)
    by_name, by_file = cli(command, "dev", directory=project), cli(command, "stacks/Pulumi.dev.yaml", directory=project)
    assert (by_file.returncode, by_file.stdout) == (0, by_name.stdout)


def test_a_stack_file_needs_no_project(tmp_path: Path) -> None:
    (tmp_path / "any.yaml").write_text(STACK.replace("https", "http"))
    done = cli("check", tmp_path / "any.yaml")
    assert done.returncode == 0
    assert done.stdout.startswith(f"{tmp_path}/any.yaml:2:12: warning: scalr-agents:common.url: http://")
    (tmp_path / "values.yaml").write_text("agent: {}\n")
    refused = cli("check", "values.yaml", directory=tmp_path)
    assert (refused.returncode, refused.stdout.partition("; ")[0]) == (
        1,
        "values.yaml: error: not a stack file, because it has no `config`",
    )


def test_the_committed_schema_is_current() -> None:
    assert cli("schema").stdout == (REPOSITORY / "docs" / "stack.schema.json").read_text()


def test_a_closed_pipe_is_not_an_error() -> None:
    shell = f"{sys.executable} -m scalr_agents render 2>&1 | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout + done.stderr


def test_images_are_printed_one_a_line(project: Path) -> None:
    digest = f"sha256:{'0123456789abcdef' * 4}"
    stack(project, STACK.replace("values: {", f'values: {{agent: {{image: {{tag: "0.57.0@{digest}"}}}}, '))
    done = cli("images", "dev", directory=project)
    assert (done.returncode, done.stdout) == (0, f"scalr/agent-runner:0.57.0\nscalr/agent:0.57.0@{digest}\n")
    assert cli("images", "nothing", directory=project).returncode == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (STACK.replace('"https://acme.scalr.io"', "{secure: v1:xyz}"), "scalr-agents:common.url: not a secret; set it without --secret"),
        (
            STACK.replace("values: {", "values: {agent: {token: {secure: v1:xyz}}, "),
            "scalr-agents:agents.runs.values.agent.token: secrets belong under",
        ),
        (
            STACK.replace("values: {", "secretsFrom: {store: {name: s}, token: {secure: v1:xyz}}, values: {"),
            f"remove this and run: {SET} 'scalr-agents:secrets.runs.token'",
        ),
    ],
)
def test_an_encrypted_value_in_the_wrong_place_is_one_finding(project: Path, content: str, message: str) -> None:
    stack(project, content)
    (found,) = [line for line in cli("check", "dev", directory=project).stdout.splitlines() if " error: " in line]
    assert message in found


def test_render_accepts_placeholders(project: Path) -> None:
    stack(project, STACK.replace("v1:xyz", "..."))
    assert cli("render", "dev", directory=project).returncode == 0


def test_help_is_complete() -> None:
    assert "..." not in cli("--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize("command", ["render", "check", "doctor", "hosts", "alerts"])
def test_formats_have_the_same_options(command: str) -> None:
    assert "-o, --output [" in " ".join(cli(command, "--help").stdout.split())


@pytest.mark.parametrize("command", ["render", "images", "hosts", "graph", "alerts", "dashboard"])
def test_other_commands_only_count_warnings(project: Path, command: str) -> None:
    odd = STACK.replace("https", "http")
    stack(project, odd)
    said = cli(command, "dev", directory=project).stderr.splitlines()[0]
    assert said == "dev: 1 warning about the stack file; to print it, run: scalr-agents check dev"
    stack(project, odd, "my stack")
    said = cli(command, project / "stacks" / "Pulumi.my stack.yaml", "--project", project).stderr.splitlines()[0]
    assert said.endswith(f"; to print it, run: scalr-agents check '{project}/stacks/Pulumi.my stack.yaml' --project {project}")
    stack(project, STACK)
    assert "warning" not in cli(command, "dev", directory=project).stderr


def test_errors_are_printed_and_warnings_counted(project: Path) -> None:
    wrong = STACK.replace("agent-job", "agent-jop").replace("https", "http")
    stack(project, f"{wrong}  scalr-agents:kubernetes: {{context: ''}}\n  aws:region: eu-wst-1\n")
    checked = cli("check", "dev", directory=project).stdout.splitlines()
    done = cli("render", "dev", directory=project)
    error, counted = done.stderr.splitlines()
    assert [error] == [line for line in checked if ": error: " in line]
    assert (done.returncode, sum(": warning: " in line for line in checked)) == (1, 2)
    assert counted == "dev: 2 warnings about the stack file; to print them, run: scalr-agents check dev"
