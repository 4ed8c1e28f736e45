"""Doctor with limited permissions and without a cluster, and its probe in pods whose containers do not run."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import accounts, definitions
from tests.cluster.client import Client, Manifest, wait
from tests.cluster.control_plane import ControlPlane
from tests.cluster.doctor import NODE, Doctor, kubeconfig, lines

_SECONDS = 90
_INTERRUPTIBLE = """
import signal
from scalr_agents.__main__ import run
signal.signal(signal.SIGINT, signal.default_int_handler)
run()
"""
"""The command as at a terminal. A shell that starts the tests in the background has its children ignore Ctrl-C."""

pytestmark = pytest.mark.usefixtures("nodes_of_doctor")


@pytest.fixture
def account(control_plane: ControlPlane, cluster: Client, namespace: str, tmp_path: Path) -> Path:
    """The kubeconfig of an account without any rights."""
    return kubeconfig(control_plane, tmp_path, accounts.team(cluster, namespace))


def _rule(group: str, resource: str, *verbs: str) -> Manifest:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


_OWNED, _SEEN = ("create", "get", "list", "watch", "patch", "delete"), ("get", "list", "watch")
_TEAM = [
    *(_rule("", each, *_OWNED) for each in ("serviceaccounts", "secrets", "persistentvolumeclaims")),
    _rule("apps", "deployments", *_OWNED),
    _rule("policy", "poddisruptionbudgets", *_OWNED),
    _rule("networking.k8s.io", "networkpolicies", *_OWNED),
    *(_rule(accounts.RBAC, each, *_OWNED) for each in ("roles", "rolebindings")),
    _rule("scalr.io", "atasks", *_OWNED),
    _rule("apps", "replicasets", *_SEEN),
    _rule("", "pods", *_SEEN),
]
"""The permissions that docs/operations.md lists for a team in its namespace with an agent-job."""
_NO_CLUSTER_ROLE: dict[str, Any] = {"values": {"rbac": {"clusterRules": []}}}


def test_a_credential_without_rights_gets_findings_and_notes(doctor: Doctor, account: Path, namespace: str) -> None:
    done = doctor(namespace, kubeconfig=account)
    of_cluster, own, granted, granted_in_cluster, *undeleted = lines(done)
    assert of_cluster.startswith("error: permissions in the cluster: pulumi up would fail: you may not create, get, list, watch, patch ")
    assert own.startswith(
        f"error: permissions in namespace {namespace}: pulumi up would fail: you may not create, get, list, watch, patch "
    )
    assert "get, list, watch atasks.scalr.io" in granted_in_cluster
    assert "pods/exec" in granted
    assert [line.partition("you may")[2].split()[:2] for line in undeleted] == [["not", "delete"], ["not", "delete"]]
    cannot = [line.split(": ")[1] for line in done.stdout.splitlines() if line.startswith("note: ") and "cannot see" in line]
    [unjudged] = [line for line in done.stdout.splitlines() if line.startswith("note: dry run: ")]
    assert ": you may not create them: docs/doctor.md#what-it-cannot-see" in unjudged
    assert {"nodes", f"namespace {namespace}", "definition atasks.scalr.io", f"Helm releases in namespace {namespace}"} <= set(cannot)
    assert done.returncode == 1
    token = json.loads(account.read_text())["users"][0]["user"]["token"]
    assert token not in done.stdout + done.stderr


def test_a_team_that_may_deploy_is_told_so(
    doctor: Doctor, control_plane: ControlPlane, cluster: Client, namespace: str, tmp_path: Path
) -> None:
    definitions.install_all(cluster)
    agents_own = [
        *(_rule("", each, *_OWNED, "deletecollection", "update") for each in ("pods", "pods/log", "pods/exec", "pods/status")),
        *(_rule("batch", each, *_OWNED, "deletecollection", "update") for each in ("jobs", "jobs/status")),
    ]
    own = kubeconfig(control_plane, tmp_path, accounts.team(cluster, namespace, [*_TEAM, *agents_own]))
    stack: dict[str, Any] = {"agent": _NO_CLUSTER_ROLE, "config": {"kubernetes": {"crds": "expect"}}, "kubeconfig": own}
    wait(lambda: lines(doctor(namespace, **stack)) == [], "a stack that the team may deploy")
    assert "note: dry run: " not in doctor(namespace, **stack).stdout  # also the template of runs, whose definition it may not see
    cluster.patch("Role", "team", namespace, {"rules": [*_TEAM[1:], *agents_own]})
    expected = (
        f"error: permissions in namespace {namespace}: pulumi up would fail: you may not create, get, list, watch, patch serviceaccounts"
    )
    wait(
        lambda: [line.partition(". ")[0] for line in lines(doctor(namespace, **stack))][:1] == [expected],
        "the missing permission",
    )


@pytest.mark.parametrize(
    ("changes", "token", "message"),
    [
        ({}, "hidden-token", "does not accept the credential of the kubeconfig; log in again, or correct the kubeconfig"),
        (
            {"certificate-authority": "/etc/ssl/certs/ca-certificates.crt"},
            None,
            "cannot be reached: its certificate is not trusted; check certificate-authority in the kubeconfig",
        ),
    ],
    ids=["no user", "no trust"],
)
def test_a_cluster_that_cannot_be_asked_is_one_sentence(
    changes: dict[str, str], token: str | None, message: str, doctor: Doctor, control_plane: ControlPlane, tmp_path: Path
) -> None:
    file = kubeconfig(control_plane, tmp_path, token or control_plane.tokens["admin"], **changes)
    done = doctor("anywhere", kubeconfig=file)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"error: the cluster of context 'tests' {message}"
    assert "Traceback" not in done.stderr
    assert "hidden" not in done.stderr


def _probes(cluster: Client, namespace: str) -> list[Manifest]:
    return cluster.list("Job", namespace, {"app.kubernetes.io/managed-by": "scalr-agents-doctor"})


def _deployed(cluster: Client, namespace: str) -> None:
    """What the pods of a run need of a deployed agent."""
    cluster.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runs-agent-job", "namespace": namespace}})


def test_a_probe_that_does_not_end_is_ended_and_removed(doctor: Doctor, cluster: Client, namespace: str) -> None:
    """No container runs here, so that no probe ever ends by itself."""
    _deployed(cluster, namespace)
    done = doctor(namespace, "--probe", "--timeout", "10", config={"kubernetes": {"upsertExisting": True}})
    assert [line.partition(". ")[0] for line in lines(done)] == [
        "error: probe of agent runs, container runner: did not finish",
        "error: probe of agent runs, container worker: did not finish",
    ]
    assert f"note: probe of agent runs: ran on node {NODE}" in done.stdout
    assert _probes(cluster, namespace) == []
    wait(lambda: cluster.list("Pod", namespace) == [], "the end of the probe's pod")


def test_a_probe_whose_pod_is_refused_says_why(doctor: Doctor, cluster: Client, namespace: str) -> None:
    done = doctor(namespace, "--probe", "--timeout", "3")
    [refused] = lines(done)
    assert refused.startswith("error: probe of agent runs: its pod was not created: ")
    assert "error looking up service account" in refused
    assert _probes(cluster, namespace) == []


def test_a_probe_takes_permissions(doctor: Doctor, account: Path, namespace: str) -> None:
    done = doctor(namespace, "--probe", kubeconfig=account)
    missing = "the probe needs what you may not do: create, get, delete jobs.batch; list pods; get pods/log"
    assert f"error: permissions in namespace {namespace}: {missing}. " in done.stdout


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_an_interrupted_probe_is_removed(sent: signal.Signals, doctor: Doctor, cluster: Client, namespace: str, project: Path) -> None:
    _deployed(cluster, namespace)
    doctor.write(namespace, {}, {"kubernetes": {"upsertExisting": True}})
    command = [sys.executable, "-c", _INTERRUPTIBLE, "doctor", "dev", "--probe"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        wait(lambda: _probes(cluster, namespace), "the probe")
        running.send_signal(sent)
        _, message = running.communicate(timeout=_SECONDS)
    assert (running.returncode, "Traceback" in message) == (130, False)
    assert _probes(cluster, namespace) == []
