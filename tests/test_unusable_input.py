"""Unusable input of commands: empty paths, a stream that is read twice, a full disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.command_line import REPOSITORY, cli, process

TOKEN = "agent: {token: t}\n"


@pytest.mark.parametrize(
    "words",
    [
        ("render", "-d"),
        ("check", "--project"),
        ("template", "agent-job", "-f"),
        ("convert-values", "-f"),
        ("adopt", "runs", "-n", "scalr", "-f"),
        ("adopt", "runs", "-n", "scalr", "--manifest"),
        ("adopt", "runs", "-n", "scalr", "--metadata"),
        ("adopt", "runs", "-n", "scalr", "--write"),
    ],
)
def test_an_empty_path_is_not_the_current_directory(words: tuple[str, ...], tmp_path: Path) -> None:
    done = cli(*words, "", directory=tmp_path, stdin=TOKEN)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert done.stderr.splitlines()[-1].endswith(": empty; give a path")


def test_stdin_is_read_once() -> None:
    done = process("template", "agent-job", "-f", "-", "-f", "-", stdin=TOKEN)  # a pipe: a file could be read again
    assert (done.returncode, "kind: Deployment" in done.stdout) == (0, True)


def test_a_repeated_values_file_overrides_earlier_ones(tmp_path: Path) -> None:
    for name, count in (("one", 1), ("two", 2)):
        (tmp_path / name).write_text(f"agent: {{token: t, replicaCount: {count}}}\n")
    files = [word for name in ("two", "one", "two") for word in ("-f", name)]
    done = cli("template", "agent-job", *files, directory=tmp_path)
    assert "\n  replicas: 2\n" in done.stdout


@pytest.mark.parametrize("options", [("--manifest", "-"), ("--metadata", "-"), ("-f", "values.yaml", "--manifest", "-", "--metadata", "-")])
def test_two_documents_cannot_come_from_stdin(options: tuple[str, ...]) -> None:
    done = cli("adopt", "runs", "-n", "scalr", *options, stdin=TOKEN)
    assert done.returncode == 2
    assert "stdin has one content: give only one of --values (default: stdin), --manifest and --metadata as -" in done.stderr


def test_image_requires_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert "--image has no effect without --probe\n" in cli("doctor", "local", "--image", "busybox").stderr
    assert "--image" not in cli("doctor", "local").stderr


def test_the_probe_image_must_be_a_reference() -> None:
    done = cli("doctor", "local", "--probe", "--image", "--privileged")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "Error: Invalid value for --image: not the reference of an image, for instance scalr/agent:1.4.0",
    )


STACK = (
    "config:\n  scalr-agents:common: {{url: https://acme.scalr.io{ca}}}\n  scalr-agents:agents:\n    runs: {{kind: agent-job, {files}}}\n"
)
STACK += "  scalr-agents:secrets:\n    runs: {{token: {{secure: v1:abc:def}}}}\n"


@pytest.mark.parametrize(
    ("named", "reason"), [("/dev/zero", "not a regular file"), ("pipe", "not a regular file"), ("large", "larger than 4 MiB")]
)
@pytest.mark.parametrize(
    ("ca", "files", "place"),
    [
        (", ca: {{file: {0}}}", "namespace: scalr", "2:58: error: scalr-agents:common.ca.file: "),
        ("", "namespace: scalr, valuesFiles: [{0}]", "4:61: error: scalr-agents:agents.runs.valuesFiles[0]: "),
    ],
    ids=["ca.file", "valuesFiles"],
)
def test_referenced_files_are_regular_and_of_limited_size(ca: str, files: str, place: str, named: str, reason: str, tmp_path: Path) -> None:
    """A pipe without a writer would block, and a device has no end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_text("# " + "x" * 4 * 2**20)
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK.format(ca=ca.format(named), files=files.format(named)))
    done = cli("check", "./Pulumi.dev.yaml", directory=tmp_path)
    assert (done.returncode, f"Pulumi.dev.yaml:{place}{tmp_path / named}: {reason}") == (1, done.stdout.splitlines()[0])


def test_links_to_regular_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("agent: {debug: '1'}\n")
    (tmp_path / "link").symlink_to("values.yaml")
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK.format(ca="", files="namespace: scalr, valuesFiles: [link]"))
    assert cli("check", "./Pulumi.dev.yaml", directory=tmp_path).returncode == 0


def test_a_stack_file_must_be_regular(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    done = cli("check", "./pipe.yaml", directory=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"Error: {tmp_path / 'pipe.yaml'}: not a regular file")


@pytest.mark.parametrize("words", [("template", "agent-job", "-f"), ("convert-values", "-f"), ("adopt", "runs", "-n", "scalr", "-f")])
def test_an_endless_device_is_not_read(words: tuple[str, ...]) -> None:
    done = cli(*words, "/dev/zero")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "Error: /dev/zero: larger than 4 MiB")


def test_process_substitution_is_a_values_file() -> None:
    done = in_shell("scalr-agents template agent-job -f <(echo 'agent: {token: t, replicaCount: 7}')")
    assert (done.returncode, "\n  replicas: 7\n" in done.stdout) == (0, True)


def in_shell(command: str, directory: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    shell = command.replace("scalr-agents", f"{sys.executable} -m scalr_agents")
    return subprocess.run(["bash", "-c", shell], cwd=directory, capture_output=True, text=True, check=False)


def test_a_full_disk_is_reported() -> None:
    done = in_shell("scalr-agents schema > /dev/full")
    assert (done.returncode, done.stderr) == (1, "scalr-agents: cannot write the output: No space left on device\n")


def test_a_removed_current_directory_is_reported(tmp_path: Path) -> None:
    done = in_shell("mkdir gone && cd gone && rmdir ../gone && scalr-agents check", tmp_path)
    assert (done.returncode, done.stderr) == (1, "scalr-agents: the current directory no longer exists; change to another one\n")


def test_a_closed_stderr_does_not_end_a_command() -> None:
    done = in_shell("scalr-agents images local 2>&-")
    assert (done.returncode, done.stdout != "") == (0, True)
