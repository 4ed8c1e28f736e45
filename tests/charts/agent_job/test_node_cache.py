"""The pods that prepare the cache directory for the user of tasks, on the current line only."""

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scalr_agents.charts.shared.inputs import Inputs

from tests.charts.agent_job.nodes import CACHE, HARDENED, MIRROR, labels_of, made_of, metadata, pod_of
from tests.helpers.agent_job import CURRENT, nested

PREPARATION = "persistence.cache.hostPath.preparation"


def _prepared(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return made_of(given, base=CACHE)


def _script() -> str:
    command: list[str] = pod_of(_prepared({})["cache-preparation"])["spec"]["initContainers"][0]["command"]
    assert command[:2] == ["/bin/sh", "-ec"]
    return command[2]


def test_the_preparation_daemon_set() -> None:
    resources = {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"cpu": "50m", "memory": "64Mi"}}
    container = {"image": "busybox:1.37", "imagePullPolicy": "IfNotPresent", "resources": resources}
    made = _prepared({})
    assert made["cache-preparation"] == {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata(CURRENT, "runs-scalr-agent-cache-preparation", "cache-preparation"),
        "spec": {
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
            "selector": {"matchLabels": labels_of(CURRENT, "cache-preparation")},
            "template": {
                "metadata": {"labels": labels_of(CURRENT, "cache-preparation")},
                "spec": {
                    "serviceAccountName": "runs-scalr-agent",
                    "automountServiceAccountToken": False,
                    "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                    "terminationGracePeriodSeconds": 1,
                    "initContainers": [
                        {
                            "name": "prepare",
                            **container,
                            "command": ["/bin/sh", "-ec", _script()],
                            "env": [{"name": "DIRECTORY", "value": "/scalr-agent-cache"}, {"name": "OWNER", "value": "1000:1000"}],
                            "securityContext": {
                                "runAsUser": 0,
                                "runAsGroup": 1000,
                                "runAsNonRoot": False,
                                "readOnlyRootFilesystem": True,
                                "allowPrivilegeEscalation": False,
                                "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "DAC_OVERRIDE", "FOWNER"]},
                            },
                            "volumeMounts": [{"name": "cache", "mountPath": "/scalr-agent-cache"}],
                        }
                    ],
                    "containers": [
                        {
                            "name": "prepared",
                            **container,
                            "command": ["sleep", "infinity"],
                            "securityContext": {
                                **HARDENED,
                                "runAsUser": 65534,
                                "runAsGroup": 65534,
                                "runAsNonRoot": True,
                                "readOnlyRootFilesystem": True,
                            },
                        }
                    ],
                    "volumes": [{"name": "cache", "hostPath": {"path": "/mnt/cache", "type": "DirectoryOrCreate"}}],
                },
            },
        },
    }
    assert "buffer" not in made


@pytest.mark.parametrize("kind", ["", "Directory"])
def test_preparation_always_creates_the_directory(kind: str) -> None:
    made = _prepared(nested("persistence.cache.hostPath.type", kind))
    assert pod_of(made["cache-preparation"])["spec"]["volumes"][0]["hostPath"] == {"path": "/mnt/cache", "type": "DirectoryOrCreate"}


@pytest.mark.parametrize(
    ("given", "owner", "group"),
    [
        ({"global": {"podSecurityContext": {"runAsUser": 2000}}}, "2000:1000", 1000),
        ({"global": {"podSecurityContext": {"runAsUser": 2000.0, "runAsGroup": 3000.0}}}, "2000:3000", 3000),
        ({"global": {"podSecurityContext": {"runAsUser": 2000}}, "task": {"podSecurityContext": {"runAsUser": 2001}}}, "2001:1000", 1000),
        (
            {"task": {"podSecurityContext": {"runAsUser": 2001}, "worker": {"securityContext": {"runAsUser": 2002, "runAsGroup": 2003}}}},
            "2002:2003",
            2003,
        ),
        ({"task": {"runner": {"securityContext": {"runAsUser": 2002}}}}, "1000:1000", 1000),
        ({"agent": {"podSecurityContext": {"runAsUser": 2002}}}, "1000:1000", 1000),
        (
            {"task": {"podSecurityContext": {"runAsGroup": None, "fsGroup": 4000}}, "global": {"podSecurityContext": None}},
            "1000:4000",
            4000,
        ),
        ({"global": {"podSecurityContext": None}}, "1000:1000", 1000),
        (
            {
                "task": {
                    "podSecurityContext": {"runAsUser": 0, "runAsNonRoot": False},
                    "runner": {"securityContext": {"runAsNonRoot": False}},
                }
            },
            "0:1000",
            1000,
        ),
    ],
)
def test_the_directory_belongs_to_the_worker(given: dict[str, Any], owner: str, group: int) -> None:
    (prepare,) = pod_of(_prepared(given)["cache-preparation"])["spec"]["initContainers"]
    assert {variable["name"]: variable["value"] for variable in prepare["env"]}["OWNER"] == owner
    assert (prepare["securityContext"]["runAsUser"], prepare["securityContext"]["runAsGroup"]) == (0, group)


