"""The command: what it prints and ends with. The cluster is described here; tests/cluster has a real one."""

import json
import sys
import tomllib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from scalr_agents.cluster import kubeconfig as kubeconfigs
from scalr_agents.cluster.answers import Answer, Hidden
from scalr_agents.doctor import error, facts, probing
from scalr_agents.doctor.needs import Needs
from scalr_agents.model.findings import Finding

from tests.doctor.clusters import ready, release
from tests.helpers.command_line import REPOSITORY, STACK, cli, stack


class Described:
    """In place of the API: what doctor would read is described, and what it submits is accepted."""

    def dry_run(self, path: str, manifest: dict[str, Any], manager: str = "") -> Answer:
        return Answer(status=200)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, project: Path) -> dict[str, Any]:
    """The facts in which a cluster differs from one that is ready for the stack `dev`."""
    stack(project, STACK)
    described: dict[str, Any] = {}
    monkeypatch.setattr(kubeconfigs, "connect", lambda file, context, untrusted: Described())
    monkeypatch.setattr(facts, "read", lambda api, needs, accesses: ready(needs, **described))
    return described


RELEASE = {"releases": {"scalr": [release("runs")]}}


@pytest.mark.parametrize(
    ("words", "status", "severities", "counted"),
    [
        ({}, 0, ["note", "note"], "0 errors, 0 warnings"),
        ({**RELEASE, "namespaces": {"scalr": Hidden("why")}}, 0, ["warning", "note", "note", "note"], "0 errors, 1 warning"),
        ({**RELEASE, "version": "v1.32.0"}, 1, ["error", "warning", "note", "note"], "1 error, 1 warning"),
    ],
)
def test_errors_come_first_and_exit_with_1(
    words: dict[str, Any], status: int, severities: list[str], counted: str, cluster: dict[str, Any], project: Path
) -> None:
    cluster |= words
    done = cli("doctor", "dev", directory=project)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (status, f"cluster of dev: {counted}")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == severities


def test_json_has_every_finding(cluster: dict[str, Any], project: Path) -> None:
    cluster["namespaces"] = {"scalr": None}
    printed = json.loads(cli("doctor", "dev", "-o", "json", directory=project).stdout)
    assert {key: printed[key] for key in ("errors", "warnings", "notes")} == {"errors": 1, "warnings": 0, "notes": 3}
    assert printed["findings"][0] == {
        "severity": "error",
        "subject": "namespace scalr",
        "problem": "does not exist, and this stack does not create it",
        "advice": "Create it, or set create: true for it",
    }
    assert [finding["advice"] for finding in printed["findings"]][1] is None


def test_probes_run_only_when_asked_for(cluster: dict[str, Any], project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(api: Any, needs: Needs, image: str, seconds: int) -> list[Finding]:
        asked.append((image, seconds))
        return [error("probe of agent runs", "failed", "")]

    monkeypatch.setattr(probing, "run", run)
    assert cli("doctor", "dev", directory=project).returncode == 0
    assert asked == []
    done = cli("doctor", "dev", "--probe", "--image", "curl:1", "--timeout", "60", directory=project)
    assert (done.returncode, asked) == (1, [("curl:1", 60)])
    assert done.stdout.splitlines()[0] == "error: probe of agent runs: failed"


def test_a_stack_with_errors_is_not_compared(cluster: dict[str, Any], project: Path) -> None:
    stack(project, STACK.replace("agent-job", "agent-jop"))
    done = cli("doctor", "dev", directory=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert "given 'agent-jop'" in done.stderr


def test_machines_need_no_cluster() -> None:
    done = cli("doctor", "aws-machines", directory=REPOSITORY)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[-1] == "aws-machines: nothing on Kubernetes, so there is nothing to check"


def test_without_the_client_it_says_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stack(project, STACK)
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    done = cli("doctor", "dev", directory=project)
    project_file = (REPOSITORY / "components" / "pyproject.toml").read_text()
    (needed,) = tomllib.loads(project_file)["project"]["optional-dependencies"]["live"]
    advice = f"run: {sys.executable} -m pip install '{needed}'"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"error: this command needs the Python package kubernetes: {advice}"


def test_a_warning_about_the_stack_file_is_counted_as_one(cluster: dict[str, Any], project: Path) -> None:
    stack(project, STACK.replace("https", "http"))
    messages = [
        "dev: 1 warning about the stack file; to print it, run: scalr-agents check dev",
        "cluster of dev: 0 errors, 0 warnings",
    ]
    assert cli("doctor", "dev", directory=project).stderr.splitlines() == messages
