"""Kubeconfigs that lead to no cluster: each is told in one sentence, without what is in it. Programs of the project do not run."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import STACK, Done, cli, stack
from tests.helpers.kubeconfigs import kubeconfig, program


@pytest.fixture
def places(project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A checkout with the project below it, and the user's own directory, which the environment names nothing of."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    checkout = tmp_path_factory.mktemp("checkout")
    (checkout / ".git").mkdir()
    shutil.copytree(project, checkout / "infra")
    return checkout, home


def run(checkout: Path, named: str, *options: str) -> Done:
    stack(checkout / "infra", STACK + (f"  scalr-agents:kubernetes: {{kubeconfig: {named!r}}}\n" if named else ""))
    return cli("doctor", "dev", *options, directory=checkout / "infra")


def refusal(file: str, command: str) -> str:
    return (
        f"error: kubeconfig {file} is in the project, and its user 'a' runs the program '{command}' to get a credential; "
        "use a kubeconfig outside of the project. If you trust everybody who may change the project, use --allow-exec"
    )


WAYS = {
    "absolute": "CHECKOUT/infra/kube",
    "relative": "kube",
    "beside the project": "../kube",
    "detour": "HOME/../NAME/kube",
    "link from outside": "HOME/link",
    "list": "HOME/none:CHECKOUT/kube",
    "home": "~/link",
    "default": "",
}


@pytest.mark.parametrize("by_environment", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_program_of_the_project_does_not_run(
    way: str, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, *, by_environment: bool
) -> None:
    checkout, home = places
    ran = home / "ran"
    named = WAYS[way].replace("CHECKOUT", str(checkout)).replace("HOME", str(home)).replace("NAME", checkout.name)
    for directory in (checkout, checkout / "infra"):
        kubeconfig(directory / "kube", program(f"touch {ran}; exit 1"))
    (home / ".kube").mkdir()
    for link in (home / "link", home / ".kube" / "config"):
        link.symlink_to(checkout / "kube")
    if by_environment:
        monkeypatch.setenv("KUBECONFIG", named)
    done = run(checkout, "" if by_environment else named)
    shown = named.rpartition(":")[2].replace("~", str(home)) or f"{home}/.kube/config"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (1, "", refusal(shown, "sh"))
    assert not ran.exists()
    run(checkout, "" if by_environment else named, "--allow-exec")
    assert ran.exists()


def test_a_program_of_the_old_kind(places: tuple[Path, Path]) -> None:
    """`auth-provider`, which runs the command with the arguments in it."""
    checkout, home = places
    tool = home / "tool"
    tool.write_text(f"#!/bin/sh\ntouch {home}/ran\nexit 1\n")
    tool.chmod(0o755)
    config = {"cmd-path": f"{tool} --token hidden", "expiry": "2001-01-01T00:00:00Z"}
    kubeconfig(checkout / "kube", {"auth-provider": {"name": "gcp", "config": config}})
    done = run(checkout, "../kube")
    assert done.stderr.splitlines()[-1] == refusal("../kube", str(tool))
    assert "hidden" not in done.stderr
    assert not (home / "ran").exists()
    run(checkout, "../kube", "--allow-exec")
    assert (home / "ran").exists()


def test_a_program_of_a_user_that_the_context_of_another_kubeconfig_names(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kubeconfigs are merged: the first one that has a user counts."""
    checkout, home = places
    kubeconfig(checkout / "kube", program(f"touch {home}/ran; exit 1"))
    own = kubeconfig(home / "own", {"token": "s3cr3t"})
    monkeypatch.setenv("KUBECONFIG", f"{own}:{checkout / 'kube'}")
    assert run(checkout, "").stderr.splitlines()[-1] == refusal(str(checkout / "kube"), "sh")
    assert not (home / "ran").exists()


