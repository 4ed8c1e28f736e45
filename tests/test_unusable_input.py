"""What a command line is given, and cannot use: empty paths, a stream that is read twice, a disk that is full."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY, cli, process

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


def test_values_from_stdin_that_are_named_twice_are_read_once() -> None:
    done = process("template", "agent-job", "-f", "-", "-f", "-", stdin=TOKEN)  # a pipe: a file could be read again
    assert (done.returncode, "kind: Deployment" in done.stdout) == (0, True)


def test_a_values_file_that_is_named_twice_overrides_what_is_between(tmp_path: Path) -> None:
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


def test_the_image_of_a_probe_without_a_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert "--image has no effect without --probe\n" in cli("doctor", "local", "--image", "busybox").stderr
    assert "--image" not in cli("doctor", "local").stderr


def in_shell(command: str, directory: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    shell = command.replace("scalr-agents", f"{sys.executable} -m scalr_agents")
    return subprocess.run(["bash", "-c", shell], cwd=directory, capture_output=True, text=True, check=False)


def test_a_full_disk() -> None:
    done = in_shell("scalr-agents schema > /dev/full")
    assert (done.returncode, done.stderr) == (1, "scalr-agents: cannot write the output: No space left on device\n")


def test_a_current_directory_that_was_removed(tmp_path: Path) -> None:
    done = in_shell("mkdir gone && cd gone && rmdir ../gone && scalr-agents check", tmp_path)
    assert (done.returncode, done.stderr) == (1, "scalr-agents: the current directory no longer exists; change to another one\n")


def test_a_closed_stderr_does_not_end_a_command() -> None:
    done = in_shell("scalr-agents images local 2>&-")
    assert (done.returncode, done.stdout != "") == (0, True)