@pytest.mark.parametrize(
    ("given", "image"),
    [
        ({"global": {"imageRegistry": "mirror.acme"}}, "mirror.acme/busybox:1.37"),
        ({"global": MIRROR}, "mirror.acme:5000/acme/mirrored/busybox:1.37"),
        (nested(f"{PREPARATION}.image", {"repository": "acme/tools", "tag": "2@sha256:" + 64 * "0"}), f"acme/tools:2@sha256:{64 * '0'}"),
    ],
)
def test_the_preparation_image(given: dict[str, Any], image: str) -> None:
    made = made_of(given, inputs=Inputs(agent_image="a:1", runner_image="r:2"), base=CACHE)
    spec = pod_of(made["cache-preparation"])["spec"]
    assert [container["image"] for container in (*spec["initContainers"], *spec["containers"])] == [image, image]


def _prepare(directory: Path, owner: str) -> None:
    subprocess.run(["/bin/sh", "-ec", _script()], env={"PATH": os.environ["PATH"], "DIRECTORY": str(directory), "OWNER": owner}, check=True)


def _state(path: Path) -> tuple[int, int, str]:
    found = path.lstat()
    return found.st_uid, found.st_gid, oct(stat.S_IMODE(found.st_mode))


def test_the_preparation_script(tmp_path: Path) -> None:
    """Run as the user of the tests, who can set only itself as the owner, unless it is root."""
    uid, gid = (os.getuid(), os.getgid()) if os.getuid() else (2000, 3000)
    directory = tmp_path / "a cache"
    directory.mkdir(mode=0o755)
    (directory / "old").mkdir(mode=0o700)
    (directory / "old" / "file").write_text("kept")
    (directory / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "outside").write_text("")
    outside = _state(tmp_path / "outside")
    _prepare(directory, f"{uid}:{gid}")
    assert _state(directory) == (uid, gid, "0o2775")
    assert _state(directory / "old") == (uid, gid, "0o700")
    assert _state(directory / "old" / "file")[:2] == _state(directory / "link")[:2] == (uid, gid)
    assert _state(tmp_path / "outside") == outside
    assert (directory / "old" / "file").read_text() == "kept"


def test_a_second_preparation_changes_only_the_mode(tmp_path: Path) -> None:
    """Files of other users are not changed: a `chown` would fail."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chown").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "bin" / "chown").chmod(0o755)
    directory = tmp_path / "cache"
    directory.mkdir(mode=0o700)
    file = directory / "file"
    file.touch(mode=0o640)
    before = _state(file), file.stat().st_ctime_ns
    owner, other = f"{os.getuid()}:{directory.stat().st_gid}", f"{os.getuid() + 1}:0"
    env = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "DIRECTORY": str(directory)}

    def run(given: str) -> int:
        return subprocess.run(["/bin/sh", "-ec", _script()], env={**env, "OWNER": given}, check=False).returncode

    assert run(owner) == 0
    assert _state(directory)[2] == "0o2775"
    assert (_state(file), file.stat().st_ctime_ns) == before
    directory.chmod(0o700)
    assert run(other) == 7
    assert _state(directory)[2] == "0o700"


def test_a_missing_directory_fails(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        _prepare(tmp_path / "none", f"{os.getuid()}:{os.getgid()}")
