"""Kubeconfigs that lead to no cluster: each is told in one sentence, without what is in it."""

from pathlib import Path

import pytest

from tests.helpers.command_line import STACK, cli, stack
from tests.helpers.kubeconfigs import kubeconfig, program


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


def test_a_program_for_credentials_that_fails_is_one_sentence(project: Path) -> None:
    """What it prints may be a token."""
    file = kubeconfig(project / "kubeconfig", program("echo hidden; echo hidden >&2; exit 1"))
    stack(project, f"{STACK}  scalr-agents:kubernetes: {{kubeconfig: {file}, context: a}}\n")
    done = cli("doctor", "dev", "--allow-exec", directory=project)
    message = "the cluster of context 'a': the program that gets the credential failed; run kubectl with this context to see why"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (1, "", f"error: {message}")
    assert "hidden" not in done.stderr
