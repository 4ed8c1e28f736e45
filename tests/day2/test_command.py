"""The commands `status` and `logs`: what they print and end with. The cluster is described here; tests/cluster has a real one."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scalr_agents.cluster import kubeconfig
from scalr_agents.cluster.answers import Hidden
from scalr_agents.cluster.api import ClusterError, Query
from scalr_agents.day2 import status
from scalr_agents.day2.status import Claim, Failure, Pods, Run, Status

from tests.helpers.answers_of_cluster import Described, deployed, event, job, pod
from tests.helpers.command_line import STACK, cli, stack
from tests.helpers.samples import load

OF_RUNS = {"app.kubernetes.io/name": "agent-job", "app.kubernetes.io/instance": "runs", "app.kubernetes.io/component": "task"}


class Watched(Described):
    """With the logs of all containers, and somebody who presses Ctrl-C."""

    def __init__(self) -> None:
        super().__init__({})
        self.log = ["Plan: 1 to add"]
        self.interrupt_after = -1
        """How often it is read before that."""

    def reach(self) -> str:
        if not self.interrupt_after:
            raise KeyboardInterrupt
        self.interrupt_after -= 1
        return super().reach()

    def lines(self, path: str, query: Query = ()) -> Any:
        return iter(self.log)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, project: Path) -> Watched:
    """A cluster with the stack `dev` as its file says."""
    stack(project, STACK)
    described = Watched()
    words = {"kind": "agent-job", "namespace": "scalr", "agentVersion": "0.57.0"}
    [agent] = load({"common": {"url": "https://acme.scalr.io"}, "agents": {"runs": words}}).agents
    described.objects |= deployed(agent)
    monkeypatch.setattr(kubeconfig, "connect", lambda file, context, untrusted: described)
    return described


def test_an_agent_that_is_ready(cluster: Watched, project: Path) -> None:
    done = cli("status", "dev", directory=project)
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        ["AGENT  KIND       VERSION  PODS            RUNS", "runs   agent-job  0.57.0   controller 1/1  0"],
    )


def test_an_agent_that_is_not_ready_exits_with_1(cluster: Watched, project: Path) -> None:
    cluster.objects = {}
    done = cli("status", "dev", directory=project)
    assert done.returncode == 1
    assert "runs: controller not ready: Deployment runs-agent-job does not exist" in done.stdout.splitlines()


def test_runs_and_what_they_wait_for(cluster: Watched, project: Path) -> None:
    told = "exceeded quota: team\nlimited: \x1b[2J"
    cluster.objects |= {"jobs": [job("plan", labels=OF_RUNS)], "events": [event("plan", "FailedCreate", told, "Job")]}
    done = cli("status", "dev", directory=project)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("runs: run plan: pending for ")]
    assert line.endswith("FailedCreate: exceeded quota: team\\nlimited: \\x1b[2J")
    assert done.returncode == 0


def test_what_may_not_be_seen_is_a_note(cluster: Watched, project: Path) -> None:
    cluster.objects["jobs"] = Hidden("your credential lacks the permission")
    done = cli("status", "dev", directory=project)
    assert done.stdout.splitlines()[-1] == "note: jobs.batch in namespace scalr: cannot be seen: your credential lacks the permission"
    assert done.returncode == 0


def test_json_has_these_keys(cluster: Watched, project: Path) -> None:
    cluster.objects |= {"jobs": [job("plan", labels=OF_RUNS)]}
    printed = json.loads(cli("status", "dev", "-o", "json", directory=project).stdout)
    [agent] = printed["agents"]
    assert list(printed) == ["agents", "notes"]
    assert set(agent) == {
        *("name", "kind", "namespace", "version", "pods", "runs", "failures", "claims", "differences", "ready"),
    }
    assert agent["pods"] == [{"what": "controller", "ready": 1, "desired": 1, "reason": "", "needed": True}]
    assert [set(run) for run in agent["runs"]] == [{"name", "phase", "seconds", "reason"}]


def test_watching_prints_it_again_until_an_interrupt(cluster: Watched, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    cluster.interrupt_after = 2
    done = cli("status", "dev", "--watch", directory=project)
    assert (done.returncode, done.stdout.count("AGENT  KIND")) == (130, 2)
    assert pauses == [5, 5]


def test_text_says_everything_about_an_agent() -> None:
    one = Status(
        name="runs",
        kind="agent-job",
        namespace="scalr",
        version={"cluster": None, "stack": "1.4.0"},
        pods=[Pods(what="placeholder", ready=0, desired=2, reason="", needed=False)],
        runs=[Run(name="a", phase="running", seconds=90061, reason=""), Run(name="b", phase="pending", seconds=3600, reason="why")],
        failures=[Failure(name="c", reason="OOMKilled in runner", seconds=0)],
        claims=[Claim(name="d", phase="Bound", size="40Gi", used=2**30, capacity=4 * 2**30)],
        differences=["version"],
    )
    assert one.ready
    assert status.as_text([one], ["nodes"]) == [
        "AGENT  KIND       VERSION  PODS             RUNS",
        "runs   agent-job  -        placeholder 0/2  1 running, 1 pending",
        "runs: placeholder not ready: no reason known",
        "runs: run a: running for 1d1h",
        "runs: run b: pending for 1h: why",
        "runs: failed 0s ago: c: OOMKilled in runner",
        "runs: claim d: Bound, 40Gi, 1.0 of 4.0 GiB used (25%)",
        "runs: differs: version",
        "note: nodes",
    ]


def test_logs_of_a_run(cluster: Watched, project: Path) -> None:
    cluster.objects |= {"pods": [pod("plan-x", OF_RUNS, job="plan")]}
    done = cli("logs", "runs", "--run", "plan", "-s", "dev", directory=project)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["plan-x/runner: Plan: 1 to add", "plan-x/worker: Plan: 1 to add"])


def test_logs_of_a_run_that_is_gone(cluster: Watched, project: Path) -> None:
    done = cli("logs", "runs", "--run", "gone", "-s", "dev", directory=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("error: no pod of run gone is there")


def test_logs_of_an_agent_that_the_stack_does_not_have(cluster: Watched, project: Path) -> None:
    done = cli("logs", "rums", "-s", "dev", directory=project)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "Error: Invalid value for AGENT: no agent 'rums'; did you mean 'runs'?")


COMMANDS = [("doctor", "dev"), ("status", "dev"), ("impact", "dev"), ("logs", "runs", "-s", "dev")]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_cluster_that_cannot_be_asked(words: Sequence[str], cluster: Watched, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: str, context: str, untrusted: Sequence[Path]) -> Watched:
        raise ClusterError("the cluster is away")

    monkeypatch.setattr(kubeconfig, "connect", refuse)
    done = cli(*words, directory=project)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (1, "", "error: the cluster is away")


@pytest.mark.parametrize("words", COMMANDS)
def test_programs_of_the_projects_kubeconfig_do_not_run(
    words: Sequence[str], cluster: Watched, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def opened(file: str, context: str, untrusted: Sequence[Path]) -> Watched:
        asked.append(list(untrusted))
        raise ClusterError("enough")

    monkeypatch.setattr(kubeconfig, "connect", opened)
    cli(*words, directory=project)
    cli(*words, "--allow-exec", directory=project)
    refused, allowed = asked
    assert (bool(refused), allowed) == (True, [])