@pytest.mark.parametrize("way", ["stack file", "environment", "default", "link in the project"])
def test_the_users_own_programs_run(way: str, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, home = places
    (home / ".kube").mkdir()
    own = kubeconfig(home / ".kube" / ("config" if way == "default" else "own"), program(f"touch {home}/ran; exit 1"))
    (checkout / "link").symlink_to(own)
    if way == "environment":
        monkeypatch.setenv("KUBECONFIG", str(own))
    run(checkout, {"stack file": "~/.kube/own", "link in the project": "../link"}.get(way, ""))
    assert (home / "ran").exists()


def test_a_stack_file_outside_of_its_project(places: tuple[Path, Path]) -> None:
    """Both are where the settings come from."""
    checkout, home = places
    for directory in (checkout, home):
        file = kubeconfig(directory / "kube", program(f"touch {home}/ran; exit 1"))
        (home / "any.yaml").write_text(f"{STACK}  scalr-agents:kubernetes: {{kubeconfig: {file}}}\n")
        done = cli("doctor", str(home / "any.yaml"), "--project", str(checkout / "infra"), directory=home)
        assert done.stderr.splitlines()[-1] == refusal(str(file), "sh")
    assert not (home / "ran").exists()


@pytest.mark.parametrize("users", [None, {}, ["a"], [{"name": "a"}], [{"name": "a", "user": None}], [{"user": {"token": "x"}}]])
def test_kubeconfigs_without_programs(users: Any, places: tuple[Path, Path]) -> None:
    checkout, _ = places
    file = kubeconfig(checkout / "kube", {})
    file.write_text(json.dumps(json.loads(file.read_text()) | {"users": users}))
    assert "is in the project" not in run(checkout, "../kube").stderr


@pytest.mark.parametrize("named", ["../kube", "../../beside/kube"])
def test_a_relative_path_of_the_stack_file_is_of_the_project(named: str, project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Also where nothing says that it is a checkout, as in an archive or in the layer of an image."""
    above = tmp_path_factory.mktemp("above")
    checkout, ran = above / "archive", above / "ran"
    shutil.copytree(project, checkout / "infra")
    for directory in (checkout, above / "beside"):
        directory.mkdir(exist_ok=True)
        kubeconfig(directory / "kube", program(f"touch {ran}; exit 1"))
    done = run(checkout, named)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, refusal(named, "sh"))
    assert not ran.exists()
    run(checkout, named, "--allow-exec")
    assert ran.exists()


def test_a_kubeconfig_that_is_no_file_is_not_read(places: tuple[Path, Path]) -> None:
    """A pipe would keep doctor waiting for ever."""
    checkout, _ = places
    os.mkfifo(checkout / "kube")
    done = run(checkout, "../kube")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "error: kubeconfig ../kube is not a regular file")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "does not exist or is empty; set kubernetes.kubeconfig in the stack file, or KUBECONFIG"),
        ("{token: hidden", "is not valid YAML; correct it"),
        ("token: hidden", "is not valid, or sets no current context; set kubernetes.context in the stack file"),
        (
            '{"current-context": "", "contexts": [], "clusters": [], "users": [{"name": "a", "user": {"token": "hidden"}}]}',
            "is not valid, or sets no current context; set kubernetes.context in the stack file",
        ),
    ],
)
def test_a_kubeconfig_that_is_of_no_use_is_one_sentence(content: str | None, message: str, project: Path) -> None:
    file = project / "kubeconfig"
    if content is not None:
        file.write_text(content)
    stack(project, f"{STACK}  scalr-agents:kubernetes: {{kubeconfig: {file}}}\n")
    done = cli("doctor", "dev", directory=project)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (1, "", f"error: kubeconfig {file} {message}")
    assert "hidden" not in done.stderr


def test_a_context_that_is_not_there_is_one_sentence(project: Path) -> None:
    file = kubeconfig(project / "kubeconfig", {"token": "hidden"})
    stack(project, f"{STACK}  scalr-agents:kubernetes: {{kubeconfig: {file}, context: production}}\n")
    done = cli("doctor", "dev", directory=project)
    message = "has no context 'production'; correct kubernetes.context in the stack file, or see kubectl config get-contexts"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (1, "", f"error: kubeconfig {file} {message}")


def test_a_program_for_credentials_that_fails_is_one_sentence(project: Path) -> None:
    """What it prints may be a token."""
    file = kubeconfig(project / "kubeconfig", program("echo hidden; echo hidden >&2; exit 1"))
    stack(project, f"{STACK}  scalr-agents:kubernetes: {{kubeconfig: {file}, context: a}}\n")
    done = cli("doctor", "dev", "--allow-exec", directory=project)
    message = "the cluster of context 'a': the program that gets the credential failed; run kubectl with this context to see why"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (1, "", f"error: {message}")
    assert "hidden" not in done.stderr
