"""`scalr-agents convert-values` as users run it, and what the other commands say about values of the alpha."""

from pathlib import Path

import pytest
import yaml

from tests.helpers.command_line import DEADLINE, STACK, TOKEN, cli, process, stack

OLD = f"""\
# of the alpha
global: {{imageRegistry: my-registry.com}}
agent: {{url: "https://acme.scalr.io", auth: {{token: {TOKEN}}}}}
controller: {{resources: {{requests: {{cpu: 200m}}}}, extraEnv: {{A: yes, B: 1.10}}}}
restrictMetadataService: true
"""
NEW = {
    "global": {"imageRegistry": "my-registry.com"},
    "agent": {
        "url": "https://acme.scalr.io",
        "token": TOKEN,
        "resources": {"requests": {"cpu": "200m"}},
        "controller": {"extraEnv": [{"name": "A", "value": "true"}, {"name": "B", "value": "1.1"}]},
    },
    "task": {"allowMetadataService": False},
}


def test_values_are_printed_in_the_current_shape(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(OLD)
    done = cli("convert-values", "-f", "old.yaml", directory=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert yaml.safe_load(done.stdout) == NEW
    assert (tmp_path / "old.yaml").read_text() == OLD


def test_unconvertible_values_exit_1() -> None:
    done = process("convert-values", "-f", "-", stdin=f"{OLD}efsVolumeHandle: fs-00000001\nfoo: {TOKEN}\ncontroller: {{tokn: {TOKEN}}}\n")
    assert done.returncode == 1
    assert [line.partition("; ")[0] for line in done.stderr.splitlines()] == [
        "stdin:6:1: error: efsVolumeHandle: has no successor: the alpha never mounted this file system",
        "stdin:8:14: error: controller.tokn: neither a value of the alpha nor of the present chart",
        "stdin:7:1: error: foo: unknown key 'foo'",
    ]
    assert yaml.safe_load(done.stdout)["foo"] == TOKEN
    assert yaml.safe_load(done.stdout)["controller"] == {"tokn": TOKEN}
    assert TOKEN not in done.stderr


def test_values_to_review_exit_0() -> None:
    done = cli("convert-values", "-f", "-", stdin="persistence: {enabled: true}\n")
    assert done.returncode == 0
    assert [line.rpartition(": ")[0].split(": ")[:2] for line in done.stderr.splitlines()] == [
        ["stdin:1:15", "warning"],
        ["stdin", "warning"],
    ]


@pytest.mark.parametrize(("text", "code"), [("# kept\nagent: {token: x}\n", 0), ("", 0), ("foo: 1 # kept\n", 1)])
def test_current_values_are_printed_unchanged(text: str, code: int) -> None:
    done = cli("convert-values", "-f", "-", stdin=text)
    assert (done.returncode, done.stdout) == (code, text)
    assert done.stderr.startswith("stdin: no value of the alpha; printed unchanged\n")


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ((), 2, "Missing option '-f'"),
        (("-f", "none.yaml"), 2, "none.yaml: No such file or directory"),
        (("-f", "broken.yaml"), 1, "broken.yaml:2:1: error: "),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, args: tuple[str, ...], code: int, words: str) -> None:
    (tmp_path / "broken.yaml").write_text("a: [\n")
    done = cli("convert-values", *args, directory=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr


def test_template_names_the_new_keys() -> None:
    done = cli("template", "agent-job", "--agent-version=0.57.0", "-f", "-", f"--set={DEADLINE}=60", stdin=OLD)
    assert (done.returncode, done.stdout) == (1, "")
    assert [line.partition(" instead")[0] for line in done.stderr.splitlines()] == [
        "stdin:5:1: error: restrictMetadataService: an alpha value; use task.allowMetadataService",
        "stdin:3:46: error: agent.auth.token: an alpha value; use agent.token",
        "stdin:4:14: error: controller.resources: an alpha value; use agent.resources",
        "stdin:4:50: error: controller.extraEnv: an alpha value; use agent.controller.extraEnv",
    ]


def test_check_locates_old_keys(project: Path) -> None:
    old = "valuesFiles: [old.yaml], values: {imagePullSecrets: [], agent: {tokenExistingSecret: pool}, "
    (project / "stacks" / "old.yaml").write_text("controller: {nodeSelector: {a: b}}\nimagePullSecrets: []\n")
    stack(project, STACK.replace("values: {", old))
    done = cli("check", "dev", directory=project)
    place = "scalr-agents:agents.runs.values"
    assert done.returncode == 1
    assert sorted(line.partition(" instead")[0] for line in done.stdout.splitlines() if ": error: " in line) == [
        f"stacks/Pulumi.dev.yaml:3:101: error: {place}.imagePullSecrets: an alpha value; use global.imagePullSecrets",
        f"stacks/Pulumi.dev.yaml:3:131: error: {place}.agent.tokenExistingSecret: an alpha value; use agent.tokenExistingSecret.name",
        "stacks/old.yaml:1:14: error: controller.nodeSelector: an alpha value; use agent.nodeSelector",
        "stacks/old.yaml:2:1: error: imagePullSecrets: an alpha value; use global.imagePullSecrets",
    ]
